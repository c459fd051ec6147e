import { toIsoTime } from "../../src/kernel/kernel.js";
import {
	exactDifference,
	type FeedItem,
	type FeedReading,
	type Observation,
} from "./feed-reading.js";
import { type FeedSpec, isSeries, type SeriesSpec } from "./feed-registry.js";
import type { KeptReading } from "./feed-values.js";
import type { ObservedFeedWire, ObserveRequest } from "./feed-wire.js";
import { nextPeriod, periodStart, yearBefore } from "./period.js";

interface KnownFeed {
	readonly feed: FeedSpec;
	readonly kept: KeptReading;
	readonly isStale: boolean;
	/** Milliseconds since the epoch. */
	readonly nowMs: number;
}

/** A feed in replies: its last value and change whatever was asked, and the newest of what is asked for. */
export function toObserved(
	known: KnownFeed,
	{ since, years, limit }: Pick<ObserveRequest, "since" | "years" | "limit">,
): ObservedFeedWire {
	const { feed, kept, isStale, nowMs } = known;
	const { reading, retrievedAt } = kept;
	const from = since === undefined ? Number.NEGATIVE_INFINITY : periodStart(since);
	const isWanted = (atMs: number) => {
		const year = new Date(atMs).getUTCFullYear();
		return atMs >= from && (years === undefined || (year >= years.from && year <= years.to));
	};
	const told = { ...toUnobserved(feed, retrievedAt), stale: isStale };
	if (reading.kind === "items") {
		const items = reading.items.filter(({ publishedAt }) => isWanted(timeOf(publishedAt, nowMs)));
		const shown = items.slice(0, limit).map(({ title, url, publishedAt, summary }) => {
			return { title, url, published_at: publishedAt, summary };
		});
		return { ...told, items: shown, total: items.length, ...headItem(feed, items[0], nowMs) };
	}
	if (!isSeries(feed)) return told;
	const { observations } = reading;
	const wanted = observations.filter(([period]) => isWanted(periodStart(period)));
	const last = observations.at(-1);
	const newest = wanted.at(-1);
	const before = newest && observations[observations.indexOf(newest) - 1];
	return {
		...told,
		last: last ? toObservationWire(last) : null,
		change: changeOf(feed, observations),
		observations: wanted.slice(-limit).map(toObservationWire),
		total: wanted.length,
		...(newest && headValue(feed, { newest, before, nowMs })),
	};
}

type Headed = Pick<ObservedFeedWire, "headline" | "age_days">;

function headItem(feed: FeedSpec, first: FeedItem | undefined, nowMs: number): Headed {
	if (!first) return { headline: null, age_days: null };
	const { title, publishedAt } = first;
	const ageDays = publishedAt === null ? null : daysBetween(Date.parse(publishedAt), nowMs);
	return { headline: headlineOf(feed, title, ageDays), age_days: ageDays };
}

/** A period is as old as its end. */
function headValue(
	feed: SeriesSpec,
	{
		newest,
		before,
		nowMs,
	}: {
		readonly newest: Observation;
		readonly before: Observation | undefined;
		readonly nowMs: number;
	},
): Headed {
	const ageDays = daysBetween(periodStart(nextPeriod(newest[0], feed.frequency)), nowMs);
	return {
		headline: headlineOf(feed, valueLine(feed, newest, before), ageDays),
		age_days: ageDays,
	};
}

const DAY_MS = 86_400_000;

function daysBetween(fromMs: number, toMs: number): number {
	return Math.max(0, Math.floor((toMs - fromMs) / DAY_MS));
}

/** "Brent crude oil price: 83.76 US dollars per barrel (2026-07), -1.64 (-1.92 %) since 2026-06; 114 days old; EIA" */
function headlineOf({ title, provider }: FeedSpec, value: string, ageDays: number | null): string {
	const age = ageDays === null ? [] : [ageDays === 1 ? "1 day old" : `${ageDays} days old`];
	return [`${title}: ${value}`, ...age, provider].join("; ");
}

function valueLine(feed: SeriesSpec, newest: Observation, before: Observation | undefined): string {
	const value = `${newest[1]} ${feed.unit} (${newest[0]})`;
	if (!before) return value;
	const { abs, pct } = changeOf(feed, [before, newest]);
	const points = feed.unit === "percent" ? " points" : "";
	const share = pct === null ? "" : ` (${signed(roundTo(pct, 2))} %)`;
	return `${value}, ${signed(abs ?? 0)}${points}${share} since ${before[0]}`;
}

function signed(value: number): string {
	return value > 0 ? `+${value}` : String(value);
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
		headline: null,
		age_days: null,
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
function timeOf(publishedAt: string | null, nowMs: number): number {
	return publishedAt === null ? nowMs : Date.parse(publishedAt);
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
