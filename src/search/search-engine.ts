import { setMaxListeners } from "node:events";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Embedder } from "./embedder.js";
import { findConcepts } from "./find-concepts.js";
import { openIndexFolder } from "./index-folder.js";
import { createIndexState, type IndexState, toScopes } from "./index-state.js";
import { createIndexSync } from "./index-sync.js";
import type { ModelLocation } from "./model-folder.js";
import { createQueryVectors } from "./query-vectors.js";
import type { SearchEngine, SearchRequest } from "./search.js";
import { createTransformersEmbedder } from "./transformers-embedder.js";
import { type WatchedEmbedder, watchEmbedder } from "./watched-embedder.js";

export interface SearchEngineOptions {
	/** Where the index is kept; derived data, safe to delete while no server runs. */
	readonly folder: string;
	readonly clock: Clock;
	/** A model for transformers.js on disk, an embedder that is ready, or "none" for keywords only. */
	readonly model: ModelLocation | Embedder | "none";
}

/** The search engine over one index folder. Without a usable model it answers by keywords and its status says why. */
export async function createSearchEngine(options: SearchEngineOptions): Promise<SearchEngine> {
	const { clock } = options;
	const { embedder, reason } = await chooseEmbedder(options);
	const index = await openIndexFolder(options.folder, embedder?.identity);
	const queryVectors = embedder && createQueryVectors({ clock, embedder });
	let state = createIndexState([]);
	const indexSync = createIndexSync({
		clock,
		index,
		embedder,
		publish: (segments) => {
			state = createIndexState(segments);
		},
	});

	return {
		async find(request) {
			request.signal.throwIfAborted();
			const startedAt = clock.monotonicMs();
			const wantsVector = hasAllVectors(state, request);
			const vector = wantsVector
				? await untilAborted(queryVectors?.find(request.query), request.signal)
				: undefined;
			const embed = clock.monotonicMs() - startedAt;
			// The index may have been replaced while the model was at work.
			const usable = hasAllVectors(state, request) ? vector : undefined;
			const outcome = findConcepts({ state, request, vector: usable, clock });
			return { ...outcome, timings: { embed, ...outcome.timings } };
		},
		async sync(graphs, syncOptions = {}) {
			embedder?.warm();
			await indexSync.sync(graphs, syncOptions);
		},
		warm: () => embedder?.warm(),
		status() {
			const pendingVectors = indexSync.pendingVectors();
			const failure = embedder?.failure();
			embedder?.probe();
			return {
				model: embedder && {
					id: embedder.identity.id,
					sha256: embedder.identity.sha256,
					dimensions: embedder.identity.dimensions,
				},
				concepts: state.concepts,
				pendingVectors,
				mode: embedder && pendingVectors === 0 && !failure ? "hybrid" : "keyword",
				reason: reason ?? failure,
			};
		},
		async close() {
			await Promise.all([indexSync.close(), embedder?.close()]);
		},
	};
}

async function chooseEmbedder(
	options: SearchEngineOptions,
): Promise<{ embedder?: WatchedEmbedder; reason?: string }> {
	const { clock, model } = options;
	if (model === "none") return { reason: "The embedding model is switched off." };
	try {
		const embedder = "folder" in model ? await createTransformersEmbedder({ clock, model }) : model;
		return { embedder: watchEmbedder({ clock, embedder }) };
	} catch (error) {
		if (error instanceof ServiceError) return { reason: error.message };
		throw error;
	}
}

/** Mixing rows that have a vector with rows that have none would be unfair to the latter: all or nothing. */
function hasAllVectors(state: IndexState, { graphs }: SearchRequest): boolean {
	return toScopes(state, graphs).every(({ densePosition }) => densePosition !== undefined);
}

async function untilAborted<T>(
	work: Promise<T> | undefined,
	signal: AbortSignal,
): Promise<T | undefined> {
	if (!work) return undefined;
	setMaxListeners(0, signal); // Many searches may share one request's signal; each takes its listener back.
	let onAbort: (() => void) | undefined;
	const aborted = new Promise<never>((_, reject) => {
		onAbort = () => reject(signal.reason);
		signal.addEventListener("abort", onAbort, { once: true });
	});
	try {
		return await Promise.race([work, aborted]);
	} finally {
		if (onAbort) signal.removeEventListener("abort", onAbort);
	}
}
