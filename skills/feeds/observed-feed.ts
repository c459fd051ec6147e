import { toIsoTime } from "../../src/kernel/kernel.js";
import { exactDifference, type FeedReading, type Observation } from "./feed-reading.js";
import { type FeedSpec, isSeries, type SeriesSpec } from "./feed-registry.js";
import type { KeptReading } from "./feed-values.js";
import type { ObservedFeedWire, ObserveRequest } from "./feed-wire.js";
import { periodStart, yearBefore } from "./period.js";

/** A feed in replies: its last value and change whatever was asked, and the newest of what is asked for. */
export function toObserved(
	{ feed, kept, isStale }: { feed: FeedSpec; kept: KeptReading; isStale: boolean },
	{ since, limit }: Pick<ObserveRequest, "since" | "limit">,
): ObservedFeedWire {
	const { reading, retrievedAt } = kept;
	const from = since === undefined ? Number.NEGATIVE_INFINITY : periodStart(since);
	const told = { ...toUnobserved(feed, retrievedAt), stale: isStale };
	if (reading.kind === "items") {
		const items = reading.items.filter(({ publishedAt }) => timeOf(publishedAt) >= from);
		const shown = items.slice(0, limit).map(({ title, url, publishedAt, summary }) => {
			return { title, url, published_at: publishedAt, summary };
		});
		return { ...told, items: shown, total: items.length };
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

/** When the newest reported thing began or appeared, in milliseconds; undefined for items without a date. */
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

/**
 * How a series moved, see `changeSchema`: shares in percent, to four decimals. Feeds in percent are compared in points: 4 %
 * after 2 % are two points more, not twice as much of anything.
 */
export function changeOf(
	feed: Pick<SeriesSpec, "frequency" | "unit">,
	observations: readonly Observation[],
): NonNullable<ObservedFeedWire["change"]> {
	const isRate = feed.unit === "percent";
	const last = observations.at(-1);
	const previous = observations.at(-2);
	const wanted = last && yearBefore(last[0], feed.frequency);
	const yearAgo = observations.findLast(([period]) => period === wanted);
	return {
		abs: last && previous ? exactDifference(last[1], previous[1]) : null,
		pct: last && previous && !isRate ? percentChange(last[1], previous[1]) : null,
		yoy: last && yearAgo ? (isRate ? exactDifference : percentChange)(last[1], yearAgo[1]) : null,
		yoy_unit: isRate ? "percentage_points" : "percent",
	};
}

function percentChange(after: string, before: string): number | null {
	const base = Number(before);
	if (base <= 0) return null;
	return roundTo((exactDifference(after, before) / base) * 100, 4);
}

/** Rounded to some decimals. */
export function roundTo(value: number, decimals: number): number {
	return Number(value.toFixed(decimals));
}
