import type { Clock } from "../../kernel/kernel.js";
import type { DenseHits, DenseSide } from "./dense-side.js";
import type { DenseThread } from "./dense-thread.js";
import { createQueryCache, normalizeQuery } from "./query-cache.js";
import { withPatience } from "./query-patience.js";
import type { WatchedEmbedder } from "./watched-embedder.js";

export interface WorkerDenseSideOptions {
	readonly clock: Clock;
	/** Told whether the thread works. */
	readonly embedder: WatchedEmbedder;
	readonly thread: DenseThread;
}

/** The dense side beside the model, in its thread: this one neither embeds nor scans (docs/adr/0023). */
export function createWorkerDenseSide(options: WorkerDenseSideOptions): DenseSide {
	const { clock, embedder, thread } = options;
	const { regions } = thread;
	const vectors = createQueryCache<Float32Array>();

	return {
		add: regions.add,
		release: regions.release,
		cosineOf: regions.closest,
		async search({ query, scopes, count, signal }): Promise<DenseHits | undefined> {
			const text = normalizeQuery(query);
			const vector = vectors.find(text);
			let isLate = false;
			const isWanted = () => !isLate && signal?.aborted !== true;
			const asked = embedder.watch(() => thread.search({ text, vector, scopes, count, isWanted }));
			const hits = await withPatience(clock, asked, () => {
				isLate = true;
			});
			if (hits && !vector) vectors.keep(text, hits.vector);
			return hits;
		},
	};
}
