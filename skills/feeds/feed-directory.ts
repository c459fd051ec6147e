import { type Json, type PageRequest, readCursor, takePage } from "../../src/contract/contract.js";
import { type Clock, toIsoTime } from "../../src/kernel/kernel.js";
import type { FeedSpec } from "./feed-registry.js";
import type { FeedState, Feeds } from "./feed-service.js";
import { newestOf, toDescribed } from "./observed-feed.js";

const DAY_MS = 86_400_000;

interface FeedListRequest extends PageRequest {
	readonly provider?: string | undefined;
	readonly kind?: "series" | "items" | undefined;
}

export type FeedDirectory = ReturnType<typeof createFeedDirectory>;

/** The free operations on supplemental feeds: which there are and how they do; their values are for sale. */
export function createFeedDirectory({ feeds, clock }: { feeds: Feeds; clock: Clock }) {
	const statusOf = async (feed: FeedSpec) => toStatus(await feeds.recall(feed), clock.now());
	const toListed = async (feed: FeedSpec) => ({
		...toDescribed(feed),
		topics: feed.topics,
		connector: feed.connector,
		is_search: feed.isSearch,
		is_bundled: (await feeds.bundle()).readings.has(feed.id),
	});
	return {
		async suggest(topic: string, limit: number): Promise<Json> {
			const found = await feeds.suggest(topic, limit);
			return {
				items: found.map(({ feed: { id, title, provider }, reason }) => {
					return { feed_id: id, title, provider, reason };
				}),
			};
		},

		/** In the order of their ids. Throws INVALID_ARGUMENT for a cursor of another list. */
		async list({ provider, kind, limit, cursor }: FeedListRequest): Promise<Json> {
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
			const { page, next_cursor } = takePage(rest, limit, identity, ({ id }) => [id]);
			return { items: await Promise.all(page.map(toListed)), next_cursor };
		},

		/** Throws NOT_FOUND, with near ids. */
		async get(feedId: string): Promise<Json> {
			const feed = await feeds.get(feedId);
			return {
				...(await toListed(feed)),
				host: new URL(feed.url).host,
				min_interval_s: feed.intervalMs / 1000,
				status: await statusOf(feed),
			};
		},

		/** Sends no request to a source. */
		async health(): Promise<Json> {
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

function toStatus({ kept, reason, failures }: FeedState, now: number) {
	const reading = kept?.reading;
	const newest = reading && newestOf(reading);
	const last = reading?.kind === "series" ? reading.observations.at(-1) : undefined;
	return {
		last_success_at: kept?.origin === "source" ? toIsoTime(kept.retrievedAt) : null,
		last_period: last?.[0] ?? null,
		lag_days: newest === undefined ? null : Math.floor((now - newest) / DAY_MS),
		stale: reason !== undefined || kept?.origin !== "source",
		failures,
		reason: reason ?? null,
	};
}
