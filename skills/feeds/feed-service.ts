import { LRUCache } from "lru-cache";
import { findNearNames } from "../../src/evidence/evidence.js";
import { type Clock, memoize, notFound, ServiceError, toIsoDay } from "../../src/kernel/kernel.js";
import { createAskedFeeds } from "./asked-series.js";
import type { FeedFetcher } from "./feed-fetcher.js";
import { FEED_LIMITS } from "./feed-limits.js";
import { type FeedRegistry, type FeedSpec, isSeries } from "./feed-registry.js";
import { compareShapes, fillSample, type ShapeDifference } from "./feed-samples.js";
import {
	createLastValues,
	type FeedBundle,
	type KeptReading,
	type LastValuesOptions,
} from "./feed-values.js";
import type { ObserveRequest, SkippedFeedWire } from "./feed-wire.js";
import { newestOf, toObserved, toUnobserved } from "./observed-feed.js";
import { createSuggestFeeds } from "./suggest-feeds.js";

interface FeedsOptions extends LastValuesOptions {
	/** Read when first needed. */
	readonly registry: () => Promise<FeedRegistry>;
	readonly bundle: () => Promise<FeedBundle>;
	/** The text of a file of feeds/samples. */
	readonly sample: (name: string) => Promise<string>;
	/** Undefined where feeds are not fetched: then nothing is sent anywhere. */
	readonly fetch: FeedFetcher | undefined;
	readonly clock: Clock;
}

export type Feeds = ReturnType<typeof createFeeds>;

/** Supplemental data: what public sources say of a topic, now or when they last answered. */
export function createFeeds(options: FeedsOptions) {
	const opened = memoize(async () => {
		const [registry, bundle] = await Promise.all([options.registry(), options.bundle()]);
		const values = createCurrentValues(bundle, options);
		const suggest = createSuggestFeeds(registry);
		return { registry, bundle, values, suggest, choose: createAskedFeeds(registry) };
	});
	const changes = new Map<string, FeedChange>();
	const isOff = ({ id }: FeedSpec) => changes.get(id)?.isEnabled === false;
	const getFrom = async (registry: FeedRegistry, feedId: string): Promise<FeedSpec> => {
		const feed = registry.get(feedId);
		const intervalMs = changes.get(feedId)?.intervalMs;
		if (feed) return intervalMs === undefined ? feed : { ...feed, intervalMs };
		const near = await findNearNames(feedId, registry.keys());
		const hint =
			near.length === 0 ? "GET /v1/supplemental/feeds lists them" : `near it ${near.join(", ")}`;
		throw notFound(`No feed is called "${feedId}"; ${hint}.`);
	};
	return {
		/** What an operator decides of a feed, in place of what was decided before; it counts from the next request on. */
		configure: (feedId: string, change: FeedChange) => void changes.set(feedId, change),
		/** `bundled` sends no request to any source. */
		mode: options.fetch ? ("live" as const) : ("bundled" as const),
		registry: async () => (await opened()).registry,
		bundle: async () => (await opened()).bundle,
		/** Throws NOT_FOUND, with near ids. */
		get: async (feedId: string) => getFrom((await opened()).registry, feedId),
		/** Best first. */
		suggest: async (topic: string, limit: number) => (await opened()).suggest(topic, limit),
		/** Feeds that measure what a topic asks for. */
		async choose(...asked: Parameters<ReturnType<typeof createAskedFeeds>>) {
			return (await opened()).choose(...asked);
		},
		/** A feed without any value, in the form of the others. */
		describe: (feed: FeedSpec) => toUnobserved(feed, options.clock.now()),
		/** What is known of a feed without a request to its source. */
		recall: async (feed: FeedSpec) =>
			isOff(feed) ? SWITCHED_OFF : (await opened()).values.recall(feed),
		/**
		 * Asks a feed's source now, keeps nothing, and compares the form of its reply with its sample. Throws NOT_FOUND for an
		 * unknown id; a source that fails is a state, not thrown.
		 */
		test: async (feedId: string): Promise<FeedTest> =>
			testFeed(await getFrom((await opened()).registry, feedId), options),
		/**
		 * Feeds that have a value, in the order they were asked for, and each feed whose source did not answer, whether an older
		 * value is shown or none. Throws NOT_FOUND for an unknown id; sources that fail are listed, never thrown.
		 */
		async observe(request: ObserveRequest) {
			const { registry, values } = await opened();
			const { feedIds, topic } = request;
			const chosen = await Promise.all(feedIds.map((id) => getFrom(registry, id)));
			const nowMs = options.clock.now();
			const states = await Promise.all(
				chosen.map(async (feed) => ({
					feed,
					...(isOff(feed) ? SWITCHED_OFF : await values.refresh(feed, topic)),
				})),
			);
			return {
				feeds: states.flatMap(({ feed, kept, reason }) => {
					const isStale = reason !== undefined || kept?.origin === "bundle";
					return (kept && toObserved({ feed, kept, isStale, nowMs }, request)) ?? [];
				}),
				skipped: states.flatMap(({ feed, kept, reason }): SkippedFeedWire[] =>
					reason === undefined
						? []
						: [{ feed_id: feed.id, reason, shown: kept ? SHOWN[kept.origin] : null }],
				),
			};
		},
	};
}

/** What a source's reply of now is beside its sample. */
export interface FeedTest extends ShapeDifference {
	readonly feed_id: string;
	readonly host: string;
	/** `changed` is read although something is missing, or unread because of it; `unreadable` fails for another reason. */
	readonly state: "same" | "changed" | "unreadable" | "unreachable";
	/** Why it was not read; null where it was. */
	readonly reason: string | null;
	/** Newest day that the reply tells of; null where there is none. */
	readonly newest: string | null;
}

/** What a search feed is asked in a test: a word that all of them have something on. */
const TEST_TOPIC = "energy";

async function testFeed(
	feed: FeedSpec,
	{ fetch, sample }: Pick<FeedsOptions, "fetch" | "sample">,
): Promise<FeedTest> {
	const about = { feed_id: feed.id, host: new URL(feed.url).host };
	const none = { missing: [], added: [], newest: null };
	if (!fetch) return { ...about, ...none, state: "unreachable", reason: NOT_FETCHED };
	let body: string | undefined;
	let reading: KeptReading["reading"] | undefined;
	let reason: string | null = null;
	try {
		const topic = feed.isSearch ? TEST_TOPIC : undefined;
		const onBody = (text: string) => {
			body = text;
		};
		({ reading } = await fetch(feed, { topic, onBody }));
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		reason = error.message;
	}
	if (body === undefined) return { ...about, ...none, state: "unreachable", reason };
	const difference = compareShapes(feed, fillSample(feed, await sample(feed.sample)), body);
	const newest = reading && newestOf(reading);
	const state = difference.missing.length > 0 ? "changed" : reason === null ? "same" : "unreadable";
	return {
		...{ ...about, ...difference, state, reason },
		newest: newest === undefined ? null : toIsoDay(newest),
	};
}

/** What the operator of a server says of a feed, over the registry. */
export interface FeedChange {
	readonly isEnabled: boolean;
	/** Least time between two requests to its host. */
	readonly intervalMs?: number | undefined;
}

const SWITCHED_OFF: FeedState = {
	kept: undefined,
	reason: "The operator of this server has switched the feed off.",
	failures: 0,
};

const SHOWN = { bundle: "bundle", source: "last_good" } as const;

/** The value of a feed. */
export interface FeedState {
	/** Undefined when there is none. */
	readonly kept: KeptReading | undefined;
	/** Why the source itself did not answer now; undefined when it did, or had done so lately. */
	readonly reason: string | undefined;
	/** Failures in a row. */
	readonly failures: number;
}

interface FetchRequest {
	readonly feed: FeedSpec;
	readonly topic: string | undefined;
	readonly key: string;
	readonly kept: KeptReading | undefined;
	readonly fetch: FeedFetcher;
}

const NOT_FETCHED = "Feeds are not fetched here.";
const NO_TOPIC = "It answers questions only; send a topic.";

/** The last good value of each feed, fetched again when it is no longer fresh. */
function createCurrentValues(bundle: FeedBundle, options: FeedsOptions) {
	const { fetch, clock } = options;
	const values = createLastValues(bundle, options);
	// Their address holds a caller's question, so they are never put on the disk.
	const searches = new LRUCache<string, KeptReading>({ max: FEED_LIMITS.searchesKept });
	const failures = createFeedFailures(clock);
	const running = new Map<string, Promise<FeedState>>();

	const fetchNow = async (request: FetchRequest): Promise<FeedState> => {
		const { feed, topic, key, kept } = request;
		try {
			const got = await request.fetch(feed, { topic, kept });
			failures.clear(feed.id);
			if (feed.isSearch) searches.set(key, got);
			else await values.put(feed, got);
			return { kept: got, reason: undefined, failures: 0 };
		} catch (error) {
			const reason = error instanceof ServiceError ? error.message : "It could not be read.";
			// A request that could not get its turn at a host is no failure of the source.
			const isBusy = error instanceof ServiceError && error.code === "RATE_LIMITED";
			const count = isBusy ? failures.find(feed.id)?.count : failures.add(feed.id, reason).count;
			return { kept, reason, failures: count ?? 0 };
		} finally {
			running.delete(key);
		}
	};
	return {
		/** Without a request to the source. */
		async recall(feed: FeedSpec): Promise<FeedState> {
			const failure = failures.find(feed.id);
			return {
				kept: feed.isSearch ? undefined : await values.get(feed),
				reason: fetch ? failure?.reason : NOT_FETCHED,
				failures: failure?.count ?? 0,
			};
		},
		/** Asks the source unless its value is fresh or it failed a moment ago. Never throws: what went wrong is the reason. */
		async refresh(feed: FeedSpec, topic?: string): Promise<FeedState> {
			const key = keyOf(feed, topic);
			const kept = feed.isSearch ? searches.get(key) : await values.get(feed);
			const unasked = (reason?: string, count = 0) => ({ kept, reason, failures: count });
			if (!fetch) return unasked(NOT_FETCHED);
			if (feed.isSearch && topic === undefined) return unasked(NO_TOPIC);
			if (isFresh(feed, kept, clock.now())) return unasked();
			const failure = failures.find(feed.id);
			if (failures.isPaused(feed.id)) return unasked(failure?.reason, failure?.count);
			const state = running.get(key) ?? fetchNow({ feed, topic, key, kept, fetch });
			running.set(key, state);
			return state;
		},
	};
}

/** Answers of search feeds differ by topic. */
function keyOf({ id, isSearch }: FeedSpec, topic = ""): string {
	return isSearch ? `${id}\n${topic}` : id;
}

function isFresh(feed: FeedSpec, kept: KeptReading | undefined, now: number): boolean {
	if (kept?.origin !== "source") return false;
	const age = now - kept.retrievedAt;
	const { freshMs } = FEED_LIMITS;
	const maxAge = isSeries(feed) ? freshMs[feed.frequency] : freshMs.items;
	return age >= 0 && age < maxAge;
}

/**
 * Which feeds failed lately, each with a sentence that may be shown and its failures in a row. They pause, whatever the topic,
 * so that a dead host costs one call its time and not every call.
 */
function createFeedFailures(clock: Clock) {
	const failures = new Map<string, { reason: string; count: number; retryAt: number }>();
	return {
		find: (feedId: string) => failures.get(feedId),
		/** True while it is too early to ask again. */
		isPaused(feedId: string): boolean {
			const failure = failures.get(feedId);
			if (!failure) return false;
			const waitMs = failure.retryAt - clock.now();
			// A clock that was set back must not pause a feed for longer than it is meant to.
			return waitMs > 0 && waitMs <= pauseMs(failure.count);
		},
		add(feedId: string, reason: string) {
			const count = (failures.get(feedId)?.count ?? 0) + 1;
			const failure = { reason, count, retryAt: clock.now() + pauseMs(count) };
			failures.set(feedId, failure);
			return failure;
		},
		clear: (feedId: string) => void failures.delete(feedId),
	};
}

function pauseMs(count: number): number {
	return Math.min(FEED_LIMITS.retryMaxMs, FEED_LIMITS.retryMs * 2 ** Math.min(count - 1, 10));
}
