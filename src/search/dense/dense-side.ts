import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { LIMITS } from "../../contract/contract.js";
import type { Clock } from "../../kernel/kernel.js";
import type { Embedder, TextKind } from "../model/embedder.js";
import type { SegmentVectors } from "./row-planes.js";
import { createVectorRegions, type DenseScope, type VectorRegion } from "./vector-regions.js";
import { createVectorScan } from "./vector-scan.mjs";

/** What the dense side found for one query. */
export interface DenseHits {
	/** The query's vector, of unit length. */
	readonly vector: Float32Array;
	/** Closest documents, best first; equal ones by slot. */
	readonly slots: readonly number[];
	/** Cosine of each with the query, in float: its best passage. */
	readonly cosines: Float32Array;
}

export interface DenseRequest {
	readonly query: string;
	readonly scopes: readonly DenseScope[];
	/** How many documents are wanted at most. */
	readonly count: number;
	/** An aborted query is dropped when its turn comes. */
	readonly signal?: AbortSignal | undefined;
}

/** The dense side: turns queries into vectors and compares them with every passage of the regions asked about. */
export interface DenseSide {
	/** Makes a segment's vectors ready to be compared with. */
	add(vectors: SegmentVectors): VectorRegion;
	/** Frees a region's memory once the searches that run now are through. */
	release(region: VectorRegion): void;
	/** Undefined when the model gives no vector in time: the search goes on with keywords. Never rejects. */
	search(request: DenseRequest): Promise<DenseHits | undefined>;
	/** Cosine of a query vector and one document of a region, in float: its best passage; 0 without passages. */
	cosineOf(vector: Float32Array, region: VectorRegion, document: number): number;
}

const CACHE_ENTRIES = 2_048;

/** The latest queries' values; keys are hashes: of one size however long a query is, and without its text. */
export function createQueryCache<Value extends object>() {
	const values = new LRUCache<string, Value>({ max: CACHE_ENTRIES });
	const keyOf = (query: string) => hash("sha256", query, "base64");
	return {
		find: (query: string): Value | undefined => values.get(keyOf(query)),
		keep: (query: string, value: Value) => void values.set(keyOf(query), value),
		drop: (query: string) => void values.delete(keyOf(query)),
	};
}

/** Spellings of a query that ask the same are made one text, of bounded length. */
export function normalizeQuery(query: string): string {
	return query.normalize("NFKC").trim().replace(/\s+/g, " ").slice(0, LIMITS.queryChars);
}

/** A query that has waited this long is answered by keywords. Long enough for a model that is just being loaded. */
export const QUERY_PATIENCE_MS = 2_000;

/** Undefined when the work fails or takes longer than a query waits; `onLate` is called in the latter case. */
export async function withPatience<T>(
	clock: Clock,
	work: Promise<T>,
	onLate?: () => void,
): Promise<T | undefined> {
	let stopWaiting: (() => void) | undefined;
	const late = new Promise<undefined>((resolve) => {
		stopWaiting = clock.after(QUERY_PATIENCE_MS, () => {
			onLate?.();
			resolve(undefined);
		});
	});
	try {
		return await Promise.race([work, late]);
	} catch {
		return undefined; // Crashed or overrun: the outcome says "keyword", and the next query tries again.
	} finally {
		stopWaiting?.();
	}
}

/** Query text to vector, with the last few thousand answers cached; undefined when the model gives none in time. */
export function createQueryVectors(clock: Clock, embedder: Embedder) {
	const cache = createQueryCache<Promise<Float32Array | undefined>>();
	const remember = (text: string): Promise<Float32Array | undefined> => {
		const known = cache.find(text);
		if (known !== undefined) return known;
		const vector = embedder.embed([text], "query").then(([first]) => first);
		cache.keep(text, vector);
		vector.catch(() => cache.drop(text));
		return vector;
	};
	return (query: string) => withPatience(clock, remember(normalizeQuery(query)));
}

/** The dense side in the thread that asks: for embedders that have no thread of their own. */
export function createLocalDenseSide(
	queryVectors: ReturnType<typeof createQueryVectors>,
): DenseSide {
	/** Opened with the first segment, which knows how long vectors are. */
	let opened: ReturnType<typeof open> | undefined;
	const find = () => {
		if (!opened) throw new RangeError("A region is of another dense side.");
		return opened;
	};
	return {
		add(segment) {
			opened ??= open(segment.embedder);
			return opened.regions.add(segment);
		},
		release: (region) => find().regions.release(region),
		async search({ query, scopes, count }) {
			const release = scopes.length > 0 ? find().regions.hold(scopes) : undefined;
			try {
				const vector = await queryVectors(query);
				return vector && { vector, ...searchIn(scopes, vector, count) };
			} finally {
				release?.();
			}
		},
		cosineOf: (vector, region, document) => find().regions.closest(vector, region, document),
	};

	function searchIn(scopes: readonly DenseScope[], vector: Float32Array, count: number) {
		if (scopes.length === 0) return { slots: [], cosines: new Float32Array() };
		const { regions, scan } = find();
		return scan.search(vector, regions.toScanScopes(scopes), count);
	}
}

function open(embedder: SegmentVectors["embedder"]) {
	const regions = createVectorRegions(embedder);
	return { regions, scan: createVectorScan(regions.openSetup().setup) };
}

export type WatchedEmbedder = ReturnType<typeof watchEmbedder>;

/** An embedder that reports whether it works. */
export function watchEmbedder(clock: Clock, embedder: Embedder) {
	const queriesSince = new Set<{ readonly at: number }>();
	let lastFailure: string | undefined;
	let isProbing = false;

	const learn = async <T>(work: () => Promise<T>): Promise<T> => {
		try {
			const result = await work();
			if (result !== undefined) lastFailure = undefined;
			return result;
		} catch (error) {
			lastFailure = error instanceof Error ? error.message : String(error);
			throw error;
		}
	};
	/** Learns from one query that reaches the model in another way; undefined says nothing of the model. */
	const watch = async <T>(work: () => Promise<T>): Promise<T> => {
		const query = { at: clock.monotonicMs() };
		queriesSince.add(query);
		try {
			return await learn(work);
		} finally {
			queriesSince.delete(query);
		}
	};
	const embed = (texts: readonly string[], kind: TextKind) => {
		const work = () => embedder.embed(texts, kind);
		return kind === "query" ? watch(work) : learn(work);
	};
	const isLate = (): boolean => {
		const [oldest] = queriesSince;
		return oldest !== undefined && clock.monotonicMs() - oldest.at > QUERY_PATIENCE_MS;
	};

	return {
		identity: embedder.identity,
		embed,
		watch,
		warm: () => embedder.warm(),
		close: () => embedder.close(),
		/** Why it gives no vectors right now, as a sentence; undefined while it does. */
		failure: () =>
			lastFailure ?? (isLate() ? "The embedding model lets queries wait too long." : undefined),
		/** After a failure, tries a text in the background, so that a model that is back is seen without a query. */
		probe(): void {
			if (lastFailure === undefined || isProbing) return;
			isProbing = true;
			embed(["probe"], "query")
				.catch(() => undefined)
				.finally(() => {
					isProbing = false;
				});
		},
	};
}
