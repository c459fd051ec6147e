import { LRUCache } from "lru-cache";
import { findNearNames } from "../../src/evidence/evidence.js";
import { type Clock, memoize, ServiceError } from "../../src/kernel/kernel.js";
import type { FeedFetcher } from "./feed-fetcher.js";
import { FEED_LIMITS } from "./feed-limits.js";
import { type FeedRegistry, type FeedSpec, isSeries } from "./feed-registry.js";
import {
	createLastValues,
	type FeedBundle,
	type KeptReading,
	type LastValuesDeps,
} from "./feed-values.js";
import type { ObservedFeedWire, SkippedFeedWire } from "./feed-wire.js";
import { toObserved, toUnobserved } from "./observed-feed.js";
import { createSuggestFeeds, type FeedSuggestion } from "./suggest-feeds.js";

/** What a feed says now, as far as anybody knows. */
export interface FeedState {
	/** Undefined when nobody knows anything. */
	readonly kept: KeptReading | undefined;
	/** Why the source itself did not answer now; undefined when it did, or had done so lately. */
	readonly reason: string | undefined;
	/** Failures in a row. */
	readonly failures: number;
}

/** Knows the last good value of each feed, and asks for a newer one when it is time to. */
export interface FeedService {
	/** Asks the source unless its last word is fresh or it failed a moment ago. Never throws: what went wrong is the reason. */
	look(feed: FeedSpec, topic?: string): Promise<FeedState>;
	/** What is known without asking anybody. */
	recall(feed: FeedSpec): Promise<FeedState>;
}

export interface FeedServiceDeps extends LastValuesDeps {
	/** Undefined where feeds are not fetched: then nothing is sent anywhere. */
	readonly fetch: FeedFetcher | undefined;
	readonly clock: Clock;
}

const NOT_FETCHED = "Feeds are not fetched here.";
const NO_TOPIC = "It answers questions only; send a topic.";

function createFeedService(deps: FeedServiceDeps): FeedService {
	const { fetch, clock } = deps;
	const values = createLastValues(deps);
	// Their address holds what somebody asked, so they are never put on the disk.
	const searches = new LRUCache<string, KeptReading>({ max: FEED_LIMITS.searchesKept });
	const failures = createFeedFailures(clock);
	const running = new Map<string, { readonly done: Promise<FeedState> }>();

	const refresh = async (request: FeedRequest): Promise<FeedState> => {
		const { feed, topic, key, kept } = request;
		try {
			const got = await request.fetch(feed, { topic, kept });
			failures.clear(feed.id);
			if (feed.isSearch) searches.set(key, got);
			else await values.put(feed, got);
			return { kept: got, reason: undefined, failures: 0 };
		} catch (error) {
			const reason = error instanceof ServiceError ? error.message : "It could not be read.";
			// Whoever waits for a turn at a host has not failed.
			const isBusy = error instanceof ServiceError && error.code === "RATE_LIMITED";
			const count = isBusy ? failures.find(feed.id)?.count : failures.add(feed.id, reason).count;
			return { kept, reason, failures: count ?? 0 };
		} finally {
			running.delete(key);
		}
	};
	const refreshOnce = (request: FeedRequest): Promise<FeedState> => {
		const already = running.get(request.key);
		if (already) return already.done;
		const done = refresh(request);
		running.set(request.key, { done });
		return done;
	};
	return {
		async recall(feed) {
			const failure = failures.find(feed.id);
			return {
				kept: feed.isSearch ? undefined : await values.get(feed),
				reason: fetch ? failure?.reason : NOT_FETCHED,
				failures: failure?.count ?? 0,
			};
		},
		async look(feed, topic) {
			const key = keyOf(feed, topic);
			const kept = feed.isSearch ? searches.get(key) : await values.get(feed);
			const unasked = (reason: string | undefined, count = 0) => ({
				kept,
				reason,
				failures: count,
			});
			if (!fetch) return unasked(NOT_FETCHED);
			if (isUnanswerable(feed, topic)) return unasked(NO_TOPIC);
			if (isFresh(feed, kept, clock.now())) return unasked(undefined);
			if (!failures.isPaused(feed.id)) return refreshOnce({ feed, topic, key, kept, fetch });
			const failure = failures.find(feed.id);
			return unasked(failure?.reason, failure?.count);
		},
	};
}

/** Searches are as many as topics. */
function keyOf({ id, isSearch }: FeedSpec, topic: string | undefined): string {
	return isSearch ? `${id}\n${topic ?? ""}` : id;
}

function isUnanswerable({ isSearch }: FeedSpec, topic: string | undefined): boolean {
	return isSearch && topic === undefined;
}

interface FeedRequest {
	readonly feed: FeedSpec;
	readonly topic: string | undefined;
	readonly key: string;
	readonly kept: KeptReading | undefined;
	readonly fetch: FeedFetcher;
}

function isFresh(feed: FeedSpec, kept: KeptReading | undefined, now: number): boolean {
	if (kept?.origin !== "source") return false;
	const age = now - kept.retrievedAt;
	const { freshMs } = FEED_LIMITS;
	const maxAge = isSeries(feed) ? freshMs[feed.frequency] : freshMs.items;
	return age >= 0 && age < maxAge;
}

export interface ObserveRequest {
	/** Ids of the registry; those of a topic where absent. */
	readonly feedIds?: readonly string[] | undefined;
	readonly topic?: string | undefined;
	/** A year, month or day. */
	readonly since?: string | undefined;
	/** Newest observations or items of each. */
	readonly limit: number;
}

export interface ObservedFeeds {
	/** Feeds that anything is known of, in the order they were asked for. */
	readonly feeds: readonly ObservedFeedWire[];
	/** Each feed whose source did not answer, whether an older value is shown or none. */
	readonly skipped: readonly SkippedFeedWire[];
}

/** Supplemental data: what public sources say of a topic, now or when they last said something. */
export interface Feeds {
	/** `bundled` asks nobody. */
	readonly mode: "bundled" | "live";
	registry(): Promise<FeedRegistry>;
	bundle(): Promise<FeedBundle>;
	/** Throws NOT_FOUND, with near ids. */
	get(feedId: string): Promise<FeedSpec>;
	/** Best first. */
	suggest(topic: string, limit: number): Promise<readonly FeedSuggestion[]>;
	/** Throws NOT_FOUND for an id that is none; sources that fail are told, never thrown. */
	observe(request: ObserveRequest): Promise<ObservedFeeds>;
	/** A feed nobody knows anything of, told like the others. */
	describe(feed: FeedSpec): ObservedFeedWire;
	/** What is known of a feed without asking anybody. */
	recall: FeedService["recall"];
}

export interface FeedsDeps extends Omit<FeedServiceDeps, "bundle"> {
	/** Read when first needed. */
	readonly registry: () => Promise<FeedRegistry>;
	readonly bundle: () => Promise<FeedBundle>;
}

export function createFeeds(deps: FeedsDeps): Feeds {
	const opened = memoize(async () => {
		const [registry, bundle] = await Promise.all([deps.registry(), deps.bundle()]);
		const desk = createFeedService({ ...deps, bundle });
		return { registry, bundle, desk, suggest: createSuggestFeeds(registry) };
	});
	const getFrom = async (registry: FeedRegistry, feedId: string): Promise<FeedSpec> => {
		const feed = registry.get(feedId);
		if (feed) return feed;
		const near = await findNearNames(feedId, registry.keys());
		const hint =
			near.length === 0 ? "GET /v1/supplemental/feeds lists them" : `near it ${near.join(", ")}`;
		throw new ServiceError("NOT_FOUND", `No feed is called "${feedId}"; ${hint}.`);
	};
	return {
		mode: deps.fetch ? "live" : "bundled",
		registry: async () => (await opened()).registry,
		bundle: async () => (await opened()).bundle,
		get: async (feedId) => getFrom((await opened()).registry, feedId),
		suggest: async (topic, limit) => (await opened()).suggest(topic, limit),
		describe: (feed) => toUnobserved(feed, deps.clock.now()),
		recall: async (feed) => (await opened()).desk.recall(feed),
		async observe(request) {
			const { registry, desk, suggest } = await opened();
			const { feedIds, topic } = request;
			const chosen = feedIds
				? await Promise.all(feedIds.map((id) => getFrom(registry, id)))
				: chooseFeeds(registry, suggest, topic ?? "");
			const looked = await Promise.all(
				chosen.map(async (feed) => ({ feed, ...(await desk.look(feed, topic)) })),
			);
			return {
				feeds: looked.flatMap(({ feed, kept, reason }) => {
					const isStale = reason !== undefined || kept?.origin === "bundle";
					return (kept && toObserved({ feed, kept, isStale }, request)) ?? [];
				}),
				skipped: looked.flatMap(({ feed, kept, reason }) =>
					reason === undefined
						? []
						: [{ feed_id: feed.id, reason, shown: kept ? SHOWN[kept.origin] : null }],
				),
			};
		},
	};
}

const SHOWN = { bundle: "bundle", source: "last_good" } as const;

/** Feeds not much worse than the best one, and beside them a few that answer whatever is asked. */
function chooseFeeds(
	registry: FeedRegistry,
	suggest: (topic: string, limit: number) => readonly FeedSuggestion[],
	topic: string,
): readonly FeedSpec[] {
	const found = suggest(topic, FEED_LIMITS.topicFeedsMax).filter(
		({ score }) => score >= LEAST_SCORE,
	);
	const best = found[0]?.score ?? 0;
	const chosen = found.filter(({ score }) => score >= best / 2).map(({ feed }) => feed);
	const searches = [...registry.values()].filter((feed) => feed.isSearch && !chosen.includes(feed));
	const room = Math.min(FEED_LIMITS.topicSearchesMax, FEED_LIMITS.topicFeedsMax - chosen.length);
	return [...chosen, ...searches.slice(0, Math.max(0, room))];
}

/** A feed that shares less with a topic is about something else. */
const LEAST_SCORE = 0.4;

export interface FeedFailure {
	/** A sentence that may be shown. */
	readonly reason: string;
	/** Failures in a row. */
	readonly count: number;
}

interface TimedFailure extends FeedFailure {
	readonly retryAt: number;
}

/** Which feeds failed lately, and until when nobody asks them again, whatever the topic: a dead host costs one call its patience, not every call. */
export interface FeedFailures {
	find(feedId: string): FeedFailure | undefined;
	/** True while it is too early to ask again. */
	isPaused(feedId: string): boolean;
	add(feedId: string, reason: string): FeedFailure;
	clear(feedId: string): void;
}

function createFeedFailures(clock: Clock): FeedFailures {
	const failures = new Map<string, TimedFailure>();
	return {
		find: (feedId) => failures.get(feedId),
		isPaused(feedId) {
			const failure = failures.get(feedId);
			if (!failure) return false;
			const waitMs = failure.retryAt - clock.now();
			// A clock that was set back must not put a feed to sleep for longer than its pause.
			return waitMs > 0 && waitMs <= pauseMs(failure.count);
		},
		add(feedId, reason) {
			const count = (failures.get(feedId)?.count ?? 0) + 1;
			const failure = { reason, count, retryAt: clock.now() + pauseMs(count) };
			failures.set(feedId, failure);
			return failure;
		},
		clear: (feedId) => void failures.delete(feedId),
	};
}

function pauseMs(count: number): number {
	return Math.min(FEED_LIMITS.retryMaxMs, FEED_LIMITS.retryMs * 2 ** Math.min(count - 1, 10));
}
