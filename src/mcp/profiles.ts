import { createConnectorTools } from "./connector-tools.js";
import { createLookupTools } from "./lookup-tools.js";
import type { SellDeps } from "./sold-tool.js";
import { createSoldTools } from "./sold-tools.js";
import type { ListedTool, Tool } from "./tool.js";
import { toFlatOutput } from "./tool-schema.js";

/** The tools of one address. */
export interface Profile {
	readonly tools: ReadonlyMap<string, Tool>;
	/** As clients see them; made once. */
	readonly listed: readonly ListedTool[];
	/** The same where the address has chosen a graph already. */
	readonly listedForGraph: readonly ListedTool[];
}

export interface Profiles {
	/** Everything an agent would choose: `/mcp` and `/c/<token>`. */
	readonly whole: Profile;
	/** `search` and `fetch` in a connector's shapes, and whatever only reads beside them. */
	readonly chatgpt: Profile;
	/** Exactly the tools of the curated profile. */
	readonly copilot: Profile;
}

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

export function createProfiles(deps: SellDeps): Profiles {
	const all = [...createSoldTools(deps), ...createLookupTools(deps)];
	const connector = createConnectorTools(deps);
	const names = new Set(connector.map(({ listed }) => listed.name));
	const readers = all.filter(
		({ listed }) => listed.annotations.readOnlyHint && !names.has(listed.name),
	);
	const byName = new Map(all.map((tool) => [tool.listed.name, tool]));
	return {
		whole: createProfile(all),
		chatgpt: createProfile([...connector, ...readers]),
		copilot: createProfile(COPILOT_TOOLS.flatMap((name) => byName.get(name) ?? []).map(toFlat)),
	};
}

export function createProfile(tools: readonly Tool[]): Profile {
	const listed = tools.map((tool) => tool.listed);
	return {
		tools: new Map(tools.map((tool) => [tool.listed.name, tool])),
		listed,
		listedForGraph: listed.map(withChosenGraph),
	};
}

/** The client of that address drops tools whose schemas have objects within objects. */
function toFlat({ listed, answer }: Tool): Tool {
	const { outputSchema, ...others } = listed;
	return {
		listed: { ...others, ...(outputSchema && { outputSchema: toFlatOutput(outputSchema) }) },
		answer,
	};
}

function withChosenGraph(tool: ListedTool): ListedTool {
	const { required = [], ...schema } = tool.inputSchema;
	const needed = required.filter((name) => name !== "graph_id");
	return { ...tool, inputSchema: { ...schema, ...(needed.length > 0 && { required: needed }) } };
}
