import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import t from "tap";
import { z } from "zod";
import { toFlatOutput, toInputSchema, toOutputSchema } from "../../src/mcp/tool-schema.js";
import { inputComplaintsOf } from "./flat-schema.js";
import { rpc2026 } from "./requests-2026.js";
import { startMcp } from "./start-mcp.js";

const ajv = new Ajv2020({ strict: true, allowUnionTypes: false });

t.test("lists are short enough to be read whole, and state the price", async (t) => {
	const shop = await startMcp(t);
	for (const [path, charsMax] of [
		["/mcp", 48_000],
		["/copilot", 16_000],
	] as const) {
		const { text, result } = await shop.rpc(path, "tools/list");
		t.ok(text.length < charsMax, `${path}: ${text.length}`);
		for (const { name, description, outputSchema } of result.tools) {
			t.match(description, /(Free|Costs .* USD.*|free without an answer)\.$/, name);
			t.ok(description.length < 250, name);
			t.notMatch(JSON.stringify(outputSchema), /\$|anyOf|oneOf|allOf|const|null|pattern/, name);
			t.doesNotThrow(() => ajv.compile(outputSchema), name);
		}
	}

	await t.test("what an operation takes as its example, its flat schema takes too", async (t) => {
		for (const skill of Object.values(shop.app.service.skills)) {
			const { exampleInput, operationId, input } = skill;
			const fields = Object.fromEntries(Object.keys(exampleInput).map((name) => [name, "What"]));
			let flat: ReturnType<typeof toInputSchema>;
			try {
				flat = toInputSchema(input, fields);
			} catch {
				// Batches and the like are of no use to one who calls a tool, and are not offered as any.
				continue;
			}
			t.same(inputComplaintsOf(flat), [], operationId);
			t.ok(ajv.validate({ ...flat }, exampleInput), `${operationId}: ${ajv.errorsText()}`);
			t.notOk(ajv.validate({ ...flat }, { ...exampleInput, unknown_field: 1 }), operationId);
		}
	});

	await t.test(
		"what cannot be listed, read or written is reported as the caller's mistake",
		async (t) => {
			const errorOf = async (method: string, params: object) => {
				const { status, message } = await shop.rpc("/mcp", method, params);
				t.equal(status, 200, method);
				return message.error ?? {};
			};
			for (const [method, params] of [
				["resources/list", { cursor: "x" }],
				["resources/read", { uri: "tollgraph://graphs/no-such/readme" }],
				["resources/read", { uri: "tollgraph://graphs/__proto__/readme" }],
				["resources/read", { uri: "file:///etc/passwd" }],
				["prompts/get", { name: "constructor" }],
				["prompts/get", { name: "cited_answer" }],
				["prompts/get", { name: "fact_check", arguments: { text: "x".repeat(2_001) } }],
				["tools/call", { name: "__proto__" }],
			] as const) {
				const { code, message } = await errorOf(method, params);
				t.ok([-32602, -32002].includes(code), `${method}: ${code}`);
				t.match(message, /[a-z]/, method);
			}
			for (const [method, params] of [
				["tools/call", { arguments: {} }],
				["tools/call", { name: 5 }],
				["tools/call", { name: "search_graph", arguments: "x" }],
				["tools/call", { name: "search_graph", arguments: [1] }],
				["tools/call", { name: "no_such_tool", arguments: {} }],
				["tools/list", { cursor: 5 }],
				["resources/list", { cursor: [] }],
				["resources/read", {}],
				["resources/read", { uri: 5 }],
				["prompts/get", { name: 5 }],
				["prompts/get", { name: "fact_check", arguments: { text: 5 } }],
				["initialize", {}],
			] as const) {
				const { code, message } = await errorOf(method, params);
				t.equal(code, -32602, `${method} ${JSON.stringify(params)}`);
				t.match(message, /^[A-Z].*[.]$/, "a sentence");
			}
			const ask = rpc2026(shop.baseUrl, { headers: { "X-API-Key": shop.key }, capabilities: {} });
			const handshake = await ask("initialize");
			t.equal(handshake.status, 404, "since 2026-07-28 there is none, whatever its parameters");
			t.equal(handshake.message.error.code, -32601);
			t.same(
				shop.logged.filter((line) => line.includes("unexpected")),
				[],
			);
		},
	);
});

t.test("an outline is true of whatever the whole schema is true of", async (t) => {
	const row = z.object({
		id: z.string(),
		score: z.number().min(0).max(1),
		at: z.iso.datetime().nullable(),
		kind: z.enum(["a", "b"]),
		tags: z.array(z.string()).optional(),
		deeper: z.object({ deepest: z.array(z.object({ x: z.int().positive() })) }),
	});
	const whole = z.object({
		ok: z.literal(true),
		rows: z.array(row),
		data: row.nullable(),
		either: z.union([z.string(), z.int()]),
		byName: z.record(z.string(), row),
		tuple: z.tuple([z.string(), z.int()]),
		meta: row.optional(),
	});
	const outline = toOutputSchema(whole);
	t.match(outline, {
		type: "object",
		required: ["ok", "rows", "data", "either", "byName", "tuple"],
		properties: {
			ok: { type: "boolean" },
			data: {},
			either: {},
			byName: { type: "object" },
			rows: { items: { properties: { kind: { enum: ["a", "b"] }, deeper: { type: "object" } } } },
		},
	});
	t.same((outline["properties"] as Record<string, object>)["byName"], { type: "object" });
	const flat = toFlatOutput(outline);
	t.same((flat["properties"] as Record<string, object>)["meta"], { type: "object" });
	const anyRow = fc.record(
		{
			id: fc.string(),
			score: fc.float({ min: 0, max: 1, noNaN: true }),
			at: fc.option(fc.constant("2026-03-01T00:00:00Z")),
			kind: fc.constantFrom("a", "b"),
			tags: fc.array(fc.string()),
			deeper: fc.constant({ deepest: [{ x: 1 }] }),
		},
		{ requiredKeys: ["id", "score", "at", "kind", "deeper"] },
	);
	const anyWhole = fc.record(
		{
			ok: fc.constant(true),
			rows: fc.array(anyRow, { maxLength: 2 }),
			data: fc.option(anyRow),
			either: fc.oneof(fc.string(), fc.integer()),
			byName: fc.dictionary(fc.string(), anyRow, { maxKeys: 2 }),
			tuple: fc.constant(["a", 1]),
			meta: anyRow,
		},
		{ requiredKeys: ["ok", "rows", "data", "either", "byName", "tuple"] },
	);
	const [isTrue, isFlatTrue] = [ajv.compile(outline), ajv.compile(flat)];
	fc.assert(
		fc.property(anyWhole, (value) => {
			t.ok(whole.safeParse(value).success);
			return isTrue(value) && isFlatTrue(value);
		}),
		{ numRuns: 50 },
	);
	t.notOk(isTrue({ ok: true }), "and of less than everything");
});

t.test("an argument without a flat form stops the start, not a client", async (t) => {
	const input = z.strictObject({ filters: z.object({ a: z.string() }), id: z.string().nullable() });
	t.throws(() => toInputSchema(input, { filters: "Which" }), /"filters" has no flat schema/);
	t.throws(() => toInputSchema(input, { absent: "Which" }), /"absent" has no flat schema/);
	t.match(toInputSchema(input, { id: "Which" }).properties, { id: { type: "string" } });
});

t.test("a tool is understood by its older name, and listed by its name alone", async (t) => {
	const shop = await startMcp(t);
	const { result } = await shop.rpc("/mcp", "tools/list");
	const names = result.tools.map(({ name }: { name: string }) => name);
	t.ok(names.includes("search_graph"));
	t.notOk(names.includes("graph_search"));
	const args = { graph_id: "agent-payments", query: "Which HTTP status code asks for payment?" };
	const rowsOf = async (name: string) =>
		(await shop.callTool(name, args)).result.structuredContent.rows;
	t.same(await rowsOf("graph_search"), await rowsOf("search_graph"));
});
