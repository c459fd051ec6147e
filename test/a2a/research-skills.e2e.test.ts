import t from "tap";
import { manualClock } from "../support/manual-clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { KNOWN_QUERY, startApp } from "../support/start-app.js";
import { rpc } from "./raw-rpc.js";

const SESSIONS = "/v1/research/chat/sessions";

function toMessage(messageId: string, skill: string, input: object) {
	return { message: { messageId, role: "ROLE_USER", parts: [{ data: { skill, input } }] } };
}

t.test(
	"a chat goes on whichever way its turns come in; a stream answers as one task",
	async (t) => {
		const { baseUrl, issueSpt, send } = await startApp(t, { settings: { model: "none" } });
		const { token } = await issueSpt("9.00");
		const headers = { "X-Pay-SPT": token, "Content-Type": "application/json" };
		const ask = async (messageId: string, skill: string, input: object) => {
			const params = toMessage(messageId, skill, input);
			const { body } = await rpc(baseUrl, { params, headers });
			return body.result.task;
		};
		const session = { sessionId: "s1" };
		const first = await ask("m-1", "research_chat", { ...session, message: "What is EIP-3009?" });
		t.match(first, { status: { state: "TASK_STATE_COMPLETED" } });
		const parts = first.artifacts[0].parts as { text?: string; data?: { data: object } }[];
		t.match(
			parts.find(({ text }) => text)?.text,
			/EIP-3009 .*\[1\].*\n\[1\](?:\[\d+\])* .*https:/s,
		);
		const again = await ask("m-1", "research_chat", { ...session, message: "What is EIP-3009?" });
		t.equal(again.id, first.id);
		const overRest = await send("/v1/research/chat", {
			method: "POST",
			headers,
			body: JSON.stringify({ ...session, message: "And EIP-712?" }),
		});
		t.match(overRest.body.data, { resolved_question: "What is EIP-712?", session: { turns: 2 } });

		const streamed = await ask("m-2", "research_stream", { query: KNOWN_QUERY });
		t.match(streamed, {
			status: { state: "TASK_STATE_COMPLETED" },
			metadata: { cost: { amount_usd: "1.50", billing_type: "research_stream" } },
		});
		const none = await ask("m-3", "research_stream", { query: "zzyzx quuxfrob" });
		t.match(none, { metadata: { cost: { charged: false } } });
		t.equal((await send("/v1/spt/balance", { headers })).body.data.balance_usd, "4.50");
	},
);

t.test("a wallet's chat is its own, and is read and deleted by its id", async (t) => {
	const clock = manualClock("2026-11-22T12:00:00Z");
	const chain = createSimChain({ now: clock.now });
	const facilitator = createSimFacilitator({ chain, clock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const shop = await startApp(t, { settings: { model: "none" }, clock, onchain });
	const wallet = (name: string) => {
		const purse = createSimWallet(chain, { name, now: clock.now, balance: 9_000_000n });
		const sign = () => purse.v2(purse.sign({ value: 1_500_000n }));
		const say = (message: string, more: Record<string, string> = {}, payment = sign()) =>
			shop.send("/v1/research/chat", {
				method: "POST",
				headers: { "PAYMENT-SIGNATURE": payment, "Content-Type": "application/json", ...more },
				body: JSON.stringify({ sessionId: "s1", message }),
			});
		return { sign, say };
	};
	const [one, other] = [wallet("one"), wallet("other")];
	const key = { "Idempotency-Key": "once" };
	const payment = one.sign();
	const first = await one.say("What is EIP-3009?", key, payment);
	t.match(first.body.data.session, { turns: 1 });
	const again = await one.say("What is EIP-3009?", key, payment);
	t.same(again.body.data.answer, first.body.data.answer);
	t.equal(again.body.data.session.turns, 1);
	t.equal(facilitator.settled(), 1);
	const next = await one.say("And EIP-712?");
	t.match(next.body.data, { resolved_question: "What is EIP-712?", session: { turns: 2 } });
	const foreign = await other.say("And EIP-712?");
	t.match(foreign.body.data, { resolved_question: "And EIP-712?", session: { turns: 1 } });

	const { id } = first.body.data.session;
	t.not(foreign.body.data.session.id, id);
	t.match((await shop.send(`${SESSIONS}/${id}`)).body.data, { session_id: "s1", turns: 2 });
	t.equal((await shop.send(`${SESSIONS}/s1`)).status, 404);
	t.equal((await shop.send(SESSIONS)).status, 401);
	t.equal((await shop.send(`${SESSIONS}/${id}`, { method: "DELETE" })).status, 200);
	t.equal((await shop.send(`${SESSIONS}/${id}/messages`)).status, 404);
});
