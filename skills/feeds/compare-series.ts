import type { AlignedRow } from "./align-series.js";
import { FEED_LIMITS } from "./feed-limits.js";
import type { TRANSFORM_NAMES } from "./feed-wire.js";
import { roundTo } from "./series-change.js";

export type Transform = (typeof TRANSFORM_NAMES)[number];

/** Pearson's correlation of two series over the periods that both have. */
export interface SeriesCorrelation {
	/** Places of the two among the series. */
	readonly pair: readonly [number, number];
	/** Null for fewer than three pairs, and where one of them never changes. */
	readonly r: number | null;
	readonly n: number;
	/** True below FEED_LIMITS.correlationPairsMin pairs. */
	readonly isSmallSample: boolean;
}

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
				values: values.map((value, column) => changeFrom(rows[place]?.values[column], value)),
			}));
		case "index": {
			const base = rows.find(({ values }) => values.every((value) => value !== null));
			return rows.map(({ period, values }) => ({
				period,
				values: values.map((value, column) => indexOn(base?.values[column], value)),
			}));
		}
	}
}

function changeFrom(before: number | null | undefined, value: number | null): number | null {
	const share = shareOf(before, value);
	return share === null ? null : roundTo((share - 1) * 100, 4);
}

function indexOn(base: number | null | undefined, value: number | null): number | null {
	const share = shareOf(base, value);
	return share === null ? null : roundTo(share * 100, 4);
}

function shareOf(base: number | null | undefined, value: number | null): number | null {
	if (base === null || base === undefined || base <= 0 || value === null) return null;
	return value / base;
}

/** Every pair of columns, in order. */
export function correlate(
	rows: readonly AlignedRow[],
	columns: number,
): readonly SeriesCorrelation[] {
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
