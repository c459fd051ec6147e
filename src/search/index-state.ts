import { ServiceError } from "../core/errors.js";
import type { Graph } from "../knowledge/graph.js";
import { createDenseIndex, type DenseIndex } from "./dense-index.js";
import type { Segment } from "./segment.js";

/** One graph in the index: its segment and its range of the shared score arrays. */
interface IndexedGraph {
	readonly segment: Segment;
	/** Slot of its first concept; concept `c` has slot `base + c`. */
	readonly base: number;
	/** Position in the dense index; undefined while its vectors are being made. */
	readonly densePosition: number | undefined;
}

/** All segments at one moment, in graph id order. Replaced as a whole: a search sees one state from start to end. */
export interface IndexState {
	readonly graphs: ReadonlyMap<string, IndexedGraph>;
	readonly concepts: number;
	readonly dense: DenseIndex | undefined;
	/** Scratch of the search that runs right now; nothing awaits while it holds values. */
	readonly lexicalScores: Float32Array;
	readonly denseScores: Float32Array;
}

/** A graph to search in, as the caller knows it and as the index does. */
export interface SearchScope extends IndexedGraph {
	readonly graph: Graph;
}

export function createIndexState(segments: readonly Segment[]): IndexState {
	const sorted = [...segments].sort((a, b) => (a.graphId < b.graphId ? -1 : 1));
	const withVectors = sorted.flatMap(({ vectors }) => vectors ?? []);
	const graphs = new Map<string, IndexedGraph>();
	let concepts = 0;
	let position = 0;
	for (const segment of sorted) {
		const densePosition = segment.vectors ? position++ : undefined;
		graphs.set(segment.graphId, { segment, base: concepts, densePosition });
		concepts += segment.conceptIds.length;
	}
	const dimensions = withVectors[0]?.embedder.dimensions;
	return {
		graphs,
		concepts,
		dense: dimensions === undefined ? undefined : createDenseIndex(withVectors, dimensions),
		lexicalScores: new Float32Array(concepts),
		denseScores: new Float32Array(concepts),
	};
}

/** The graphs of a request, each once, in id order. Throws UNAVAILABLE for one the index has not seen yet. */
export function toScopes(state: IndexState, graphs: readonly Graph[]): readonly SearchScope[] {
	const scopes = new Map<string, SearchScope>();
	for (const graph of graphs) {
		const indexed = state.graphs.get(graph.record.id);
		if (!indexed) {
			throw new ServiceError(
				"UNAVAILABLE",
				`The graph "${graph.record.id}" is not indexed yet; try again in a moment.`,
			);
		}
		scopes.set(graph.record.id, { ...indexed, graph });
	}
	return [...scopes.values()].sort((a, b) => a.base - b.base);
}
