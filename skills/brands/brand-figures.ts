/** Bounds of a share, 0..1. */
export interface Interval {
	readonly low: number;
	readonly high: number;
}

/** 97.5 % quantile of the normal distribution: bounds of 95 %. */
const Z = 1.959_963_984_540_054;
const PARTS = 10_000;

/**
 * Wilson's score interval of a share of `count` in `total` at 95 % (Wilson 1927): (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) /
 * (1 + z²/n). It stays within 0..1 and holds for small samples; nothing counted is nothing known, 0..1. Four decimals.
 */
export function wilsonInterval(count: number, total: number): Interval {
	if (total <= 0) return { low: 0, high: 1 };
	const share = Math.min(1, Math.max(0, count / total));
	const square = (Z * Z) / total;
	const middle = share + square / 2;
	const reach = Z * Math.sqrt((share * (1 - share)) / total + square / (4 * total));
	return {
		low: round(Math.max(0, (middle - reach) / (1 + square))),
		high: round(Math.min(1, (middle + reach) / (1 + square))),
	};
}

/**
 * Shares of some counts with four decimals that add up to exactly 1 (largest remainder); zeros where nothing was counted.
 */
export function sharesOf(counts: readonly number[]): readonly number[] {
	const total = counts.reduce((sum, count) => sum + count, 0);
	if (total <= 0) return counts.map(() => 0);
	const exact = counts.map((count) => (count / total) * PARTS);
	const parts = exact.map(Math.floor);
	const left = PARTS - parts.reduce((sum, part) => sum + part, 0);
	const byRemainder = exact
		.map((value, place) => ({ place, remainder: value - Math.floor(value) }))
		.sort((a, b) => b.remainder - a.remainder || a.place - b.place);
	for (const { place } of byRemainder.slice(0, left)) parts[place] = (parts[place] ?? 0) + 1;
	return parts.map((part) => part / PARTS);
}

/** Four decimals. */
export function round(value: number): number {
	return Math.round(value * PARTS) / PARTS;
}
