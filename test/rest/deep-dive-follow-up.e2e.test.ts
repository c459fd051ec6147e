import t from "tap";
import { startApp } from "../support/start-app.js";

const AT = "/v1/research/deep-dive";

t.test("a deep dive goes on from another one of the same caller, and of no other", async (t) => {
	const shop = await startApp(t, { settings: { model: "none" } });
	const mine = { "X-Pay-SPT": (await shop.issueSpt("50.00")).token };
	const other = { "X-Pay-SPT": (await shop.issueSpt("50.00")).token };
	const ask = (path: string, headers: Record<string, string>, body: object) =>
		shop.send(path, {
			method: "POST",
			headers: { "Content-Type": "application/json", ...headers },
			body: JSON.stringify(body),
		});
	const query = "How does EIP-3009 transfer with authorization work?";
	const first = await ask(AT, mine, { query, graphs: ["agent-payments"] });
	t.equal(first.status, 202);
	const id = first.body.data.job_id;
	const followUp = `${AT}/${id}/follow-up`;

	t.equal((await ask(followUp, {}, { query: "What are its risks?" })).status, 402);
	const foreign = await ask(followUp, other, { query: "What are its risks?" });
	const unknown = await ask(`${AT}/job_nobody/follow-up`, other, { query: "What are its risks?" });
	t.same([foreign.status, unknown.status], [404, 404]);
	const balance = await shop.send("/v1/spt/balance", { headers: other });
	t.equal(balance.body.data.balance_usd, "50.00", "what is not theirs costs nothing");

	const keyed = { ...mine, "Idempotency-Key": "next" };
	const next = await ask(followUp, keyed, { query: "What are its risks?", mode: "comprehensive" });
	t.equal(next.status, 202);
	t.match(next.body.data, { mode: "comprehensive", price_usd: "15.00" });
	const again = await ask(followUp, keyed, { query: "What are its risks?", mode: "comprehensive" });
	t.equal(again.body.data.job_id, next.body.data.job_id);
	const status = await shop.send(`${AT}/status/${next.body.data.job_id}`, { headers: mine });
	t.match(status.body.data.query, /EIP-3009/, "the question stands alone");

	const elsewhere = await ask(followUp, mine, { query: "And for chocolate cake?" });
	const { status: at } = elsewhere.body.data.links;
	const ended = async () => {
		for (;;) {
			const { data } = (await shop.send(at, { headers: mine })).body;
			if (!data.cost.held) return data;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	};
	t.match(await ended(), {
		query: /EIP-3009.* for chocolate cake/,
		stop_reason: "no evidence",
		cost: { charged: false, amount_usd: "0.00" },
	});
});
