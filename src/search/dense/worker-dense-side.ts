import type { Clock } from "../../kernel/kernel.js";
import type { WorkerHost } from "../model/worker-host.js";
import { isSameList } from "../same-list.js";
import { createBatchQueue } from "./batch-queue.js";
import {
	createQueryCache,
	type DenseHits,
	type DenseRequest,
	type DenseSide,
	normalizeQuery,
	type WatchedEmbedder,
	withPatience,
} from "./dense-side.js";
import type { BatchReply, BatchTask } from "./query-batch.mjs";
import type { DenseScope, VectorRegions } from "./vector-regions.js";
import type { ScanScope } from "./vector-scan.mjs";

/** The dense side beside the model, in its thread: this one neither embeds nor scans (docs/adr/0023). */
export function createWorkerDenseSide(
	clock: Clock,
	/** Learns from every query whether the thread works. */
	embedder: Pick<WatchedEmbedder, "watch">,
	{ regions, search, knownVector }: DenseThread,
): DenseSide {
	const vectors = createQueryCache<Float32Array>();

	return {
		add: regions.add,
		release: regions.release,
		cosineOf: regions.closest,
		async search({ query, scopes, count, signal }): Promise<DenseHits | undefined> {
			const text = normalizeQuery(query);
			const vector = vectors.find(text) ?? knownVector(text);
			let isLate = false;
			const isWanted = () => !isLate && signal?.aborted !== true;
			const asked = embedder.watch(() => search({ text, vector, scopes, count, isWanted }));
			const hits = await withPatience(clock, asked, () => {
				isLate = true;
			});
			if (hits && !vector) vectors.keep(text, hits.vector);
			return hits;
		},
	};
}

/** One query for a thread that both embeds and compares. */
interface ThreadQuery extends Pick<DenseRequest, "scopes" | "count"> {
	/** What the model is to read. */
	readonly text: string;
	/** Its vector when that is known already: the model is left out. */
	readonly vector: Float32Array | undefined;
	/** Asked when its turn comes. */
	readonly isWanted: () => boolean;
}

export type DenseThread = ReturnType<typeof createDenseThread>;

const MAX_BATCH_QUERIES = 16;
const MAX_WAITING_QUERIES = 1_024;

/** A model's thread that compares query vectors with the passages of regions, too. */
export function createDenseThread({
	host,
	regions,
	lists,
	dimensions,
	prepare,
	knownVector,
}: {
	readonly host: WorkerHost;
	readonly regions: VectorRegions;
	/** Cleared whenever the thread starts. */
	readonly lists: ReturnType<typeof createScopeLists>;
	readonly dimensions: number;
	/** The text as the model is to read it. */
	readonly prepare: (text: string) => string;
	/** The vector of a query that came with the model. */
	readonly knownVector: (text: string) => Float32Array | undefined;
}) {
	const toTask = (queries: readonly ThreadQuery[]): BatchTask => {
		const fresh: (readonly [number, readonly ScanScope[]])[] = [];
		const asked = queries.map(({ text, vector, scopes, count }) => {
			const { number, isNew } = lists.numberOf(scopes);
			if (isNew) fresh.push([number, regions.toScanScopes(scopes)]);
			return { text: vector ? "" : prepare(text), vector, list: number, count };
		});
		return { queries: asked, lists: fresh, forgotten: lists.takeForgotten() };
	};
	const batches = createBatchQueue<ThreadQuery, DenseHits>({
		async send(queries) {
			host.start(); // First, because a fresh thread knows no lists.
			return toHits(queries, await host.request<BatchReply>(toTask(queries)), dimensions);
		},
		maxBatchItems: MAX_BATCH_QUERIES,
		maxWaitingItems: MAX_WAITING_QUERIES,
		isWanted: ({ isWanted }) => isWanted(),
	});
	return {
		regions,
		knownVector,
		/** Undefined when the query was no longer wanted. Rejects with UNAVAILABLE as the model does. */
		async search(query: ThreadQuery): Promise<DenseHits | undefined> {
			const release = regions.hold(query.scopes);
			try {
				return await batches.send(query);
			} finally {
				release();
			}
		},
	};
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

/** More than the queries of one batch can ask for. */
const LISTS_KEPT = 64;

/** Numbers lists of scopes, so that each is sent to the other thread once. */
export function createScopeLists() {
	let known: { readonly number: number; readonly scopes: readonly DenseScope[] }[] = [];
	let forgotten: number[] = [];
	let last = 0;
	return {
		/** The list's number, and whether it has yet to be sent. */
		numberOf(scopes: readonly DenseScope[]) {
			const found = known.find((list) => isSameList(list.scopes, scopes, isSameScope));
			if (found) return { number: found.number, isNew: false };
			known.push({ number: ++last, scopes });
			const oldest = known.length > LISTS_KEPT ? known.shift() : undefined;
			if (oldest) forgotten.push(oldest.number);
			return { number: last, isNew: true };
		},
		/** Numbers dropped since the last call. */
		takeForgotten(): readonly number[] {
			const taken = forgotten;
			forgotten = [];
			return taken;
		},
		/** For a fresh thread, which knows no lists. */
		clear(): void {
			known = [];
			forgotten = [];
		},
	};
}

function isSameScope(one: DenseScope, { vectors, base, mask }: DenseScope): boolean {
	return one.vectors === vectors && one.base === base && one.mask === mask;
}
