import { answer, type Skill } from "../../src/contract/contract.js";
import type { Concept, Graph } from "../../src/knowledge/knowledge.js";
import { toConceptTest } from "../../src/search/search.js";
import { toConceptFilter, toEvidence } from "../search/search.js";
import {
	answerIf,
	defineGraphSkill,
	type GraphSkillDeps,
	metaOf,
	toEdge,
	toNodeItem,
} from "./graph-skill.js";
import {
	edgeListInput,
	edgeListOutput,
	nodeInput,
	nodeListInput,
	nodeListOutput,
	nodeOutput,
} from "./graph-wire.js";
import { toPage } from "./list-page.js";
import { keyOfEdge, listEdges, listNodes, nodeIndexes } from "./reading/graph-lists.js";
import { getConcept, mapOf, placeOf } from "./reading/graph-map.js";
import { createWalk } from "./reading/walk.js";

/** Nodes by type, tag, trust, date of sources and beginning of the name. */
export const createNodeList = (deps: GraphSkillDeps): Skill<"graphs.nodes.list"> =>
	defineGraphSkill(deps, {
		operationId: "graphs.nodes.list",
		title: "List nodes of a graph",
		description:
			"Nodes of one graph in the order of their ids, filtered by type, tag, trust, dates of their sources and the beginning of a name. Not charged when there is none.",
		tags: ["graph", "nodes"],
		examples: ["Which standards does this graph hold?"],
		input: nodeListInput,
		output: nodeListOutput,
		index: nodeIndexes,
		example: () => ({ limit: 5 }),
		check: (_, input) => void toPage("nodes", input, 1),
		read: (graph, input) => {
			const { prefix, limit, type: types, tags } = input;
			const { published_after: publishedAfter, published_before: publishedBefore } = input;
			const page = toPage("nodes", input, 1);
			const isWanted = toConceptTest(toConceptFilter(input) ?? {}, graph) ?? (() => false);
			const [after] = page.after ?? [];
			const published = { publishedAfter, publishedBefore };
			const query = { isWanted, types, tags, ...published, prefix, after, limit };
			const found = listNodes(graph, query);
			const last = found.items.at(-1);
			return answerIf(found.items.length > 0, {
				ok: true,
				data: { items: found.items.map((concept) => toNodeItem(graph, concept)) },
				meta: { ...metaOf(graph), next_cursor: page.next(found.hasMore, last && [last.id]) },
			});
		},
	});

/** One node with its text, sources and provenance. */
export const createNode = (deps: GraphSkillDeps): Skill<"graphs.node"> =>
	defineGraphSkill(deps, {
		operationId: "graphs.node",
		title: "Read one node",
		description:
			"One node of a graph in full: text, sources, who wrote and verified it and when, and how many edges of each type it has.",
		tags: ["graph", "node", "provenance"],
		examples: ["What does the graph say about EIP-3009, and who verified it?"],
		input: nodeInput,
		output: nodeOutput,
		example: ([node_id]) => ({ node_id }),
		check: (graph, { node_id }) => void placeOf(graph, node_id),
		toText: ({ data }) => `${data.title}\n\n${data.summary}`,
		read: (graph, { node_id }) =>
			answer({ ok: true, data: toNode(graph, getConcept(graph, node_id)), meta: metaOf(graph) }),
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

/** Edges by type, end and day. */
export const createEdgeList = (deps: GraphSkillDeps): Skill<"graphs.edges"> =>
	defineGraphSkill(deps, {
		operationId: "graphs.edges",
		title: "List edges of a graph",
		description:
			"Edges of one graph by source, type and target, filtered by type, by either end and by the day on which they held. Not charged when there is none.",
		tags: ["graph", "edges"],
		examples: ["What builds on EIP-712?"],
		input: edgeListInput,
		output: edgeListOutput,
		example: () => ({ limit: 5 }),
		check: (graph, input) => {
			for (const end of [input.source, input.target]) if (end !== undefined) placeOf(graph, end);
			toPage("edges", input, 3);
		},
		read: (graph, input) => {
			const { edge_types: types, source, target, as_of: asOf, limit } = input;
			const page = toPage("edges", input, 3);
			const found = listEdges(graph, { types, source, target, asOf, limit, after: page.after });
			const last = found.items.at(-1);
			return answerIf(found.items.length > 0, {
				ok: true,
				data: { items: found.items.map(toEdge) },
				meta: { ...metaOf(graph), next_cursor: page.next(found.hasMore, last && keyOfEdge(last)) },
			});
		},
	});
