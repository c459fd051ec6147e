import { toReply } from "../../src/contract/contract.js";
import type { Concept, Graph } from "../../src/knowledge/knowledge.js";
import { toConceptTest } from "../../src/search/search.js";
import { toConceptFilter, toEvidence } from "../search/search.js";
import {
	answerOn,
	GRAPH_PARAMS,
	NODE_PARAMS,
	nodeParams,
	readingOperation,
	toEdge,
	toNodeItem,
	toPage,
} from "./graph-reading.js";
import {
	edgeListInput,
	edgeListOutput,
	edgeListQuery,
	nodeInput,
	nodeListInput,
	nodeListOutput,
	nodeListQuery,
	nodeOutput,
} from "./graph-wire.js";
import { keyOfEdge, listEdges, listNodes, nodeIndexes } from "./reading/graph-lists.js";
import { getConcept, mapOf, placeOf } from "./reading/graph-map.js";
import { createWalk } from "./reading/walk.js";

/** Nodes by type, tag, trust, date of sources and beginning of the name. Additive to the contract. */
export const graphNodeList = readingOperation({
	id: "graphs.nodes.list",
	at: "GET /v1/graphs/{graph_id}/nodes",
	summary: "List nodes of a graph",
	description: "Nodes in the order of their ids, page by page, by type, tag, trust, date and name.",
	query: nodeListQuery,
	reply: toReply("GraphNodeListReply", nodeListOutput),
	about:
		"Nodes of one graph in the order of their ids, filtered by type, tag, trust, dates of their sources and the beginning of a name. Not charged when there is none.",
	tags: ["graph", "nodes"],
	examples: ["Which standards does this graph hold?"],
	input: nodeListInput,
	output: nodeListOutput,
	index: nodeIndexes,
	exampleInput: () => ({ limit: 5 }),
	check: (_, input) => void toPage("nodes", input, 1),
	create: () => (graph, input) => {
		const page = toPage("nodes", input, 1);
		const isWanted = toConceptTest(toConceptFilter(input) ?? {}, graph) ?? (() => false);
		const [after] = page.after ?? [];
		const { items, hasMore } = listNodes(graph, { ...input, isWanted, after });
		const last = items.at(-1);
		const next_cursor = page.next(hasMore, last && [last.id]);
		const data = { items: items.map((concept) => toNodeItem(graph, concept)) };
		return answerOn(graph, items.length > 0, data, { next_cursor });
	},
	example: { params: GRAPH_PARAMS, query: { type: "Standard", limit: "5" } },
});

/** One node with its text, sources and provenance. Additive to the contract. */
export const graphNode = readingOperation({
	id: "graphs.node",
	at: "GET /v1/graphs/{graph_id}/nodes/{node_id}",
	agent: {
		name: "get_node",
		tool: {
			title: "Read one node",
			description: "One concept with its text, evidence and edges.",
			fields: {
				graph_id: "Graph id; list_graphs and route_query name them",
				node_id: "Node id: what follows the colon in a row's trend_id",
			},
		},
	},
	summary: "Read one node",
	description: "One node in full: its text, its sources, who wrote and verified it, its edges.",
	params: nodeParams,
	reply: toReply("GraphNodeReply", nodeOutput),
	about:
		"One node of a graph in full: text, sources, who wrote and verified it and when, and how many edges of each type it has.",
	tags: ["graph", "node", "provenance"],
	examples: ["What does the graph say about EIP-3009, and who verified it?"],
	input: nodeInput,
	output: nodeOutput,
	exampleInput: ([node_id]) => ({ node_id }),
	check: (graph, { node_id }) => void placeOf(graph, node_id),
	toText: ({ data }) => `${data.title}\n\n${data.summary}`,
	create:
		() =>
		(graph, { node_id }) =>
			answerOn(graph, true, toNode(graph, getConcept(graph, node_id))),
	example: { params: NODE_PARAMS },
});

export function toNode(graph: Graph, concept: Concept) {
	return {
		...toNodeItem(graph, concept),
		body: concept.body,
		evidence: concept.evidence.map(toEvidence),
		provenance: {
			generated_by: concept.generatedBy ?? null,
			generated_at: concept.generatedAt ?? null,
			verified: concept.verified?.map(({ by, at }) => ({ by, at: at ?? null })) ?? [],
			stale_after: concept.staleAfter ?? null,
			content_hash: graph.contentHash,
		},
		edges: countEdges(graph, concept),
	};
}

function countEdges(graph: Graph, { id }: Concept) {
	const map = mapOf(graph);
	const counts = new Map<string, { type: string; direction: "out" | "in"; count: number }>();
	createWalk(map, {}, Number.POSITIVE_INFINITY).follow(placeOf(graph, id), (edge, _, direction) => {
		const type = map.edges[edge]?.type ?? "";
		const key = `${direction} ${type}`;
		const known = counts.get(key) ?? { type, direction, count: 0 };
		counts.set(key, { ...known, count: known.count + 1 });
	});
	return [...counts.values()].sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
}

/** Edges by type, end and day. Additive to the contract. */
export const graphEdgeList = readingOperation({
	id: "graphs.edges",
	at: "GET /v1/graphs/{graph_id}/edges",
	summary: "List edges of a graph",
	description: "Edges by source, type and target, page by page, by type, end and day.",
	query: edgeListQuery,
	reply: toReply("GraphEdgeListReply", edgeListOutput),
	about:
		"Edges of one graph by source, type and target, filtered by type, by either end and by the day on which they held. Not charged when there is none.",
	tags: ["graph", "edges"],
	examples: ["What requires EIP-712?"],
	input: edgeListInput,
	output: edgeListOutput,
	exampleInput: () => ({ limit: 5 }),
	check: (graph, input) => {
		for (const end of [input.source, input.target]) if (end !== undefined) placeOf(graph, end);
		toPage("edges", input, 3);
	},
	create: () => (graph, input) => {
		const page = toPage("edges", input, 3);
		const { items, hasMore } = listEdges(graph, { ...input, after: page.after });
		const last = items.at(-1);
		const next_cursor = page.next(hasMore, last && keyOfEdge(last));
		return answerOn(graph, items.length > 0, { items: items.map(toEdge) }, { next_cursor });
	},
	example: { params: GRAPH_PARAMS, query: { edge_types: "requires", limit: "5" } },
});
