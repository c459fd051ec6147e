import t from "tap";
import type { ListedTool } from "../../src/mcp/tool.js";
import { complaintsOf, inputComplaintsOf } from "./flat-schema.js";
import { startMcp } from "./start-mcp.js";

/** Spec: Limits, "Copilot MCP profile". */
const COPILOT = [
	"brand_intelligence",
	"consult_analyst",
	"consult_expert",
	"dossier",
	"find_paths",
	"get_context",
	"get_deep_dive",
	"get_node",
	"get_trend",
	"match_experts",
	"neighbors",
	"route_query",
	"search",
	"search_graph",
	"start_deep_dive",
	"supplemental_context",
	"verify_claim",
];

/** What that client, or one as strict, drops or cuts a tool for. */
const FORBIDDEN: readonly Readonly<Record<string, unknown>>[] = [
	{ $ref: "#/$defs/a" },
	{ $defs: { a: { type: "string" } } },
	{ definitions: { a: { type: "string" } } },
	{ $id: "a" },
	{ type: ["string", "null"] },
	{ type: ["string"] },
	{ type: "null" },
	{ anyOf: [{ type: "string" }, { type: "integer" }] },
	{ oneOf: [{ type: "string" }] },
	{ allOf: [{ type: "string" }] },
	{ not: { type: "string" } },
	{ if: {}, else: {} },
	{ exclusiveMinimum: 0 },
	{ exclusiveMaximum: 9 },
	{ const: "x" },
	{ nullable: true },
	{ patternProperties: { "^a": { type: "string" } } },
	{ propertyNames: { type: "string" } },
	{ prefixItems: [{ type: "string" }] },
	{ type: "object", properties: { deeper: { type: "string" } } },
	{ type: "array", items: { type: "array", items: { type: "string" } } },
	{ type: "array", items: { type: "object", properties: {} } },
	{ type: "array", items: [{ type: "string" }] },
	{ enum: [1, null] },
	{ default: { a: 1 } },
];

t.test("the curated profile", async (t) => {
	const shop = await startMcp(t);
	const list = async (path: string): Promise<ListedTool[]> =>
		(await shop.rpc(path, "tools/list")).result.tools;
	const tools = await list("/copilot");

	await t.test("has exactly its seventeen tools", async (t) => {
		t.same(tools.map(({ name }) => name).sort(), COPILOT);
		const refused = await shop.callTool("find_similar", {}, "/copilot");
		t.match(refused.message.error, { code: -32602, message: /No tool is called "find_similar"/ });
		t.equal((await shop.rpc("/copilot", "tools/list")).result.nextCursor, undefined);
	});

	await t.test("has schemas its client takes, whether or not a graph was chosen", async (t) => {
		for (const tool of [...tools, ...(await list("/copilot?graph=agent-payments"))]) {
			t.same(complaintsOf(tool), [], tool.name);
		}
	});

	await t.test("would notice a forbidden construct at any place of any schema", async (t) => {
		const places = tools.flatMap(placesOf);
		t.ok(places.length > 100);
		// Of a whole schema, which requires no field, fields of its own are nothing forbidden.
		const isWhole = ({ path }: Place, construct: object) =>
			path.length === 1 && "properties" in construct;
		const unnoticed = places.flatMap((place) =>
			FORBIDDEN.filter((construct) => !isWhole(place, construct))
				.filter((construct) => {
					const { tool, path } = place;
					const mutated = structuredClone(tool);
					Object.assign(at(mutated, path), construct);
					return complaintsOf(mutated).length === 0;
				})
				.map((construct) => [place.tool.name, ...place.path, JSON.stringify(construct)]),
		);
		t.same(unnoticed, []);
		const [tool] = tools as [ListedTool];
		for (const key of ["name", "title", "description"]) {
			t.not(complaintsOf({ ...tool, [key]: "x".repeat(1_025) }).length, 0, key);
		}
	});

	await t.test("is no stricter for arguments than every other address", async (t) => {
		for (const tool of [...(await list("/mcp")), ...(await list("/mcp?graph=agent-payments"))]) {
			t.same(inputComplaintsOf(tool.inputSchema), [], tool.name);
		}
	});
});

interface Place {
	readonly tool: ListedTool;
	readonly path: readonly string[];
}

/** Every schema in a tool: the whole input or output, each of its fields, and what a list holds. */
function placesOf(tool: ListedTool): Place[] {
	return (["inputSchema", "outputSchema"] as const).flatMap((key) => {
		const schema = tool[key];
		if (schema === undefined) return [];
		const fields = Object.entries(schema["properties"] as Record<string, object>);
		return [
			{ tool, path: [key] },
			...fields.flatMap(([name, field]) => [
				{ tool, path: [key, "properties", name] },
				...("items" in field ? [{ tool, path: [key, "properties", name, "items"] }] : []),
			]),
		];
	});
}

function at(tool: ListedTool, path: readonly string[]): object {
	return path.reduce(
		(value, key) => (value as Record<string, object>)[key] as object,
		tool as object,
	);
}
