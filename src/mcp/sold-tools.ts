import { type PaidOperation, SKILL_IDS } from "../contract/contract.js";
import { OPERATIONS } from "../service/service.js";
import { createSoldTool, type SellDeps, type SoldToolTerms } from "./sold-tool.js";
import { BEGINS, type Tool } from "./tool.js";

const QUESTION = "Question in plain language";
const GRAPH = "Graph id; list_graphs and route_query name them";
const LIMIT = "Rows wanted; 5 if left out";
const AS_OF = "As of this day, YYYY-MM-DD; today if left out";
const NODE = "Node id: what follows the colon in a row's trend_id";
const EDGE_TYPES = "Only these kinds of edge";
const DIRECTION = "Which way edges are followed";

/** Few rows: a model reads every one of them. */
const FEW = { limit: 5 } as const;
const search = { query: QUESTION, limit: LIMIT } as const;

/** What is sold, one tool for each skill an agent would choose. */
const TERMS: readonly SoldToolTerms[] = [
	{
		name: "search",
		operationId: "search.all",
		title: "Search all graphs",
		description: "Ranked, cited rows from every graph for a question.",
		fields: search,
		defaults: FEW,
	},
	{
		name: "search_graph",
		operationId: "graphs.search",
		title: "Search one graph",
		description: "Ranked, cited rows from one graph, with the decision whether they answer.",
		fields: { graph_id: GRAPH, ...search },
		defaults: FEW,
	},
	{
		name: "search_domain",
		operationId: "search.domain",
		title: "Search domain trends",
		description: "Rows from the graphs of trends and their evidence.",
		fields: search,
		defaults: FEW,
	},
	{
		name: "search_reports",
		operationId: "search.report",
		title: "Search reports",
		description: "Rows from the graphs of industry and corporate reports.",
		fields: search,
		defaults: FEW,
	},
	{
		name: "search_experts",
		operationId: "search.expert",
		title: "Search experts' notes",
		description: "Rows from what the experts have written.",
		fields: search,
		defaults: FEW,
	},
	{
		name: "search_analysts",
		operationId: "search.analyst",
		title: "Search analysts' notes",
		description: "Rows from what the analysts have written.",
		fields: search,
		defaults: FEW,
	},
	{
		name: "get_context",
		operationId: "graphs.context",
		title: "Context for a question, within a token budget",
		description:
			"The passages of one graph that bear on a question, cited, cut to a budget of tokens.",
		fields: { graph_id: GRAPH, query: QUESTION, max_tokens: "Budget in tokens; 2000 if left out" },
	},
	{
		name: "get_node",
		operationId: "graphs.node",
		title: "Read one node",
		description: "One concept with its text, evidence and edges.",
		fields: { graph_id: GRAPH, node_id: NODE },
	},
	{
		name: "neighbors",
		operationId: "graphs.neighbors",
		title: "Neighbors of a node",
		description: "Nodes that are linked with one, up to some steps away.",
		fields: {
			graph_id: GRAPH,
			node_id: NODE,
			edge_types: EDGE_TYPES,
			direction: DIRECTION,
			as_of: AS_OF,
			depth: "Steps away; 1 if left out",
			limit: "Neighbors wanted; 10 if left out",
		},
	},
	{
		name: "find_paths",
		operationId: "graphs.paths",
		title: "Paths between two nodes",
		description: "How two concepts of a graph are connected, shortest first.",
		fields: {
			graph_id: GRAPH,
			from: "Node id to begin at",
			to: "Node id to arrive at",
			edge_types: EDGE_TYPES,
			direction: DIRECTION,
			as_of: AS_OF,
			max_steps: "Edges of one path at most",
			limit: "Paths wanted; 3 if left out",
		},
	},
	{
		name: "find_similar",
		operationId: "graphs.similar",
		title: "Nodes like a text or a node",
		description: "Concepts of a graph that resemble a text, or another node.",
		fields: {
			graph_id: GRAPH,
			text: "Text to resemble",
			node_id: "Node id, instead of text",
			limit: LIMIT,
		},
		defaults: FEW,
	},
	{
		name: "resolve_entities",
		operationId: "entities.resolve",
		title: "Resolve names",
		description: "Which entities of the graphs are meant by names, with aliases and near matches.",
		fields: {
			names: "Titles, other names or identifiers",
			graph_id: "Only this graph",
			limit: "Candidates for each name; 5 if left out",
		},
	},
	{
		name: "research_chat",
		operationId: "research.chat",
		title: "Research in turns",
		description:
			"The next turn of a research conversation, cited; sessionId is yours to choose and to keep.",
		fields: { sessionId: "Id of the conversation", message: "What to ask next" },
		hints: BEGINS,
	},
];

/** What an operation says of itself as a tool. */
function toTerms({ id: operationId, agent }: PaidOperation): SoldToolTerms[] {
	if (!agent?.tool) return [];
	const { begins, ...tool } = agent.tool;
	return [{ name: agent.name, operationId, ...tool, ...(begins && { hints: BEGINS }) }];
}

const ORDER: readonly string[] = SKILL_IDS;

export const createSoldTools = (deps: SellDeps): readonly Tool[] => {
	const defined = OPERATIONS.flatMap((operation) =>
		operation.kind === "paid" ? toTerms(operation) : [],
	);
	const terms = [
		...defined,
		...TERMS.filter(({ name }) => defined.every((known) => known.name !== name)),
	];
	return terms
		.sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name))
		.map((one) => createSoldTool(deps, one));
};
