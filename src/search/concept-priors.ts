import type { Concept, Graph } from "../knowledge/graph.js";

/** How much of a score the links may take away; chosen on a handful of questions over one collection of standards, no more. */
const LINK_SHARE = 0.2;
/** In a graph with hardly any links they mean little: so many are taken as the most there could be. */
const MIN_MOST_LINKED = 8;
const DEPRECATED_FACTOR = 0.9;

/**
 * One factor per concept, at most 1, by which its fused score is multiplied: what other concepts of the graph build on goes
 * before what nobody refers to, and what is current before what is deprecated, as long as they match alike.
 */
export function priorsOf(graph: Graph): (concept: Concept) => number {
	const linked = linkCountsOf(graph);
	let most = MIN_MOST_LINKED;
	for (const count of linked.values()) most = Math.max(most, count);
	return ({ id, status }) => {
		const share = Math.log1p(linked.get(id) ?? 0) / Math.log1p(most);
		const links = 1 - LINK_SHARE * (1 - share);
		return links * (status === "deprecated" ? DEPRECATED_FACTOR : 1);
	};
}

/** Graphs are immutable, and every change elsewhere in the catalog asks about them again. */
const countsByGraph = new WeakMap<Graph, ReadonlyMap<string, number>>();

function linkCountsOf(graph: Graph): ReadonlyMap<string, number> {
	const known = countsByGraph.get(graph);
	if (known) return known;
	const counts = linkCounts(graph);
	countsByGraph.set(graph, counts);
	return counts;
}

/** How many other concepts link to each concept. */
function linkCounts(graph: Graph): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const { id, edges } of graph.concepts) {
		for (const target of new Set(edges.map((edge) => edge.target))) {
			if (target !== id) counts.set(target, (counts.get(target) ?? 0) + 1);
		}
	}
	return counts;
}
