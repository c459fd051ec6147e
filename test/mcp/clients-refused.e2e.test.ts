import t from "tap";
import { type AnswerToClient, CLIENTS, connectMcp } from "./mcp-clients.js";
import { startMcp } from "./start-mcp.js";

const GRAPH = "agent-payments";
const QUERY = "Which HTTP status code asks for payment?";
const NONSENSE = "zxqv wplk jrtn";
const HALF_A_DOLLAR = 500_000n;
const FREE_CALLS = 100;

const shop = await startMcp(t);
const place = { url: `${shop.baseUrl}/mcp`, headers: { "X-API-Key": shop.key } };

t.before(async () => {
	const node = "/v1/graphs/agent-payments/nodes/http.http-402";
	const { headers } = place;
	for (let call = 0; call < FREE_CALLS; call += 1) await shop.send(node, { headers });
});

for (const name of CLIENTS) {
	t.test(`${name}: what is refused says why and costs nothing`, async (t) => {
		const client = await connectMcp(t, name, place);
		await client.listTools();
		const before = await shop.balance();

		const refused: readonly (readonly [string, object, string, RegExp])[] = [
			["search_graph", { graph_id: GRAPH, query: 7 }, "INVALID_ARGUMENT", /query/],
			["search_graph", { graph_id: GRAPH }, "INVALID_ARGUMENT", /query/],
			["search_graph", { graph_id: GRAPH, qery: QUERY }, "INVALID_ARGUMENT", /qery/],
			["search_graph", { graph_id: "nowhere", query: QUERY }, "NOT_FOUND", /nowhere/],
			["preview_graph", { graph_id: "nowhere" }, "NOT_FOUND", /nowhere/],
			["get_node", { graph_id: GRAPH, node_id: "no.node" }, "NOT_FOUND", /no\.node/],
			["get_deep_dive", { job_id: "job_01kg9yz3v0f6x2m8q4t7w1ab2c" }, "NOT_FOUND", /job/],
			["list_graphs", { cursor: "garbage" }, "INVALID_ARGUMENT", /cursor/],
		];
		for (const [tool, args, code, words] of refused) {
			const answer = await client.callTool({ name: tool, arguments: args });
			const error = errorOf(answer);
			t.match(error, { code, message: words }, `${tool} ${JSON.stringify(args)}`);
			t.notOk("structuredContent" in answer, "it would have to match the tool's schema");
		}
		await t.rejects(client.callTool({ name: "buy_moon", arguments: {} }), {
			code: -32602,
			message: /buy_moon/,
		});
		await t.rejects(client.readResource({ uri: "tollgraph://graphs/nowhere/readme" }));
		await t.rejects(client.getPrompt({ name: "no_prompt" }), { code: -32602 });
		t.equal(await shop.balance(), before);
	});

	t.test(`${name}: an answer without rows costs nothing`, async (t) => {
		const client = await connectMcp(t, name, place);
		const before = await shop.balance();
		const call = { name: "search_graph", arguments: { graph_id: GRAPH, query: NONSENSE } };
		const { structuredContent } = await client.callTool(call);
		t.match(structuredContent, { rows: [], meta: { cost: { charged: false } } });
		t.equal(await shop.balance(), before);
	});

	t.test(`${name}: a call that is sent again under its key is paid once`, async (t) => {
		const client = await connectMcp(t, name, place);
		const before = await shop.balance();
		const call = {
			name: "search_graph",
			arguments: { graph_id: GRAPH, query: QUERY, limit: 2 },
			_meta: { "tollgraph/idempotency-key": `${name}, first call` },
		};
		const first = await client.callTool(call);
		const again = await client.callTool(call);
		t.same(again.structuredContent.rows, first.structuredContent.rows);
		t.equal(before - (await shop.balance()), HALF_A_DOLLAR);

		const other = { ...call, arguments: { ...call.arguments, limit: 3 } };
		t.match(errorOf(await client.callTool(other)), { code: "IDEMPOTENCY_MISMATCH" });
		const badKey = { ...call, _meta: { "tollgraph/idempotency-key": "\u0007" } };
		t.match(errorOf(await client.callTool(badKey)), { code: "INVALID_ARGUMENT" });
		t.equal(before - (await shop.balance()), HALF_A_DOLLAR);
	});

	t.test(`${name}: the refusal of an account without money says what it lacks`, async (t) => {
		const { key, account_id } = await shop.app.operator.createKey({ usd: "1.00" });
		const client = await connectMcp(t, name, { ...place, headers: { "X-API-Key": key } });
		const { brand } = shop.app.service.skills.brand_intelligence.exampleInput;
		const call = { name: "brand_intelligence", arguments: { brand } };
		t.match(errorOf(await client.callTool(call)), {
			code: "INSUFFICIENT_BALANCE",
			message: /1\.00 USD left; this call costs 30\.00 USD/,
		});
		const left = await shop.app.store.read((reader) => reader.balance(`cust:${account_id}`));
		t.equal(left, 1_000_000n);
	});

	t.test(`${name}: reads resources and prompts, and pages through both lists`, async (t) => {
		const client = await connectMcp(t, name, place);
		const { resources } = await client.listResources();
		t.ok(resources.length > 1);
		for (const { uri } of resources.slice(0, 3)) {
			const { contents } = await client.readResource({ uri });
			t.equal(contents[0]?.uri, uri);
			t.ok((contents[0]?.text ?? "").length > 100);
		}
		const { prompts } = await client.listPrompts();
		t.same(
			prompts.map((prompt) => prompt.name),
			["cited_answer", "fact_check"],
		);
		const { messages } = await client.getPrompt({
			name: "cited_answer",
			arguments: { question: QUERY },
		});
		t.match(messages[0]?.content.text, QUERY);

		const ids: string[] = [];
		let cursor: string | null | undefined;
		do {
			const { structuredContent } = await client.callTool({
				name: "list_graphs",
				arguments: { limit: 5, ...(cursor && { cursor }) },
			});
			ids.push(...structuredContent.items.map((graph: { id: string }) => graph.id));
			cursor = structuredContent.next_cursor;
		} while (cursor);
		t.equal(new Set(ids).size, resources.length - 1, "each graph once; the catalog has no graph");
		t.equal(ids.length, resources.length - 1);
	});

	t.test(`${name}: judges answers by the schema that was listed`, async (t) => {
		const client = await connectMcp(t, name, { ...place, fetch: fetchDamaged });
		await client.listTools();
		const call = { name: "preview_graph", arguments: { graph_id: GRAPH } };
		await t.rejects(client.callTool(call), /structured|schema|output/i);
	});
}

/** A server whose answers are not what its schemas say. */
const fetchDamaged: typeof fetch = async (url, init) => {
	const response = await fetch(url, init);
	const { status, headers } = response;
	const text = await response.text();
	const damaged = text.replace(/"structuredContent":\{/, '"structuredContent":[],"was":{');
	const kept = new Headers(headers);
	kept.delete("content-length");
	return new Response(status === 202 ? null : damaged, { status, headers: kept });
};

function errorOf({ isError, content }: AnswerToClient): unknown {
	return isError ? JSON.parse(content[0]?.text ?? "{}").error : "no error";
}
