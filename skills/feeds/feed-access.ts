import { findNearNames } from "../../src/evidence/evidence.js";
import { memoize, ServiceError } from "../../src/kernel/kernel.js";
import type { FeedBundle } from "./bundled-observations.js";
import { FEED_LIMITS } from "./feed-limits.js";
import type { FeedRegistry } from "./feed-registry.js";
import { createFeedService, type FeedService, type FeedServiceDeps } from "./feed-service.js";
import type { FeedSpec } from "./feed-spec.js";
import type { ObservedFeedWire, SkippedFeedWire } from "./feed-wire.js";
import { toObserved, toUnobserved } from "./observed-feed.js";
import { createSuggestFeeds, type FeedSuggestion } from "./suggest-feeds.js";

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
