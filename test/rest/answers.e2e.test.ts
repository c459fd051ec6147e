import t from "tap";
import { rpc } from "../a2a/raw-rpc.js";
import { connectMcp } from "../mcp/mcp-clients.js";
import { startApp } from "../support/start-app.js";

const shop = await startApp(t, { settings: { model: "bundled", judge: "bundled" } });
const { token, id } = await shop.app.operator.issueSpt({ usd: "20.00" });
const left = () => shop.app.store.read((reader) => reader.balance(`cust:${id}`));

async function buy(path: string, body: unknown) {
	const before = await left();
	const headers = { "X-Pay-SPT": token, "Content-Type": "application/json" };
	const reply = await shop.send(path, { method: "POST", headers, body: JSON.stringify(body) });
	return { ...reply, charged: before - (await left()) };
}

const PRICE = 500_000n;
const ASK = "/v1/graphs/agent-payments/ask";

t.test("a question gets its passages, each once and with its sources", async (t) => {
	const { status, body, charged } = await buy(ASK, { question: "What is EIP-3009?" });
	t.equal(status, 200);
	t.equal(charged, PRICE);
	const { verdict, form, passages, sources, tokens, parts } = body.data;
	t.match({ verdict, form }, { verdict: "answered", form: "definition" });
	t.match(parts, [{ question: "What is EIP-3009?", answered: true }]);
	t.match(passages[0], { about: { title: /EIP-3009/ }, text: /transfer/, likelihood: Number });
	const texts: string[] = passages.map((passage: { text: string }) => passage.text);
	t.equal(new Set(texts).size, texts.length);
	const ids = passages.flatMap((passage: { evidence_ids: string[] }) => passage.evidence_ids);
	t.equal(new Set(ids).size, ids.length, "no sentence twice");
	const known = new Set(sources.map(({ n }: { n: number }) => n));
	for (const { sources: cited } of passages) {
		t.ok(cited.length > 0 && cited.every((n: number) => known.has(n)));
	}
	t.ok(tokens <= 400);
	t.same(body.meta.graphs_used, ["agent-payments"]);
});

t.test("a smaller budget gives less, and what it gives is the same each time", async (t) => {
	const asked = { question: "What is EIP-3009?", max_tokens: 200 };
	const [one, other] = [await buy(ASK, asked), await buy(ASK, asked)];
	t.ok(one.body.data.tokens <= 200);
	t.same(one.body.data.passages, other.body.data.passages);
	for (const max_tokens of [0, 4_001, 1.5, "many"]) {
		const { status, body, charged } = await buy(ASK, { ...asked, max_tokens });
		t.match({ status, charged, body }, { status: 400, charged: 0n });
		t.match(body.error.details, [{ path: "max_tokens" }]);
	}
});

t.test(
	"what the graphs do not answer costs nothing, and says what nothing speaks of",
	async (t) => {
		const questions = [
			"Who won the 2022 World Cup?",
			"What does EIP-99731 change about account abstraction?",
			"How do I bake sourdough bread at home?",
		];
		for (const question of questions) {
			const { body, charged } = await buy("/v1/answer", { question });
			t.equal(charged, 0n, question);
			t.match(body.data, { verdict: "not_in_graphs", passages: [], table: null, tokens: 0 });
			t.match(body.data.gaps, [{ question, message: /^Nothing in 26 graphs answers this/ }]);
			t.match(body.meta, { decision: "ABSTAIN", cost: { charged: false } });
		}
		t.match(
			(await buy("/v1/answer", { question: questions[1] })).body.data.gaps[0].message,
			/EIP-99731/,
		);
	},
);

t.test("a comparison is told as a table of its sides", async (t) => {
	const question = "Compare HNSW, product quantization and learned sparse retrieval";
	const { body } = await buy("/v1/answer", { question });
	const { table, passages } = body.data;
	t.same(table.columns, ["HNSW", "product quantization", "learned sparse retrieval"]);
	const cells = table.rows.flatMap(({ cells }: { cells: ({ text: string } | null)[] }) => cells);
	t.match(cells[0]?.text, /hierarchical/i);
	const told = new Set(passages.map(({ text }: { text: string }) => text));
	for (const cell of cells) if (cell) t.notOk(told.has(cell.text), "not told twice");
});

t.test("a graph that is not there is not found, before anybody pays", async (t) => {
	const { status, charged } = await buy("/v1/graphs/no-such-graph/ask", {
		question: "What is x402?",
	});
	t.match({ status, charged }, { status: 404, charged: 0n });
});

t.test("over A2A and MCP it is the same, at the same price", async (t) => {
	const input = { question: "What is EIP-3009?" };
	const { data } = (await buy("/v1/answer", input)).body;
	const params = {
		message: {
			messageId: "m-1",
			role: "ROLE_USER",
			parts: [{ data: { skill: "answer_question", input } }],
		},
	};
	const { body } = await rpc(shop.baseUrl, { params, headers: { "X-Pay-SPT": token } });
	const { task } = body.result;
	t.match(task.metadata, { cost: { amount_usd: "0.50", charged: true } });
	const parts = task.artifacts[0].parts as { data?: { data: object } }[];
	t.same(parts.find((part) => part.data)?.data?.data, data);

	const { key } = await shop.app.operator.createKey({ usd: "1.00" });
	const place = { url: `${shop.baseUrl}/mcp`, headers: { "X-API-Key": key } };
	const client = await connectMcp(t, "sdk 1", place);
	const answer = await client.callTool({ name: "answer_question", arguments: input });
	t.same(answer.structuredContent?.data, data);
});
