import { type Json, readCursor, toCursor } from "../../src/contract/contract.js";
import { type Clock, toIsoTime } from "../../src/kernel/kernel.js";
import type { FeedSpec } from "./feed-registry.js";
import type { Feeds } from "./feed-service.js";
import { newestOf, toDescribed } from "./observed-feed.js";

export interface FeedListRequest {
	readonly provider?: string | undefined;
	readonly kind?: "series" | "items" | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** What is told of supplemental feeds for free: which there are and how they do; what they say is for sale. */
export interface FeedDirectory {
	suggest(topic: string, limit: number): Promise<Json>;
	/** In the order of their ids. Throws INVALID_ARGUMENT for a cursor of another list. */
	list(request: FeedListRequest): Promise<Json>;
	/** Throws NOT_FOUND, with near ids. */
	get(feedId: string): Promise<Json>;
	/** Asks no source. */
	health(): Promise<Json>;
}

export interface FeedDirectoryDeps {
	readonly feeds: Feeds;
	readonly clock: Clock;
}

const DAY_MS = 86_400_000;

export function createFeedDirectory(deps: FeedDirectoryDeps): FeedDirectory {
	const { feeds } = deps;
	const { toListed, statusOf } = createFeedLines(deps);
	return {
		async suggest(topic, limit) {
			const found = await feeds.suggest(topic, limit);
			return {
				items: found.map(({ feed, reason }) => ({
					feed_id: feed.id,
					title: feed.title,
					provider: feed.provider,
					reason,
				})),
			};
		},

		async list({ provider, kind, limit, cursor }) {
			const asked = { provider: provider ?? null, kind: kind ?? null };
			const identity = { list: "feeds", asked };
			const [after = ""] = cursor === undefined ? [] : readCursor(cursor, identity, 1);
			const wanted = provider?.toLowerCase();
			const rest = [...(await feeds.registry()).values()]
				.filter(
					(feed) =>
						feed.id > after &&
						(wanted === undefined || feed.provider.toLowerCase().includes(wanted)) &&
						(kind === undefined || toDescribed(feed).kind === kind),
				)
				.sort((a, b) => (a.id < b.id ? -1 : 1));
			const page = rest.slice(0, limit);
			const last = page.at(-1);
			return {
				items: await Promise.all(page.map(toListed)),
				next_cursor: last && rest.length > limit ? toCursor(identity, [last.id]) : null,
			};
		},

		async get(feedId) {
			const feed = await feeds.get(feedId);
			return {
				...(await toListed(feed)),
				host: new URL(feed.url).host,
				min_interval_s: feed.intervalMs / 1000,
				status: await statusOf(feed),
			};
		},

		async health() {
			const all = [...(await feeds.registry()).values()];
			const items = [];
			// One after the other: each may read a file.
			for (const feed of all) items.push({ feed_id: feed.id, ...(await statusOf(feed)) });
			return {
				mode: feeds.mode,
				registered: all.length,
				known: items.filter(
					({ lag_days, last_success_at }) => lag_days !== null || last_success_at !== null,
				).length,
				failing: items.filter(({ failures }) => failures > 0).length,
				items,
			};
		},
	};
}

/** What lists say of one feed. */
function createFeedLines({ feeds, clock }: FeedDirectoryDeps) {
	return {
		toListed: async (feed: FeedSpec) => ({
			...toDescribed(feed),
			topics: feed.topics,
			connector: feed.connector,
			is_search: feed.isSearch,
			is_bundled: (await feeds.bundle()).readings.has(feed.id),
		}),
		statusOf: async (feed: FeedSpec) => {
			const { kept, reason, failures } = await feeds.recall(feed);
			const newest = kept && newestOf(kept.reading);
			const reading = kept?.reading;
			const last = reading?.kind === "series" ? reading.observations.at(-1) : undefined;
			return {
				last_success_at: kept?.origin === "source" ? toIsoTime(kept.retrievedAt) : null,
				last_period: last?.[0] ?? null,
				lag_days: newest === undefined ? null : Math.floor((clock.now() - newest) / DAY_MS),
				stale: reason !== undefined || kept?.origin !== "source",
				failures,
				reason: reason ?? null,
			};
		},
	};
}
