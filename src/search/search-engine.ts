import { setMaxListeners } from "node:events";
import {
	type Clock,
	createEventLoopThrottle,
	type Logger,
	memoizeByObject,
} from "../kernel/kernel.js";
import type { Graph } from "../knowledge/knowledge.js";
import type { DenseHits, DenseSide } from "./dense/dense-side.js";
import { type OpenedModel, openModel } from "./dense/open-model.js";
import {
	type IndexDisk,
	type IndexFolder,
	openIndexDisk,
	openIndexFolder,
} from "./index/index-folder.js";
import {
	createIndexState,
	type IndexState,
	type SearchScope,
	toScopes,
} from "./index/index-state.js";
import { createIndexSync } from "./index/index-sync.js";
import type { IndexLimits, SetSizes, SyncOptions } from "./index/segment-set.js";
import { createIndexSharing } from "./index/shared-segments.js";
import { openJudge, type PairJudge } from "./judge/pair-judge.js";
import { readCommonWords } from "./lexical/common-words.js";
import { foreignLanguageOf } from "./lexical/query-language.js";
import type { Embedder } from "./model/embedder.js";
import type { ModelLocation } from "./model/model-folder.js";
import {
	concludeQuery,
	concludeRoute,
	orderByReadings,
	type RankedQuery,
	rankByGraph,
	rankQuery,
} from "./ranking/find-concepts.js";
import { createLinkGraphKeeper } from "./ranking/link-graph-keeper.js";
import { createQuestionBackgrounds } from "./ranking/question-background.js";
import { POOL } from "./ranking/ranking.js";
import { createRowReader } from "./ranking/row-reader.js";
import type {
	RouteOutcome,
	RouteRequest,
	SearchOutcome,
	SearchRequest,
} from "./ranking/search-outcome.js";
import { createModelTiming, type TimeModel } from "./timed-models.js";

/** The index over all graphs of the catalog: derived, persisted, rebuildable. */
export type SearchEngine = Awaited<ReturnType<typeof createSearchEngine>>;

export type HybridSearch = Pick<SearchEngine, "find">;

/** The models themselves: what embeds texts, and what reads pairs of them; either may be missing. */
export type JudgedSearch = Pick<SearchEngine, "judge" | "embedder">;

/** What is known of words without a search. */
export type WordKnowledge = Pick<SearchEngine, "isCommonWord">;

/** Search, and what reads what was found beside a claim. */
export type ReadingSearch = Pick<SearchEngine, "find" | "judge">;

export type GraphRouter = Pick<SearchEngine, "route">;

export interface IndexStatus {
	/** Model id and sha256 of what its vectors depend on; undefined without a model. */
	readonly model:
		| { readonly id: string; readonly sha256: string; readonly dimensions: number }
		| undefined;
	readonly concepts: number;
	/** Concepts that wait for their vector. */
	readonly pendingVectors: number;
	/** What queries get right now: "keyword" also while the model is down or does not answer. */
	readonly mode: "hybrid" | "keyword";
	/** Why there is no model, what it failed with last, or which files of the index were unusable, for the operator. */
	readonly reason?: string | undefined;
	/** Whether there is a judge, and why not, for the operator. */
	readonly judge?: { readonly isReady: boolean; readonly reason: string | undefined } | undefined;
	/** Segments of all graphs, and documents in them that are gone but not yet cleared away. */
	readonly segments?: number | undefined;
	readonly tombstones?: number | undefined;
}

interface SearchEngineOptions {
	/** Where the index is kept, or a disk that is ready; derived data, safe to delete while no server runs. */
	readonly folder: string | IndexDisk;
	readonly clock: Clock;
	/** A model for transformers.js on disk, an embedder that is ready, or "none" for keywords only. */
	readonly model: ModelLocation | Embedder | "none";
	/** Folder of a model whose list of words serves wherever the model in use has none: common words show what is off topic. */
	readonly wordsFolder?: string | undefined;
	/** Reads the first rows of a search with effort "best", a model on disk or one that is ready; without one every search is fast. */
	readonly judge?: ModelLocation | PairJudge | "none" | undefined;
	/** Is given which files of the index are unusable. */
	readonly logger?: Logger | undefined;
	/** True for a version whose vectors another process makes: here they are waited for. */
	readonly isMadeElsewhere?: ((graph: Graph) => boolean) | undefined;
	/** How segments grow together, where not as always. */
	readonly limits?: IndexLimits | undefined;
	/** Times what is asked of the models. */
	readonly timeModel?: TimeModel | undefined;
}

/** The search engine over one index folder. Without a usable model it answers by keywords and its status says why. */
export async function createSearchEngine(options: SearchEngineOptions) {
	const { clock } = options;
	const opened = await openModelAndWords(options);
	const timed = createModelTiming(options.timeModel);
	const { embedder, commonWords } = opened;
	const denseSide = timed.denseSide(opened.denseSide);
	const { judge: ready, reason: whyNoJudge } = await openJudge(clock, options.judge ?? "none");
	const judge = timed.judge(ready);
	const index = await openIndex(options, embedder?.identity);
	let state = createIndexState([]);
	const links = createLinkGraphKeeper(clock, options.logger);
	const backgrounds = createQuestionBackgrounds(denseSide);
	const indexSync = createIndexSync({
		clock,
		index,
		embedder,
		denseSide,
		limits: options.limits,
		isMadeElsewhere: options.isMadeElsewhere,
		publish: (graphs) => {
			state = createIndexState(graphs);
			links.renew(state);
			backgrounds.keepOnly(state.graphs);
		},
	});
	const statusNow = (): IndexStatus => {
		const [problem] = index.problems();
		const status = toStatus(opened, indexSync.sizes(), { concepts: state.concepts, problem });
		return { ...status, judge: { isReady: judge !== undefined, reason: whyNoJudge } };
	};
	const finder = createFinder({
		clock,
		commonWords,
		denseSide,
		backgrounds,
		readRows: createRowReader({ judge, clock }),
		links,
		stateNow: () => state,
		modeOf: (seen) => modeOf(seen, statusNow, indexSync.sizes),
	});

	return {
		...finder,
		/** Undefined where the operator has switched it off, and where its files are missing or damaged. */
		judge,
		embedder: timed.embedder(embedder),
		/** Whether a word in lower case is one of the common ones of the language, as far as a model knows them. */
		isCommonWord: (word: string): boolean => commonWords?.has(word) ?? false,
		/** Brings the index in line with these graphs; unchanged ones (same content hash and model) are not touched. */
		async sync(graphs: readonly Graph[], syncOptions: SyncOptions = {}): Promise<void> {
			embedder?.warm();
			await indexSync.sync(graphs, syncOptions);
			if (syncOptions.vectors !== "background") await links.settle();
		},
		...createIndexSharing(index, indexSync.find, embedder?.identity),
		/** Starts loading the model beside whatever else goes on; `sync` does it by itself. */
		warm(): void {
			embedder?.warm();
			judge?.warm();
		},
		status(): IndexStatus {
			embedder?.probe();
			return statusNow();
		},
		async close(): Promise<void> {
			await Promise.all([indexSync.close(), embedder?.close(), judge?.close()]);
			await links.close();
		},
	};
}

interface FinderParts {
	readonly clock: Clock;
	readonly commonWords: ReadonlySet<string> | undefined;
	readonly denseSide: DenseSide | undefined;
	readonly backgrounds: ReturnType<typeof createQuestionBackgrounds>;
	readonly readRows: ReturnType<typeof createRowReader>;
	readonly links: Pick<ReturnType<typeof createLinkGraphKeeper>, "current">;
	readonly stateNow: () => IndexState;
	readonly modeOf: (seen: {
		readonly scopes: readonly unknown[];
		readonly dense: unknown;
	}) => Pick<SearchOutcome, "mode" | "reason">;
}

/** Answers queries over the index as it is when they come. */
function createFinder({
	clock,
	commonWords,
	denseSide,
	backgrounds,
	readRows,
	...parts
}: FinderParts) {
	const inTurn = createRankingTurns(clock);
	/** One state from start to end, however often the index changes while the model is at work. */
	const retrieve = async ({ graphs, query, signal, filter }: RetrievalRequest) => {
		signal.throwIfAborted();
		const state = parts.stateNow();
		const scopes = toScopes(state, graphs, filter);
		const hits = await untilAborted(searchDense(denseSide, scopes, { query, signal }), signal);
		const dense = hits && denseSide && { hits, cosineOf: denseSide.cosineOf };
		return { scopes, dense, links: parts.links.current(), query, commonWords };
	};
	/** Of the best row's graph as it is now: what was searched may have been freed meanwhile. */
	const backgroundOf = ({ found: [best], dense }: RankedQuery) => {
		const id = best?.slot.scope.segment.graphId;
		if (id === undefined || !dense) return undefined;
		return backgrounds.of(() => {
			const state = parts.stateNow();
			const graph = state.graphs.get(id)?.graph;
			return graph ? toScopes(state, [graph]) : [];
		});
	};

	return {
		async find(request: SearchRequest): Promise<SearchOutcome> {
			const { signal } = request;
			const startedAt = clock.monotonicMs();
			const seen = await retrieve(request);
			const embeddedAt = clock.monotonicMs();
			const ranked = await inTurn(signal, () => rankQuery(seen));
			const rankedAt = clock.monotonicMs();
			const { effort = "best", query } = request;
			const [background, readings] = await Promise.all([
				untilAborted(backgroundOf(ranked), signal),
				effort === "best" ? untilAborted(readRows(query, ranked, signal), signal) : undefined,
			]);
			const rows = readings ? orderByReadings(ranked, readings) : ranked;
			const outcome = concludeQuery(rows, request, background);
			const timings = {
				embed: embeddedAt - startedAt,
				search: rankedAt - embeddedAt,
				rank: clock.monotonicMs() - rankedAt,
			};
			return { ...outcome, ...parts.modeOf(seen), language: foreignLanguageOf(query), timings };
		},
		/** Id of the graph with the concept that is nearest to a query, be it an answer or not; undefined where nothing is near. */
		async nearestGraph(request: Omit<RetrievalRequest, "filter">): Promise<string | undefined> {
			const seen = await retrieve(request);
			const { found } = await inTurn(request.signal, () => rankQuery(seen));
			return found[0]?.slot.scope.segment.graphId;
		},
		/** Which graphs would answer. Costs nothing and gives nothing of their content away. */
		async route(request: RouteRequest): Promise<RouteOutcome> {
			const { signal, limit } = request;
			const seen = await retrieve(request);
			const routed = await inTurn(signal, () => rankByGraph(seen));
			const all = routed.graphs.map((ranked) => backgroundOf(ranked));
			const found = await untilAborted(Promise.all(all), signal);
			return { ...concludeRoute(routed, found ?? [], limit), ...parts.modeOf(seen) };
		},
	};
}

function createRankingTurns(clock: Clock) {
	const throttle = createEventLoopThrottle(clock);
	/** Ranks nothing for a caller that has left meanwhile. */
	return <T>(signal: AbortSignal, work: () => T): Promise<T> =>
		throttle.run(() => {
			signal.throwIfAborted();
			return work();
		});
}

async function openModelAndWords({ clock, model, wordsFolder }: SearchEngineOptions) {
	const own = typeof model === "object" && "folder" in model ? model.folder : undefined;
	const [opened, commonWords] = await Promise.all([
		openModel(clock, model),
		readFirstWords([own, wordsFolder]),
	]);
	return { ...opened, commonWords };
}

/** A model that cannot be run may still have its list of words. */
async function readFirstWords(folders: readonly (string | undefined)[]) {
	for (const folder of folders) {
		const words = folder === undefined ? undefined : await readCommonWords(folder);
		if (words && words.size > 0) return words;
	}
	return undefined;
}

function openIndex(
	{ folder, logger }: SearchEngineOptions,
	embedder: Embedder["identity"] | undefined,
): Promise<IndexFolder> {
	const open = (disk: IndexDisk) => openIndexFolder(disk, embedder, logger);
	return typeof folder === "string" ? openIndexDisk(folder).then(open) : open(folder);
}

type RetrievalRequest = Pick<SearchRequest, "graphs" | "query" | "signal" | "filter">;

/** Mixing rows that have a vector with rows that have none would be unfair to the latter: all or nothing. */
function searchDense(
	denseSide: DenseSide | undefined,
	scopes: readonly SearchScope[],
	asked: Pick<SearchRequest, "query" | "signal">,
): Promise<DenseHits | undefined> | undefined {
	if (!denseSide || scopes.length === 0) return undefined;
	const ready = denseScopesOf(scopes);
	if (ready.length < scopes.length) return undefined;
	return denseSide.search({ ...asked, scopes: ready, count: POOL });
}

/** Of the same scopes the same list: the model's thread knows it by identity of its parts. */
const denseScopesOf = memoizeByObject((scopes: readonly SearchScope[]) =>
	scopes.flatMap(({ vectors, base, mask }) => (vectors ? { vectors, base, mask } : [])),
);

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

/** What the engine says of itself to the operator. */
export function toStatus(
	{ embedder, reason }: OpenedModel,
	{ waiting: pendingVectors, segments, tombstones, refusal }: SetSizes,
	{ concepts, problem }: { readonly concepts: number; readonly problem: string | undefined },
): IndexStatus {
	const failure = embedder?.failure() ?? refusal;
	return {
		model: embedder && {
			id: embedder.identity.id,
			sha256: embedder.identity.sha256,
			dimensions: embedder.identity.dimensions,
		},
		concepts,
		pendingVectors,
		mode: embedder && pendingVectors === 0 && !failure ? "hybrid" : "keyword",
		reason: [reason ?? failure, problem].filter(Boolean).join(" ") || undefined,
		segments,
		tombstones,
	};
}

/** Where nothing could be looked at, the mode is what the next query would get. */
export function modeOf(
	{ scopes, dense }: { readonly scopes: readonly unknown[]; readonly dense: unknown },
	statusNow: () => IndexStatus,
	sizesNow: () => SetSizes,
): Pick<SearchOutcome, "mode" | "reason"> {
	if (dense) return { mode: "hybrid" };
	const status = statusNow();
	const mode = scopes.length === 0 ? status.mode : "keyword";
	return mode === "hybrid" ? { mode } : { mode, reason: whyKeywords(status, sizesNow()) };
}

/** For callers: what the operator must do is in the status. */
function whyKeywords(
	{ model, pendingVectors, concepts }: IndexStatus,
	{ refusal }: SetSizes,
): string {
	if (!model) return "This server has no embedding model, so that only words are compared.";
	if (pendingVectors > 0) {
		return `Vectors of the embedding model are being made: ${concepts - pendingVectors} of ${concepts} concepts have theirs.`;
	}
	if (refusal) {
		return "Not all vectors find room in this server's memory, so that only words were compared.";
	}
	return "The embedding model gave no vector in time, so that only words were compared.";
}
