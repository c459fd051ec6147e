/** How good a ranking is: the usual measures of retrieval, each for one question, and what their mean is worth. */
import { round as roundTo } from "../figures.js";
import { createSeededNumbers } from "../generated-graph.js";

/** Grades of relevance by document; what is missing is not relevant. */
export type Grades = ReadonlyMap<string, number>;

/** Normalized discounted cumulative gain, with gains 2^grade − 1 (Järvelin and Kekäläinen, 2002); 0 without relevant documents. */
export function ndcgAt(cutoff: number, ranked: readonly string[], grades: Grades): number {
	const ideal = discounted([...grades.values()].sort((a, b) => b - a).slice(0, cutoff));
	return ideal === 0
		? 0
		: discounted(ranked.slice(0, cutoff).map((id) => grades.get(id) ?? 0)) / ideal;
}

/** Share of the relevant documents among the first `cutoff`. */
export function recallAt(cutoff: number, ranked: readonly string[], grades: Grades): number {
	if (grades.size === 0) return 0;
	return ranked.slice(0, cutoff).filter((id) => grades.has(id)).length / grades.size;
}

/** One over the place of the first relevant document; 0 when none was found. */
export function reciprocalRank(ranked: readonly string[], grades: Grades): number {
	const place = ranked.findIndex((id) => grades.has(id));
	return place < 0 ? 0 : 1 / (place + 1);
}

/** A mean and the range that 95 % of resampled means fall into (percentile bootstrap). */
export interface Estimate {
	readonly mean: number;
	readonly low: number;
	readonly high: number;
}

const RESAMPLES = 1_000;

/** The same values and seed give the same range. */
export function estimate(values: readonly number[], seed = 1): Estimate {
	const next = createSeededNumbers(seed);
	const means = Array.from({ length: RESAMPLES }, () => {
		let sum = 0;
		for (let drawn = 0; drawn < values.length; drawn++) {
			sum += values[Math.floor(next() * values.length)] ?? 0;
		}
		return sum / values.length;
	}).sort((a, b) => a - b);
	const at = (share: number) => round(means[Math.floor(share * (RESAMPLES - 1))] ?? Number.NaN);
	const mean = round(values.reduce((sum, value) => sum + value, 0) / values.length);
	return { mean, low: at(0.025), high: at(0.975) };
}

export interface Detection {
	readonly precision: number;
	readonly recall: number;
	readonly said: number;
	readonly meant: number;
}

/** How well "nothing here" is detected: of those said, how many were meant; of those meant, how many were said. */
export function detection(cases: readonly { said: boolean; meant: boolean }[]): Detection {
	const said = cases.filter((one) => one.said).length;
	const meant = cases.filter((one) => one.meant).length;
	const right = cases.filter((one) => one.said && one.meant).length;
	return { precision: round(right / said), recall: round(right / meant), said, meant };
}

/** The same with the ranges of both. */
export interface DetectionRange extends Pick<Detection, "said" | "meant"> {
	readonly precision: Estimate;
	readonly recall: Estimate;
}

export function detectionRange(
	cases: readonly { said: boolean; meant: boolean }[],
): DetectionRange {
	const said = cases.filter((one) => one.said);
	const meant = cases.filter((one) => one.meant);
	return {
		precision: estimate(said.map((one) => (one.meant ? 1 : 0))),
		recall: estimate(meant.map((one) => (one.said ? 1 : 0))),
		said: said.length,
		meant: meant.length,
	};
}

/** A strength in 0..1 and what it should have come to. */
interface Outcome {
	readonly strength: number;
	readonly target: number;
}

/** How often a good outcome is stronger than a bad one. */
export function areaUnderCurve(outcomes: readonly Outcome[]): number {
	const bad = outcomes.filter(({ target }) => target === 0);
	const good = outcomes.filter(({ target }) => target === 1);
	let wins = 0;
	for (const { strength } of good) {
		for (const other of bad) wins += (1 + Math.sign(strength - other.strength)) / 2;
	}
	return wins / (good.length * bad.length);
}

const BINS = 10;

/** Expected calibration error in ten bins. */
export function calibrationError(outcomes: readonly Outcome[]): number {
	const gaps = new Array<number>(BINS).fill(0);
	for (const { strength, target } of outcomes) {
		const bin = Math.min(BINS - 1, Math.floor(strength * BINS));
		gaps[bin] = (gaps[bin] ?? 0) + strength - target;
	}
	return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / outcomes.length;
}

function discounted(grades: readonly number[]): number {
	return grades.reduce((sum, grade, place) => sum + (2 ** grade - 1) / Math.log2(place + 2), 0);
}

const DIGITS = 4;

function round(value: number): number {
	return roundTo(value, DIGITS);
}
