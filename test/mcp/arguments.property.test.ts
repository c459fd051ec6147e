import fc from "fast-check";
import t from "tap";
import type { InputSchema } from "../../src/mcp/tool-schema.js";
import { KNOWN_QUERY, sumOfAllEntries } from "../support/start-app.js";
import { type McpShop, type RpcReply, startMcp } from "./start-mcp.js";

const DAY = "2026-03-01";
/** Likely values, so that more than the schema is put to the test. */
const LIKELY: Readonly<Record<string, readonly unknown[]>> = {
	graph_id: ["agent-payments", "no-such-graph", "Agent-Payments", "../agent-payments"],
	query: [KNOWN_QUERY, "?", "payment \u0000 \u202e", "💸".repeat(500)],
	node_id: ["http.http-402", "__proto__", "x"],
	from: ["http.http-402"],
	to: ["http.http-402", "constructor"],
	trend_id: ["agent-payments:http.http-402", "agent-payments:", ":x", "agent-payments"],
	names: [["MCP"], [], ["\u0007"]],
	limit: [1, 0, 51, 1.5, -1, 1e300],
	as_of: [DAY, "2026-02-30", "9999-12-31", "0000-01-01"],
	mode: ["fast", "slow"],
	job_id: ["job_01kkbswhg0yhxktm87fqe6vtz3", "x"],
	cursor: ["x", "eyJhIjoxfQ"],
	email: ["nobody"],
};
const ODD = [
	"",
	" ",
	null,
	true,
	0,
	-0,
	2 ** 53,
	1e308,
	[],
	[null],
	{},
	{ toString: "x" },
	"x".repeat(20_000),
	"\u0000\u001b[31m\u202e\ud800",
	"🙂",
	"__proto__",
	JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}'),
	Array.from({ length: 2_000 }, () => "x"),
];

const shop = await startMcp(t, { usd: "900.00" });

t.test(
	"whatever arguments come, the answer is well formed and a refusal costs nothing",
	async (t) => {
		const { tools } = (await shop.rpc("/mcp", "tools/list")).result as {
			tools: readonly { readonly name: string; readonly inputSchema: InputSchema }[];
		};
		const spent = async () => {
			const quotas = await shop.app.store.read((reader) => reader.list("quotas"));
			return `${await shop.balance()} ${JSON.stringify([...quotas].map(({ id, used }) => [id, used]))}`;
		};
		const counts = { answers: 0, refusals: 0, errors: 0 };

		const judge = async (reply: RpcReply, before: string): Promise<void> => {
			const kind = kindOf(reply);
			counts[kind] += 1;
			if (kind !== "answers" && (await spent()) !== before) {
				throw new Error(`A refusal was charged: ${reply.text}`);
			}
		};

		const anyTool = fc.constantFrom(...tools);
		const anyCall = anyTool.chain(({ name, inputSchema: { properties } }) => {
			const fields = Object.keys(properties).map((field): [string, fc.Arbitrary<unknown>] => [
				field,
				fc.oneof(
					{ weight: 3, arbitrary: fc.constantFrom(...(LIKELY[field] ?? [KNOWN_QUERY, "x"])) },
					{ weight: 1, arbitrary: fc.constantFrom(...ODD) },
					{ weight: 1, arbitrary: fc.jsonValue({ depthSize: "medium" }) },
				),
			]);
			const shaped = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
			const wild = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 });
			const args = fc.oneof(
				{ weight: 8, arbitrary: shaped },
				{ weight: 1, arbitrary: fc.tuple(shaped, wild).map(([a, b]) => ({ ...a, ...b })) },
				{ weight: 1, arbitrary: fc.constantFrom<unknown>(...ODD) },
			);
			return fc.record({ name: fc.constant(name), args });
		});

		await t.test("for every tool", async (t) => {
			await fc.assert(
				fc.asyncProperty(anyCall, async ({ name, args }) => {
					const before = await spent();
					const reply = await shop.rpc("/mcp", "tools/call", { name, arguments: args });
					await judge(reply, before);
					await afterJob(shop, reply);
				}),
				{ numRuns: 160 },
			);
			for (const { name } of tools) {
				for (const args of [{ unknown_field: 1 }, deep(200), { query: "x".repeat(70_000) }]) {
					const before = await spent();
					const reply = await shop.rpc("/mcp", "tools/call", { name, arguments: args });
					await judge(reply, before);
					t.not(reply.result !== undefined && !reply.result.isError, true, name);
				}
			}
			t.ok(
				counts.answers > 2 && counts.refusals > 100 && counts.errors > 10,
				JSON.stringify(counts),
			);
		});

		await t.test("and nothing was lost on the way", async (t) => {
			t.equal(await sumOfAllEntries(shop.app), 0n);
			t.same(
				shop.logged.filter((line) => /unexpected failure|^mcp /.test(line)),
				[],
			);
			t.equal((await shop.callTool("list_graphs")).result.isError, undefined);
			t.equal(({} as { a?: number }).a, undefined);
		});
	},
);

t.test("the graph is chosen by argument, or by the address", async (t) => {
	const search = (path: string, args: object) =>
		shop.callTool("search_graph", { query: KNOWN_QUERY, ...args }, path);
	const graphOf = ({ result }: RpcReply) => result.structuredContent.meta.graph_id;
	const codeOf = ({ result }: RpcReply) => JSON.parse(result.content[0].text).error.code;

	await t.test("an argument wins over the address", async (t) => {
		const path = "/mcp?graph=agent-payments";
		t.equal(graphOf(await search(path, {})), "agent-payments");
		const other = await search(path, { graph_id: "http-web-standards" });
		t.equal(graphOf(other), "http-web-standards");
		const readme = await shop.callTool("read_graph_readme", {}, path);
		t.equal(readme.result.structuredContent.graph_id, "agent-payments");
	});

	await t.test("a plain search means the chosen graph", async (t) => {
		for (const path of ["/mcp?graph=agent-payments", "/copilot?graph=agent-payments"]) {
			const { tools } = (await shop.rpc(path, "tools/list")).result;
			const named = (name: string) => tools.find((tool: { name: string }) => tool.name === name);
			const [just, ofGraph] = [named("search"), named("search_graph")];
			t.same({ ...just, name: "search_graph" }, ofGraph);
			const found = await shop.callTool("search", { query: KNOWN_QUERY }, path);
			t.equal(graphOf(found), "agent-payments");
		}
		const all = await shop.callTool("search", { query: KNOWN_QUERY });
		t.not(graphOf(all), "agent-payments", "elsewhere all are searched");
		const topic = { topic: "payments" };
		const { result } = await shop.callTool("dossier", topic, "/mcp?graph=agent-payments");
		t.same(result.structuredContent.data.graphs, ["agent-payments"]);
	});

	await t.test("where only access tokens are taken, the address chooses none", async (t) => {
		const { status, message } = await shop.rpc("/chatgpt?graph=agent-payments", "tools/list");
		t.same([status, message.error.code], [400, -32600]);
		t.match(message.error.message, /\?graph=/);
	});

	await t.test("a chosen graph is no longer required", async (t) => {
		const requiredOf = async (path: string) => {
			const { tools } = (await shop.rpc(path, "tools/list")).result;
			return (tools as { inputSchema: InputSchema }[]).flatMap(
				({ inputSchema }) => inputSchema.required ?? [],
			);
		};
		t.ok((await requiredOf("/mcp")).includes("graph_id"));
		for (const path of ["/mcp?graph=", "/mcp?other=x"]) {
			t.ok((await requiredOf(path)).includes("graph_id"), path);
		}
		for (const path of ["/mcp?graph=agent-payments", "/copilot?graph=agent-payments"]) {
			const required = await requiredOf(path);
			t.notOk(required.includes("graph_id"), path);
			t.ok(required.includes("node_id"), path);
		}
	});

	await t.test("an unknown graph is refused, and costs nothing", async (t) => {
		const before = await shop.balance();
		for (const [path, args] of [
			["/mcp?graph=no-such-graph", {}],
			["/mcp?graph=__proto__", {}],
			["/mcp?graph=%00", {}],
			["/mcp", { graph_id: "no-such-graph" }],
			["/mcp", {}],
			["/mcp?graph=", {}],
		] as const) {
			t.match(codeOf(await search(path, args)), /^(NOT_FOUND|INVALID_ARGUMENT)$/, path);
		}
		t.equal(await shop.balance(), before);
	});

	await t.test("more than one graph, or a very long one, is refused as it comes", async (t) => {
		for (const query of ["graph=a&graph=b", `graph=${"x".repeat(201)}`]) {
			const { status, message } = await shop.rpc(`/mcp?${query}`, "tools/list");
			t.same([status, message.error.code], [400, -32600]);
			t.match(message.error.message, /\?graph=<id>/);
		}
	});
});

/** A job that was begun is charged as it goes; nothing else is judged meanwhile. */
async function afterJob({ callTool }: McpShop, { result }: RpcReply): Promise<void> {
	const job_id = result?.structuredContent?.data?.job_id;
	if (typeof job_id !== "string") return;
	for (;;) {
		const told = await callTool("get_deep_dive", { job_id });
		if (!["queued", "running"].includes(told.result.structuredContent?.status)) return;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

/** Throws for a reply that is none of the three. */
function kindOf({ status, message, result, text }: RpcReply): "answers" | "refusals" | "errors" {
	const isFramed = status < 500 && message?.jsonrpc === "2.0";
	if (isFramed && typeof message.error?.code === "number") return "errors";
	if (isFramed && isRefusal(result)) return "refusals";
	if (isFramed && !result.isError && typeof result.structuredContent === "object") return "answers";
	throw new Error(text.slice(0, 1_000));
}

/** One that says what is wrong, in a whole sentence, and is no one's fault here. */
function isRefusal({ isError, content, structuredContent }: RpcReply["result"]): boolean {
	if (!isError || structuredContent !== undefined) return false;
	const { error } = JSON.parse(content[0].text);
	return error.code !== "INTERNAL" && /[.…]$/.test(error.message);
}

function deep(levels: number): unknown {
	return Array.from({ length: levels }).reduce((inner) => ({ query: inner }), "x");
}
