import { exactDifference } from "./connectors/published-number.js";
import type { Observation } from "./feed-reading.js";
import type { SeriesSpec } from "./feed-spec.js";
import { yearBefore } from "./period.js";

/** How a series moved. Shares in percent, to four decimals. */
export interface SeriesChange {
	/** Last value minus the one before, in the unit of the feed. */
	readonly abs: number | null;
	/** The same in percent of the value before; null for feeds in percent, and where that value is not positive. */
	readonly pct: number | null;
	/** Last value against the same period a year before; null for days and weeks, and where there is none. */
	readonly yoy: number | null;
	/** Feeds in percent are compared in points: 4 % after 2 % are two points more, not twice as much of anything. */
	readonly yoy_unit: "percent" | "percentage_points";
}

export function changeOf(
	feed: Pick<SeriesSpec, "frequency" | "unit">,
	observations: readonly Observation[],
): SeriesChange {
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
