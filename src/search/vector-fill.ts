import type { Graph } from "../knowledge/graph.js";
import type { Embedder } from "./embedder.js";
import { embedGraph } from "./index-builder.js";
import type { ReindexProgress } from "./search.js";
import type { SegmentVectors } from "./segment.js";

export interface VectorFill {
	readonly embedder: Embedder;
	/** Graphs that have no vectors yet. */
	readonly graphs: readonly Graph[];
	/** Asked between batches; when false, what is not finished is dropped. */
	readonly goesOn: () => boolean;
	/** Counts concepts of all these graphs. */
	readonly onProgress: (progress: ReindexProgress) => void;
	/** Called after each graph. */
	readonly onVectors: (graph: Graph, vectors: SegmentVectors) => void;
}

/** Makes the vectors of one graph after the other. Rejects with the embedder's error as soon as it fails. */
export async function fillVectors(fill: VectorFill): Promise<void> {
	const total = fill.graphs.reduce((sum, graph) => sum + graph.concepts.length, 0);
	let before = 0;
	for (const graph of fill.graphs) {
		let done = before;
		const vectors = await embedGraph(graph, {
			embedder: fill.embedder,
			goesOn: fill.goesOn,
			onConcepts(count) {
				done += count;
				fill.onProgress({ done, total });
			},
		});
		if (!vectors) return;
		before += graph.concepts.length;
		fill.onVectors(graph, vectors);
	}
}
