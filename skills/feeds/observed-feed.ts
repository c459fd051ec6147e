import { toIsoTime } from "../../src/kernel/kernel.js";
import type { KeptReading } from "./feed-cache.js";
import type { FeedItem, FeedReading, Observation } from "./feed-reading.js";
import { type FeedSpec, isSeries } from "./feed-spec.js";
import type { ObservedFeedWire } from "./feed-wire.js";
import { periodStart } from "./period.js";
import { changeOf } from "./series-change.js";

interface Asked {
	/** A year, month or day. */
	readonly since?: string | undefined;
	readonly limit: number;
}

/** A feed as it is told: its last value and change whatever was asked, and the newest of what is asked for. */
export function toObserved(
	{
		feed,
		kept,
		isStale,
	}: { readonly feed: FeedSpec; readonly kept: KeptReading; readonly isStale: boolean },
	{ since, limit }: Asked,
): ObservedFeedWire {
	const { reading, retrievedAt } = kept;
	const from = since === undefined ? Number.NEGATIVE_INFINITY : periodStart(since);
	const told = { ...toUnobserved(feed, retrievedAt), stale: isStale };
	if (reading.kind === "items") {
		const items = reading.items.filter(({ publishedAt }) => timeOf(publishedAt) >= from);
		return { ...told, items: items.slice(0, limit).map(toItemWire), total: items.length };
	}
	const { observations } = reading;
	const wanted = observations.filter(([period]) => periodStart(period) >= from);
	const last = observations.at(-1);
	return {
		...told,
		last: last ? toObservationWire(last) : null,
		change: isSeries(feed) ? changeOf(feed, observations) : null,
		observations: wanted.slice(-limit).map(toObservationWire),
		total: wanted.length,
	};
}

/** A feed of which nothing is known. */
export function toUnobserved(feed: FeedSpec, atMs: number): ObservedFeedWire {
	return {
		...toDescribed(feed),
		retrieved_at: toIsoTime(atMs),
		stale: true,
		last: null,
		change: null,
		observations: [],
		items: [],
		total: 0,
	};
}

/** What the registry says of a feed. */
export function toDescribed(feed: FeedSpec) {
	return {
		feed_id: feed.id,
		provider: feed.provider,
		title: feed.title,
		kind: isSeries(feed) ? ("series" as const) : ("items" as const),
		unit: isSeries(feed) ? feed.unit : null,
		frequency: isSeries(feed) ? feed.frequency : null,
		source_url: feed.page,
		licence: feed.licence,
		terms_url: feed.terms,
	};
}

/** When the newest thing that is told began or appeared, in milliseconds; undefined for items nobody dates. */
export function newestOf(reading: FeedReading): number | undefined {
	if (reading.kind === "items") {
		const [first] = reading.items;
		return first?.publishedAt ? Date.parse(first.publishedAt) : undefined;
	}
	const last = reading.observations.at(-1);
	return last && periodStart(last[0]);
}

/** Items without a date are as new as any. */
function timeOf(publishedAt: string | null): number {
	return publishedAt === null ? Number.POSITIVE_INFINITY : Date.parse(publishedAt);
}

function toObservationWire([period, value]: Observation) {
	return { period, value: Number(value), value_text: value };
}

function toItemWire({ title, url, publishedAt, summary }: FeedItem) {
	return { title, url, published_at: publishedAt, summary };
}
