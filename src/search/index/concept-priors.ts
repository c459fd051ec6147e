import { inTurns } from "../../kernel/kernel.js";
import type { Concept, Graph } from "../../knowledge/knowledge.js";

/** How much of a score the links may take away; chosen on a handful of questions over one collection of standards, no more. */
const LINK_SHARE = 0.2;
/** In a graph with hardly any links they mean little: so many are taken as the most there could be. */
const MIN_MOST_LINKED = 8;
const DEPRECATED_FACTOR = 0.9;
const FEW_LINKS = 16;
const CONCEPT_UNITS = 60;
const LINKS_UNITS = 300;

/** Documents of a segment; undefined for tombstones. */
type Documents = readonly (Concept | undefined)[];

interface GraphPriors {
	readonly priorOf: (concept: Concept) => number;
	readonly byDocuments: WeakMap<Documents, Float32Array>;
}

/** Graphs and what stands in their segments are immutable, and every change elsewhere asks about them again. */
const priorsByGraph = new WeakMap<Graph, GraphPriors>();

/**
 * One factor per document, at most 1, by which its fused score is multiplied: what other concepts of the graph build on goes
 * before what no one refers to, and what is current before what is deprecated, as long as they match alike.
 */
export function priorsOf(graph: Graph, documents: Documents): Float32Array {
	const priors = priorsOfGraph(graph, () => {
		const counts = new Map<string, number>();
		for (const concept of graph.concepts) countLinks(concept, counts);
		return counts;
	});
	const known = priors.byDocuments.get(documents);
	if (known) return known;
	const made = Float32Array.from(documents, (concept) => (concept ? priors.priorOf(concept) : 1));
	priors.byDocuments.set(documents, made);
	return made;
}

/** Makes the factors of all these segments of a graph in turns, so that `priorsOf` has them at hand. */
export async function preparePriors(graph: Graph, segments: readonly Documents[]): Promise<void> {
	const counts = new Map<string, number>();
	if (!priorsByGraph.has(graph)) {
		await inTurns(graph.concepts, LINKS_UNITS, (concept) => countLinks(concept, counts));
	}
	const { byDocuments, priorOf } = priorsOfGraph(graph, () => counts);
	for (const documents of segments) {
		if (byDocuments.has(documents)) continue;
		const made = new Float32Array(documents.length).fill(1);
		await inTurns(documents, CONCEPT_UNITS, (concept, document) => {
			if (concept) made[document] = priorOf(concept);
		});
		byDocuments.set(documents, made);
	}
}

function priorsOfGraph(graph: Graph, count: () => ReadonlyMap<string, number>): GraphPriors {
	const known = priorsByGraph.get(graph);
	if (known) return known;
	const linked = count();
	let most = MIN_MOST_LINKED;
	for (const links of linked.values()) most = Math.max(most, links);
	const priorOf = ({ id, status }: Concept) => {
		const share = Math.log1p(linked.get(id) ?? 0) / Math.log1p(most);
		const links = 1 - LINK_SHARE * (1 - share);
		return links * (status === "deprecated" ? DEPRECATED_FACTOR : 1);
	};
	const made = { priorOf, byDocuments: new WeakMap<Documents, Float32Array>() };
	priorsByGraph.set(graph, made);
	return made;
}

/** Counts the concept as one that links to each of its targets. */
function countLinks({ id, edges }: Concept, counts: Map<string, number>): void {
	for (const target of targetsOf(edges)) {
		if (target !== id) counts.set(target, (counts.get(target) ?? 0) + 1);
	}
}

/** Each once; a set for every concept takes most of the time. */
function targetsOf(edges: Concept["edges"]): Iterable<string> {
	const targets = edges.map(({ target }) => target);
	if (targets.length > FEW_LINKS) return new Set(targets);
	return targets.filter((target, at) => targets.indexOf(target) === at);
}
