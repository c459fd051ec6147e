import { createBatchLane } from "./batch-queue.js";
import type { DenseHits } from "./dense-side.js";
import type { BatchReply, BatchTask } from "./query-batch.mjs";
import type { ScopeLists } from "./scope-lists.js";
import type { DenseScope, VectorRegions } from "./vector-regions.js";
import type { ScanScope } from "./vector-scan.mjs";
import type { WorkerHost } from "./worker-host.js";

/** One query for a thread that both embeds and compares. */
export interface ThreadQuery {
	/** What the model is to read. */
	readonly text: string;
	/** Its vector when that is known already: the model is left out. */
	readonly vector: Float32Array | undefined;
	readonly scopes: readonly DenseScope[];
	readonly count: number;
	/** Asked when its turn comes. */
	readonly isWanted: () => boolean;
}

/** A model's thread that compares query vectors with the passages of regions, too. */
export interface DenseThread {
	readonly regions: VectorRegions;
	/** Undefined when the query was no longer wanted. Rejects with UNAVAILABLE as the model does. */
	search(query: ThreadQuery): Promise<DenseHits | undefined>;
}

export interface DenseThreadOptions {
	readonly host: WorkerHost;
	readonly regions: VectorRegions;
	/** Cleared whenever the thread starts. */
	readonly lists: ScopeLists;
	readonly dimensions: number;
	/** The text as the model is to read it. */
	readonly prepare: (text: string) => string;
}

const MAX_BATCH_QUERIES = 16;
const MAX_WAITING_QUERIES = 1_024;

export function createDenseThread(options: DenseThreadOptions): DenseThread {
	const { host, regions, dimensions } = options;
	const lane = createBatchLane<ThreadQuery, DenseHits>({
		async send(queries) {
			host.start(); // First, because a fresh thread knows no lists.
			const task = toTask(queries, options);
			return toHits(queries, await host.request<BatchReply>(task), dimensions);
		},
		maxBatchItems: MAX_BATCH_QUERIES,
		maxWaitingItems: MAX_WAITING_QUERIES,
		isWanted: ({ isWanted }) => isWanted(),
	});
	return {
		regions,
		async search(query) {
			const letGo = regions.hold(query.scopes);
			try {
				return await lane.send(query);
			} finally {
				letGo();
			}
		},
	};
}

function toTask(
	queries: readonly ThreadQuery[],
	{ regions, lists, prepare }: DenseThreadOptions,
): BatchTask {
	const fresh: (readonly [number, readonly ScanScope[]])[] = [];
	const asked = queries.map(({ text, vector, scopes, count }) => {
		const { number, isNew } = lists.numberOf(scopes);
		if (isNew) fresh.push([number, regions.toScanScopes(scopes)]);
		return { text: vector ? "" : prepare(text), vector, list: number, count };
	});
	return { queries: asked, lists: fresh, forgotten: lists.takeForgotten() };
}

function toHits(
	queries: readonly ThreadQuery[],
	{ vectors, slots, cosines, ends }: BatchReply,
	dimensions: number,
): readonly DenseHits[] {
	let embedded = 0;
	return queries.map((query, index) => {
		const from = ends[index - 1] ?? 0;
		const at = query.vector ? 0 : embedded++ * dimensions;
		return {
			vector: query.vector ?? vectors.slice(at, at + dimensions),
			slots: [...slots.subarray(from, ends[index])],
			cosines: cosines.slice(from, ends[index]),
		};
	});
}
