import { FEED_LIMITS } from "./feed-limits.js";
import type { Observation } from "./feed-reading.js";
import type { Frequency } from "./feed-registry.js";
import { FREQUENCIES, type TRANSFORM_NAMES } from "./feed-wire.js";
import { roundTo } from "./observed-feed.js";
import { nextPeriod, periodStart, toCoarser, toWeek } from "./period.js";

export type Transform = (typeof TRANSFORM_NAMES)[number];

/**
 * Rows in other terms: `pct_change` in percent of the row before, `index` with 100 at the first period that all have. Null
 * where that would divide by what is not positive.
 */
export function transformRows(
	rows: readonly AlignedRow[],
	transform: Transform,
): readonly AlignedRow[] {
	switch (transform) {
		case "none":
			return rows;
		case "pct_change":
			return rows.slice(1).map(({ period, values }, place) => ({
				period,
				values: values.map((value, column) =>
					percentOf(rows[place]?.values[column], value, { less: 100 }),
				),
			}));
		case "index": {
			const base = rows.find(({ values }) => values.every((value) => value !== null));
			return rows.map(({ period, values }) => ({
				period,
				values: values.map((value, column) => percentOf(base?.values[column], value, { less: 0 })),
			}));
		}
	}
}

/** A value in percent of another, less so many percent; null where either is missing or the base is not positive. */
function percentOf(
	base: number | null | undefined,
	value: number | null,
	{ less }: { readonly less: number },
): number | null {
	if (base === null || base === undefined || base <= 0 || value === null) return null;
	return roundTo((value / base - less / 100) * 100, 4);
}

/** Pearson's correlation of every pair of columns, in order, over the periods that both have. */
export function correlate(rows: readonly AlignedRow[], columns: number) {
	const places = Array.from({ length: columns }, (_, place) => place);
	return places.flatMap((a) =>
		places.slice(a + 1).map((b) => {
			const pairs = rows.flatMap(({ values }) => {
				const [x, y] = [values[a] ?? null, values[b] ?? null];
				return x === null || y === null ? [] : [[x, y] as const];
			});
			return {
				pair: [a, b] as const,
				r: pearson(pairs),
				n: pairs.length,
				isSmallSample: pairs.length < FEED_LIMITS.correlationPairsMin,
			};
		}),
	);
}

/** Null for fewer than three pairs, and where one of the two never changes. */
function pearson(pairs: readonly (readonly [number, number])[]): number | null {
	if (pairs.length < 3) return null;
	const meanX = pairs.reduce((sum, [x]) => sum + x, 0) / pairs.length;
	const meanY = pairs.reduce((sum, [, y]) => sum + y, 0) / pairs.length;
	let [xy, xx, yy] = [0, 0, 0];
	for (const [x, y] of pairs) {
		xy += (x - meanX) * (y - meanY);
		xx += (x - meanX) ** 2;
		yy += (y - meanY) ** 2;
	}
	const spread = Math.sqrt(xx) * Math.sqrt(yy);
	return spread === 0 ? null : roundTo(Math.max(-1, Math.min(1, xy / spread)), 4);
}

/** Values of one period, in the order of the series; null where a series has none. */
export interface AlignedRow {
	readonly period: string;
	readonly values: readonly (number | null)[];
}

export interface DatedSeries {
	readonly frequency: Frequency;
	/** From old to new. */
	readonly observations: readonly Observation[];
}

/** The coarsest of some frequencies. */
export function coarsestOf(frequencies: readonly Frequency[]): Frequency {
	const place = Math.max(...frequencies.map((frequency) => FREQUENCIES.indexOf(frequency)));
	return FREQUENCIES[place] ?? "annual";
}

export function isFiner(frequency: Frequency, other: Frequency): boolean {
	return FREQUENCIES.indexOf(frequency) < FREQUENCIES.indexOf(other);
}

/**
 * Series at one frequency, which must be none finer than theirs: finer ones become the mean of each whole period, so that
 * the beginning of a year is never held against a year. A week is named by the day it ends on, which is that of the weekly
 * series. Rows are the periods that at least one series has, in order.
 */
export function alignSeries(
	series: readonly DatedSeries[],
	frequency: Frequency,
): readonly AlignedRow[] {
	const weekday = frequency === "weekly" ? weekdayOf(series) : undefined;
	const toRow = (period: string) =>
		weekday === undefined ? toCoarser(period, frequency) : toWeek(period, weekday);
	const columns = series.map((one) => new Map(toFrequency(one, { frequency, toRow })));
	const periods = new Set(columns.flatMap((column) => [...column.keys()]));
	return [...periods]
		.sort((a, b) => (a < b ? -1 : 1))
		.map((period) => ({ period, values: columns.map((column) => column.get(period) ?? null) }));
}

function toFrequency(
	{ frequency: own, observations }: DatedSeries,
	{
		frequency,
		toRow,
	}: { readonly frequency: Frequency; readonly toRow: (period: string) => string },
): readonly (readonly [string, number])[] {
	const pairs = observations.map(([period, value]) => [period, Number(value)] as const);
	// Those that name the same day too: of weeks that a holiday shortened, the day is another one.
	if (own === frequency) return pairs.map(([period, value]) => [toRow(period), value]);
	const groups = new Map<string, number[]>();
	for (const [period, value] of pairs) {
		const coarse = toRow(period);
		const group = groups.get(coarse);
		if (group) group.push(value);
		else groups.set(coarse, [value]);
	}
	const isWhole = wholeness(own, frequency, [...groups.keys()]);
	return [...groups]
		.filter(([period, values]) => isWhole(period, values.length))
		.map(([period, values]) => [period, meanOf(values)]);
}

/** The day weekly series end their weeks on: the one most of them have; Sunday where there are none. */
function weekdayOf(series: readonly DatedSeries[]): number {
	const days = new Map<number, number>();
	for (const { frequency, observations } of series) {
		if (frequency !== "weekly") continue;
		for (const [period] of observations) {
			const day = new Date(periodStart(period)).getUTCDay();
			days.set(day, (days.get(day) ?? 0) + 1);
		}
	}
	const [most = [0]] = [...days].sort(([, a], [, b]) => b - a);
	return most?.[0] ?? 0;
}

/**
 * Months and quarters are counted. Days and weeks have holidays: of them a period is whole when there is something before
 * and after it, which the first and the last one never have.
 */
function wholeness(own: Frequency, frequency: Frequency, periods: readonly string[]) {
	if (own === "monthly" || own === "quarterly") {
		return (period: string, count: number) => count === partsIn(period, { own, frequency });
	}
	const [first, last] = [periods[0], periods.at(-1)];
	return (period: string) => period !== first && period !== last;
}

function partsIn(
	period: string,
	{ own, frequency }: { readonly own: Frequency; readonly frequency: Frequency },
): number {
	const end = nextPeriod(period, frequency);
	let parts = 0;
	for (let at = toCoarser(period, own); toCoarser(at, frequency) < end; at = nextPeriod(at, own)) {
		parts += 1;
	}
	return parts;
}

/** Twelve digits: what binary fractions leave behind is no measurement. */
function meanOf(values: readonly number[]): number {
	const sum = values.reduce((total, value) => total + value, 0);
	return Number((sum / values.length).toPrecision(12));
}
