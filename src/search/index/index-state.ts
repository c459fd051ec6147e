import { memoizeByObject, unavailable } from "../../kernel/kernel.js";
import type { Graph } from "../../knowledge/knowledge.js";
import type { SegmentVectors } from "../dense/row-planes.js";
import type { VectorRegion } from "../dense/vector-regions.js";
import type { LexicalIndex } from "../lexical/lexical-index.js";
import { isSameList } from "../same-list.js";
import { type ConceptFilter, type ConceptTest, keyOf, toConceptTest } from "./concept-filter.js";
import { priorsOf } from "./concept-priors.js";
import type { Part } from "./segment.js";

export interface GraphPart extends Pick<Part, "segment" | "concepts"> {
	/** Undefined while its vectors are being made. */
	readonly vectors: VectorRegion | undefined;
}

/** A graph as the index knows it: every concept of this version is in exactly one part. */
export interface GraphIndex {
	readonly graph: Graph;
	readonly parts: readonly GraphPart[];
}

interface IndexedPart extends GraphPart {
	/** The keyword side of its segment. */
	readonly index: LexicalIndex;
	/** Slot of its first document; document `d` has slot `base + d`. */
	readonly base: number;
	/** One factor per document for its fused score, at most 1. */
	readonly priors: Float32Array;
	/** Vectors of all parts of the graph, this one's included. */
	readonly graphVectors: readonly SegmentVectors[];
}

interface IndexedGraph {
	readonly graph: Graph;
	readonly parts: readonly IndexedPart[];
}

/** The whole index at one moment, in graph id order. Replaced as a whole: a search sees one state from start to end. */
export interface IndexState {
	readonly graphs: ReadonlyMap<string, IndexedGraph>;
	readonly concepts: number;
	/** What was searched last without a filter, by the first of its graphs: the same lists are asked for again and again. */
	readonly asked: WeakMap<
		Graph,
		{ readonly graphs: readonly Graph[]; readonly scopes: readonly SearchScope[] }
	>;
}

/** One part of a graph to search in, as the caller knows the graph and as the index does. */
export interface SearchScope extends IndexedPart {
	readonly graph: Graph;
	/** The version the part was indexed from. */
	readonly indexed: Graph;
	/** One byte per document, 0 for tombstones and what the filter leaves out; undefined when all take part. */
	readonly mask: Uint8Array | undefined;
	/** The filter, for concepts of the caller's version. */
	readonly passes: ConceptTest;
}

const MASKS_KEPT = 64;
/** What tombstones alone leave is asked for by every search and stays. */
const TOMBSTONES_ONLY = "";

export function createIndexState(graphs: readonly GraphIndex[]): IndexState {
	const sorted = [...graphs].sort((a, b) => (a.graph.record.id < b.graph.record.id ? -1 : 1));
	const byId = new Map<string, IndexedGraph>();
	let slots = 0;
	let concepts = 0;
	for (const { graph, parts } of sorted) {
		const graphVectors = parts.flatMap(({ segment }) => segment.vectors ?? []);
		const indexed = parts.map((part) => {
			const base = slots;
			slots += part.concepts.length;
			const priors = priorsOf(graph, part.concepts);
			return { ...part, index: part.segment.lexical, base, priors, graphVectors };
		});
		concepts += graph.concepts.length;
		byId.set(graph.record.id, { graph, parts: indexed });
	}
	return { graphs: byId, concepts, asked: new WeakMap() };
}

/**
 * The parts of a request's graphs, each graph once, in slot order; those in which nothing can pass the filter are left out.
 * Throws UNAVAILABLE for a graph the index has not seen yet.
 */
export function toScopes(
	state: IndexState,
	graphs: readonly Graph[],
	filter?: ConceptFilter,
): readonly SearchScope[] {
	const [first] = graphs;
	if (filter || !first) return makeScopes(state, graphs, filter);
	const known = state.asked.get(first);
	if (known && isSameList(known.graphs, graphs)) return known.scopes;
	const scopes = makeScopes(state, graphs);
	state.asked.set(first, { graphs: [...graphs], scopes });
	return scopes;
}

function makeScopes(
	state: IndexState,
	graphs: readonly Graph[],
	filter?: ConceptFilter,
): readonly SearchScope[] {
	const key = keyOf(filter) ?? TOMBSTONES_ONLY;
	const scopes = new Map<string, readonly SearchScope[]>();
	for (const graph of graphs) {
		const { id } = graph.record;
		const indexed = state.graphs.get(id);
		if (!indexed) {
			const message = `The graph "${id}" is not indexed yet; try again in a moment.`;
			throw unavailable(message);
		}
		const passesIndexed = toConceptTest(filter ?? {}, indexed.graph);
		const passes = toConceptTest(filter ?? {}, graph);
		if (!passesIndexed || !passes) continue;
		const toScope = (part: IndexedPart): SearchScope => {
			const mask = rememberMask(part.concepts, key, passesIndexed);
			return { ...part, graph, indexed: indexed.graph, mask, passes };
		};
		scopes.set(id, indexed.parts.map(toScope));
	}
	return [...scopes.values()].flat().sort((a, b) => a.base - b.base);
}

type Mask = Uint8Array | undefined;

/** Masks asked for lately by filter, of documents that stay the same objects until one of them changes. */
const masksByDocuments = memoizeByObject(
	(concepts: GraphPart["concepts"]) =>
		new Map<string, Mask>([[TOMBSTONES_ONLY, maskOf(concepts, () => true)]]),
);

function rememberMask(concepts: GraphPart["concepts"], key: string, passes: ConceptTest): Mask {
	const masks = masksByDocuments(concepts);
	if (masks.has(key)) return masks.get(key);
	const made = maskOf(concepts, passes);
	if (masks.size >= MASKS_KEPT) masks.delete([...masks.keys()][1] ?? key);
	masks.set(key, made);
	return made;
}

/** In shared memory, so that another thread can scan by it; undefined when every document takes part. */
function maskOf(concepts: GraphPart["concepts"], passes: ConceptTest): Mask {
	const mask = new Uint8Array(new SharedArrayBuffer(concepts.length));
	let count = 0;
	for (let document = 0; document < concepts.length; document++) {
		const concept = concepts[document];
		if (!concept || !passes(concept)) continue;
		mask[document] = 1;
		count++;
	}
	return count === concepts.length ? undefined : mask;
}
