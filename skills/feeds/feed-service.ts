import { type Clock, createSizedCache, ServiceError } from "../../src/kernel/kernel.js";
import type { KeptReading } from "./feed-cache.js";
import { createFeedFailures } from "./feed-failures.js";
import type { FeedFetcher } from "./feed-fetcher.js";
import { FEED_LIMITS } from "./feed-limits.js";
import { type FeedSpec, isSeries } from "./feed-spec.js";
import { createLastValues, type LastValuesDeps } from "./last-values.js";

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

export function createFeedService(deps: FeedServiceDeps): FeedService {
	const { fetch, clock } = deps;
	const values = createLastValues(deps);
	// Their address holds what somebody asked, so they are never put on the disk.
	const searches = createSizedCache<string, KeptReading>({
		sizeMax: FEED_LIMITS.searchesKept,
		sizeOf: () => 1,
	});
	const failures = createFeedFailures(clock);
	const running = new Map<string, { readonly done: Promise<FeedState> }>();

	const refresh = async (request: FeedRequest): Promise<FeedState> => {
		const { feed, topic, key, kept } = request;
		try {
			const got = await request.fetch(feed, { topic, kept });
			failures.clear(feed.id);
			if (feed.isSearch) searches.put(key, got);
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
