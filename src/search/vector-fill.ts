import type { Clock } from "../core/clock.js";
import type { Graph } from "../knowledge/graph.js";
import type { Embedder } from "./embedder.js";
import { embedGraph } from "./index-builder.js";
import type { ReindexProgress } from "./search.js";
import type { SegmentVectors } from "./segment.js";

export interface VectorFill {
	readonly clock: Clock;
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

const ATTEMPTS = 3;
const FIRST_DELAY_MS = 800;

/** Makes the vectors of one graph after the other. Rejects with the embedder's error when it fails again and again. */
export async function fillVectors(fill: VectorFill): Promise<void> {
	const total = fill.graphs.reduce((sum, graph) => sum + graph.concepts.length, 0);
	let before = 0;
	for (const graph of fill.graphs) {
		const vectors = await withRetry(fill, () => {
			let done = before;
			return embedGraph(graph, {
				embedder: fill.embedder,
				goesOn: fill.goesOn,
				onConcepts(count) {
					done += count;
					fill.onProgress({ done, total });
				},
			});
		});
		if (!vectors) return;
		before += graph.concepts.length;
		fill.onVectors(graph, vectors);
	}
}

/** A model that crashed rests for a moment and comes back. */
async function withRetry<T>(
	{ clock, goesOn }: VectorFill,
	work: () => Promise<T>,
): Promise<T | undefined> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await work();
		} catch (error) {
			if (!goesOn()) return undefined;
			if (attempt === ATTEMPTS) throw error;
			await new Promise<void>((resolve) => {
				clock.after(FIRST_DELAY_MS * attempt, resolve);
			});
		}
	}
}
