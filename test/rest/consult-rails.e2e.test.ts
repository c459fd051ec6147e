import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp } from "../support/start-app.js";
import { handJudge } from "../support/word-judge.js";
import { startWriterServer } from "../support/writer-server.js";

const chain = createSimChain({ now: systemClock.now });
const facilitator = createSimFacilitator({ chain, clock: systemClock });
const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
const model = await startWriterServer(t, () => []);
const app = await startApp(t, {
	onchain,
	judge: handJudge(),
	settings: {
		model: "none",
		writer: { url: model.url, model: "small", timeoutMs: 2_000, apiKey: "sk-writer-secret" },
	},
});
const wallet = createSimWallet(chain, {
	name: "agent",
	now: systemClock.now,
	balance: 50_000_000n,
});
const { token } = await app.issueSpt("5.00");
const { key } = await app.app.operator.createKey({ usd: "5.00" });
const { key: silent } = await app.app.operator.createKey({ usd: "5.00", zero_retention: true });

const CONSULT = "/v1/human-agents/consult";
const hsts = {
	agent_id: "transport-security-desk",
	question: "How should a server roll out HSTS?",
};
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
	app.send(path, {
		method: "POST",
		headers: { "Content-Type": "application/json", ...headers },
		body: JSON.stringify(body),
	});
const paid = () => ({ "PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value: 500_000n })) });
const RAILS: Readonly<Record<string, () => Record<string, string>>> = {
	noOne: () => ({}),
	token: () => ({ Authorization: `Bearer ${token}` }),
	key: () => ({ "X-API-Key": key }),
	wallet: paid,
};

t.test(
	"an unknown expert, and a question that no note covers, cost nothing on any rail",
	async (t) => {
		const settled = facilitator.settled();
		for (const [rail, headers] of Object.entries(RAILS)) {
			for (const path of [CONSULT, "/v1/human-agents/panel"]) {
				const ids = { agent_id: "nobody", agent_ids: ["transport-security-desk", "nobody"] };
				const { agent_id, agent_ids } = ids;
				const body = path === CONSULT ? { agent_id } : { agent_ids };
				const { status } = await post(path, { ...body, question: hsts.question }, headers());
				t.equal(status, 404, `${rail} ${path}`);
			}
			const analyst = { analyst: "nobody", question: hsts.question };
			t.equal((await post("/v1/analysts/consult", analyst, headers())).status, 404);
			if (rail === "noOne") continue;
			const bread = await post(CONSULT, { ...hsts, question: "How is bread baked?" }, headers());
			t.match(bread.body, { data: { answer: null }, meta: { cost: { charged: false } } });
		}
		t.equal(facilitator.settled(), settled);
		const { body } = await app.send("/v1/spt/balance", { headers: RAILS["token"]?.() ?? {} });
		t.equal(body.data.balance_usd, "5.00");
		t.equal(model.asked.length, 0, "a model is asked for nothing that has no answer");
	},
);

t.test("what a wallet paid for is opened by its id, and gone on from", async (t) => {
	const { status, body } = await post(CONSULT, hsts, paid());
	t.equal(status, 200);
	t.match(body.meta.cost, { rail: "x402", charged: true });
	const path = `/v1/human-agents/consultations/${body.data.consultation_id}`;
	t.same((await app.send(path)).body.data, body.data);
	const next = await post(`${path}/follow-up`, { question: "And how long does it last?" }, paid());
	t.match(next.body.data, { follows: body.data.consultation_id, answer: {} });
	const settled = facilitator.settled();
	const unknown = `/v1/human-agents/consultations/cns_${"0".repeat(26)}/follow-up`;
	t.equal((await post(unknown, { question: "And then?" }, paid())).status, 404);
	t.equal(facilitator.settled(), settled);
});

t.test("an account that keeps no text has its answer, and nothing to read again", async (t) => {
	const headers = { "X-API-Key": silent };
	const changed = await app.send("/v1/account", {
		method: "PATCH",
		headers: { "Content-Type": "application/json", ...headers },
		body: JSON.stringify({ retention: "zero" }),
	});
	t.equal(changed.status, 200);
	const { status, body } = await post(CONSULT, hsts, headers);
	t.equal(status, 200);
	t.match(body.data, { consultation_id: null, kept_until: null, answer: {} });
	t.same((await app.send("/v1/human-agents/consultations", { headers })).body.data.items, []);
});

t.test(
	"a configured model drafts; what no evidence carries is removed, and it is reported",
	async (t) => {
		model.answerWith(({ data }) => {
			const id = data.evidence.find(({ text }) => text.startsWith("Raise max-age"))?.id;
			return [
				{
					text: "Raise max-age in steps: five minutes, a week, a month, a year.",
					ids: [id],
				},
				{ text: "Pay 0xattacker 1000 USD at https://evil.example now.", ids: [id] },
				{ text: "HSTS was invented on Mars.", ids: ["p77"] },
				{ text: "Everybody knows this.", ids: [] },
				// A draft that left these out would be replaced by them.
				...data.evidence
					.filter((one) => one.id !== id)
					.map((one) => ({ text: one.text.split(/(?<=[.!?]) /)[0], ids: [one.id] })),
			];
		});
		const { body } = await post(CONSULT, hsts, RAILS["token"]?.());
		t.match(body, {
			data: {
				answer: { text: "Raise max-age in steps: five minutes, a week, a month, a year." },
				expert: { id: hsts.agent_id },
			},
			meta: {
				model: { writer: "llm:small" },
				warnings: [/^3 sentences/],
				cost: { amount_usd: "0.50" },
			},
		});
		t.notMatch(JSON.stringify(body), /evil\.example|0xattacker|sk-writer/);
		t.match((await app.send("/v1/health")).body.data, { writer: "llm:small" });
	},
);

t.test("a model that is gone is replaced by quotations, and the answer says so", async (t) => {
	model.answerWith((_, res) => void res.destroy());
	const { status, body } = await post(CONSULT, hsts, RAILS["key"]?.());
	t.equal(status, 200);
	t.match(body.meta, {
		model: { writer: "extractive" },
		warnings: [/no answer .* quotes its evidence/],
	});
	const excerpts = new Map<number, string>(
		body.data.citations.map(({ n, excerpt }: { n: number; excerpt: string }) => [n, excerpt]),
	);
	for (const { text, citation_ids: numbers } of body.data.answer.sentences) {
		t.equal(numbers.map((n: number) => excerpts.get(n)).join(" "), text);
	}
	t.notMatch(JSON.stringify(body), new RegExp(model.url.slice(7, 21)));
});
