import { AGENT_ROWS } from "../contract/contract.js";
import { createConnectorTools } from "./connector-tools.js";
import { createLookupTools } from "./lookup-tools.js";
import { createSoldTools } from "./sold-tool.js";
import type { ListedTool, Tool, ToolDeps } from "./tool.js";
import { toFlatOutput } from "./tool-schema.js";

/** The tools of one address. */
export interface Profile {
	readonly all: ToolSet;
	/** Where the address has chosen a graph already. */
	readonly forGraph: ToolSet;
}

interface ToolSet {
	/** By name; older names are understood, and not listed. */
	readonly tools: ReadonlyMap<string, Tool>;
	/** As clients see them; memoized. */
	readonly listed: readonly ListedTool[];
}

export type Profiles = ReturnType<typeof createProfiles>;

/** Spec: Limits, "Copilot MCP profile". */
const COPILOT_TOOLS = [
	"search",
	"search_graph",
	"route_query",
	"get_context",
	"get_node",
	"neighbors",
	"find_paths",
	"get_trend",
	"verify_claim",
	"consult_expert",
	"match_experts",
	"consult_analyst",
	"brand_intelligence",
	"dossier",
	"supplemental_context",
	"start_deep_dive",
	"get_deep_dive",
] as const;

export function createProfiles(deps: ToolDeps) {
	const all = withSearchOfGraph([...createSoldTools(deps), ...createLookupTools(deps)]);
	const connector = createConnectorTools(deps);
	const names = new Set(connector.map(({ listed }) => listed.name));
	const readers = all.filter(
		({ listed }) => listed.annotations.readOnlyHint && !names.has(listed.name),
	);
	const byName = new Map(all.map((tool) => [tool.listed.name, tool]));
	return {
		/** Everything an agent would choose: `/mcp` and `/c/<token>`. */
		whole: createProfile(all),
		/** `search` and `fetch` in a connector's shapes, and whatever only reads beside them. */
		chatgpt: createProfile([...connector, ...readers]),
		/** Exactly the tools of the curated profile. */
		copilot: createProfile(COPILOT_TOOLS.flatMap((name) => byName.get(name) ?? []).map(toFlat)),
	};
}

export function createProfile(tools: readonly Tool[]): Profile {
	return {
		all: createToolSet(tools),
		forGraph: createToolSet(tools.map((tool) => withChosenGraph(tool.forGraph ?? tool))),
	};
}

function createToolSet(tools: readonly Tool[]): ToolSet {
	const byName = new Map(tools.map((tool) => [tool.listed.name, tool]));
	for (const [name, , aliases] of AGENT_ROWS) {
		const tool = byName.get(name);
		for (const alias of aliases) {
			if (!tool || byName.has(alias)) continue;
			// What is paid for under an older name is what is sold under the current one.
			byName.set(alias, { ...tool, answer: (call) => tool.answer({ ...call, name }) });
		}
	}
	return { tools: byName, listed: tools.map((tool) => tool.listed) };
}

/** Where a graph was chosen, anyone who just searches means that graph. */
function withSearchOfGraph(tools: readonly Tool[]): readonly Tool[] {
	const ofGraph = tools.find(({ listed }) => listed.name === "search_graph");
	return tools.map((tool) => {
		const { name } = tool.listed;
		if (name !== "search" || !ofGraph) return tool;
		return { ...tool, forGraph: { ...ofGraph, listed: { ...ofGraph.listed, name } } };
	});
}

/** The client of that address drops tools whose schemas have objects within objects. */
function toFlat({ listed, answer, forGraph }: Tool): Tool {
	const { outputSchema, ...others } = listed;
	return {
		listed: { ...others, ...(outputSchema && { outputSchema: toFlatOutput(outputSchema) }) },
		answer,
		...(forGraph && { forGraph: toFlat(forGraph) }),
	};
}

function withChosenGraph(tool: Tool): Tool {
	const { required = [], ...schema } = tool.listed.inputSchema;
	const needed = required.filter((name) => name !== "graph_id");
	const inputSchema = { ...schema, ...(needed.length > 0 && { required: needed }) };
	return { ...tool, listed: { ...tool.listed, inputSchema } };
}
