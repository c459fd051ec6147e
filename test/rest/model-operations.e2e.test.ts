import { request } from "node:http";
import t from "tap";
import { formatUsd } from "../../src/kernel/money.js";
import { rpc } from "../a2a/raw-rpc.js";
import { connectMcp } from "../mcp/mcp-clients.js";
import { flawsOf } from "../mcp/tool-calls.js";
import { startApp, type TestApp } from "../support/start-app.js";

const json = { "Content-Type": "application/json" };
const TEXT_MICROS = 100n;
const DOCUMENT_MICROS = 500n;
const QUERY = "Which HTTP status code asks for payment?";
const DOCUMENTS = [
	"The status code 404 says that nothing was found.",
	"With the status code 402 a server asks for payment.",
	"A heron stands in the shallow water.",
];

/** A customer of the shop, who asks and says what they have left. */
async function openPurse({ app, send }: TestApp) {
	const { token, id } = await app.operator.issueSpt({ usd: "10.00" });
	const left = () => app.store.read((reader) => reader.balance(`cust:${id}`));
	const headers = { "X-Pay-SPT": token, ...json };
	const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
		send(path, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
	return {
		token,
		headers,
		post,
		/** The reply, and what it cost. */
		async buy(path: string, body: unknown) {
			const before = await left();
			const reply = await post(path, body);
			return { ...reply, charged: before - (await left()) };
		},
	};
}

const shop = await startApp(t);
const purse = await openPurse(shop);
const embed = (body: unknown) => purse.buy("/v1/embeddings", body);

t.test("vectors of the model that searches are sold by the text", async (t) => {
	const { model } = (await shop.send("/v1/health")).body.data;
	const input = Array.from({ length: 12 }, (_, n) => `Heron number ${n} stands in the water.`);
	const { status, body, charged } = await embed({ input });
	t.equal(status, 200);
	t.match(body.data, { model: model.id, sha256: /^[0-9a-f]{64}$/, dimensions: 256 });
	t.equal(body.data.embeddings.length, 12);
	t.equal(charged, 12n * TEXT_MICROS);
	t.match(body.meta, { texts: 12, kind: "passage", cost: { amount_usd: formatUsd(charged) } });

	const one = await embed({ input: "Heron number 3 stands in the water.", dimensions: 64 });
	t.equal(one.charged, 10n * TEXT_MICROS, "the least that is charged");
	const [vector] = one.body.data.embeddings as number[][];
	t.equal(vector?.length, 64);
	t.ok(Math.abs(Math.hypot(...(vector ?? [])) - 1) < 1e-5);
	const whole = body.data.embeddings[3].slice(0, 64) as number[];
	const length = Math.hypot(...whole);
	t.ok(vector?.every((value, at) => Math.abs(value - (whole[at] ?? 0) / length) < 1e-4));
});

t.test("what is no input of it costs nothing and says why", async (t) => {
	for (const [body, message] of [
		[{}, /"input" is required/],
		[{ input: [] }, /"input" must not be an empty list/],
		[{ input: "" }, /"input" must not be empty/],
		[{ input: ["a", ""] }, /"input.1" must not be empty/],
		[{ input: 7 }, /"input" must be a text, or a list of 1 to 256 texts/],
		[{ input: [["a"]] }, /"input" must be a text, or a list of 1 to 256 texts/],
		[{ input: "x".repeat(8_001) }, /"input" must have at most 8000 characters/],
		[
			{ input: Array.from({ length: 257 }, () => "x") },
			/"input" must be a text, or a list of 1 to 256 texts/,
		],
		[{ input: "x", dimensions: 100 }, /"dimensions" must be one of 256, 128, 64/],
		[{ input: "x", dimensions: 0 }, /"dimensions" must be at least 1/],
		[{ input: "x", kind: "document" }, /"kind" must be query or passage/],
		[{ input: "x", model: "other" }, /"model" is not a known field/],
	] as const) {
		const { status, body: reply, charged } = await embed(body);
		t.equal(status, 400, JSON.stringify(body).slice(0, 60));
		t.match(reply.error.message, message);
		t.equal(charged, 0n);
	}
	const unpaid = await shop.send("/v1/embeddings", {
		method: "POST",
		headers: json,
		body: JSON.stringify({ input: ["a", "b"] }),
	});
	t.match(unpaid, { status: 402, body: { price: { amount_usd: "0.001" } } });
});

t.test(
	"a body of megabytes is read where its length is announced, and no longer one",
	async (t) => {
		const input = Array.from({ length: 256 }, (_, n) => `Heron ${n}. `.repeat(600).slice(0, 4_000));
		const large = await embed({ input });
		t.equal(large.status, 200);
		t.equal(large.charged, 256n * TEXT_MICROS);
		t.equal(large.body.data.embeddings.length, 256);
		const tooLarge = await embed({ input: input.map((text) => `${text}${"漢".repeat(4_500)}`) });
		t.match(tooLarge, { status: 400, body: { error: { message: /larger than 4194304 bytes/ } } });
		t.equal(tooLarge.charged, 0n);
		t.equal(await sendChunked(JSON.stringify({ input })), 400);
		const search = await purse.post("/v1/search", { query: "x".repeat(70_000) });
		t.match(search, { status: 400, body: { error: { message: /larger than 65536 bytes/ } } });
	},
);

/** Without a Content-Length; the status. */
function sendChunked(body: string): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const req = request(`${shop.baseUrl}/v1/embeddings`, {
			method: "POST",
			headers: { ...purse.headers, "Transfer-Encoding": "chunked" },
		});
		req.on("response", (response) => {
			response.resume();
			resolve(response.statusCode);
		});
		req.on("error", reject);
		req.end(body);
	});
}

t.test("over A2A and MCP they are the same, at the same price", async (t) => {
	const input = { input: ["A heron stands in the water."], dimensions: 64 };
	const { embeddings } = (await embed(input)).body.data;
	const params = {
		message: {
			messageId: "m-1",
			role: "ROLE_USER",
			parts: [{ data: { skill: "embed_texts", input } }],
		},
	};
	const { body } = await rpc(shop.baseUrl, { params, headers: purse.headers });
	const { task } = body.result;
	t.match(task, {
		status: { state: "TASK_STATE_COMPLETED" },
		metadata: { cost: { amount_usd: "0.001", charged: true } },
	});
	const parts = task.artifacts[0].parts as { text?: string; data?: { data: object } }[];
	t.same(parts.find(({ data }) => data)?.data?.data, { ...(await embed(input)).body.data });
	t.match(parts.find(({ text }) => text)?.text, "1 vectors of 64 numbers by table");

	const { key } = await shop.app.operator.createKey({ usd: "1.00" });
	const place = { url: `${shop.baseUrl}/mcp`, headers: { "X-API-Key": key } };
	const client = await connectMcp(t, "sdk 1", place);
	const tool = (await client.listTools()).tools.find(({ name }) => name === "embed_texts");
	t.match(tool?.description, /Costs 0\.0001 USD per text\.$/);
	const answer = await client.callTool({ name: "embed_texts", arguments: input });
	t.same(tool && flawsOf(tool, answer), []);
	t.same(answer.structuredContent?.data.embeddings, embeddings);
});

t.test("a server without models asks no one for money it cannot earn", async (t) => {
	const bare = await startApp(t, { settings: { model: "none" } });
	const { buy } = await openPurse(bare);
	for (const [path, body, setting] of [
		["/v1/embeddings", { input: "x" }, /the setting "model"/],
		["/v1/rerank", { query: "x", documents: ["y"] }, /sets "judge" to bundled/],
	] as const) {
		const { status, body: reply, charged } = await buy(path, body);
		t.equal(status, 503);
		t.match(reply.error, { code: "UNAVAILABLE", message: setting, retryable: false });
		t.equal(charged, 0n);
	}
	const { body } = await bare.send("/.well-known/x402");
	t.notMatch(JSON.stringify(body.items), /embeddings|rerank/, "and advertises neither");
});

t.test("documents are judged beside a question, by the document", async (t) => {
	const judging = await startApp(t, { settings: { judge: "bundled" } });
	const { buy, token } = await openPurse(judging);
	const rerank = (body: unknown) => buy("/v1/rerank", body);
	const { status, body, charged } = await rerank({ query: QUERY, documents: DOCUMENTS });
	t.equal(status, 200);
	t.match(body.data, { model: "judge", sha256: /^[0-9a-f]{64}$/ });
	t.same(body.data.results.map(({ index }: { index: number }) => index).sort(), [0, 1, 2]);
	t.equal(body.data.results[0].index, 1);
	t.equal(charged, 3n * DOCUMENT_MICROS);
	t.equal(body.meta.cost.amount_usd, "0.0015");
	const first = await rerank({ query: QUERY, documents: DOCUMENTS, top_n: 1 });
	t.same(first.body.data.results, body.data.results.slice(0, 1));
	t.equal(first.charged, charged, "what is left out of the answer was read all the same");

	for (const [wrong, message] of [
		[{ query: QUERY, documents: [] }, /"documents" must not be an empty list/],
		[{ query: QUERY, documents: [""] }, /"documents.0" must not be empty/],
		[{ query: " ", documents: ["x"] }, /"query" must not be empty/],
		[{ query: QUERY, documents: ["x".repeat(4_001)] }, /at most 4000 characters/],
		[{ query: QUERY, documents: Array.from({ length: 201 }, () => "x") }, /at most 200 documents/],
		[{ query: QUERY, documents: ["x"], top_n: 0 }, /"top_n" must be at least 1/],
	] as const) {
		const refused = await rerank(wrong);
		t.equal(refused.status, 400);
		t.match(refused.body.error.message, message);
		t.equal(refused.charged, 0n);
	}

	const input = { query: QUERY, documents: DOCUMENTS };
	const params = {
		message: { messageId: "m-1", role: "ROLE_USER", parts: [{ data: { skill: "rerank", input } }] },
	};
	const headers = { "X-Pay-SPT": token, ...json };
	const { task } = (await rpc(judging.baseUrl, { params, headers })).body.result;
	t.match(task, { metadata: { cost: { amount_usd: formatUsd(3n * DOCUMENT_MICROS) } } });
	const { key } = await judging.app.operator.createKey({ usd: "1.00" });
	const place = { url: `${judging.baseUrl}/mcp`, headers: { "X-API-Key": key } };
	const client = await connectMcp(t, "sdk 1", place);
	const answer = await client.callTool({ name: "rerank", arguments: input });
	t.same(answer.structuredContent?.data.results, body.data.results);
});
