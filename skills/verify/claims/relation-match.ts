import type { DateSpan } from "./date-spans.js";
import {
	type Compared,
	type Conflict,
	type Findings,
	NOTHING_FOUND,
	weightOf,
} from "./findings.js";
import type { Quantity } from "./quantities.js";
import type { TextReading } from "./text-reading.js";

/** Words between two things of which each has its own part: who comes before whom, what is more than what. */
const PIVOT =
	/\b(?<word>than|over|before|after|instead of|rather than|replac|obsolet|supersed|preced|extend|outperform|based on|part of|contain|beat)(?:\w*)(?<by>\s+by)?\b/giu;
/** Words on either side that belong to the pivot. */
const REACH_CHARS = 60;

/** The same things on the other sides of the same word: "dates take precedence over tags" against "tags over dates". */
export function compareRoles(compared: Compared): Findings {
	const { claim, sentence } = compared;
	const conflicts: Conflict[] = [];
	for (const pivot of claim.text.matchAll(PIVOT)) {
		const there = [...sentence.text.matchAll(PIVOT)].filter(
			(found) => wordOf(found) === wordOf(pivot),
		);
		const [only] = there;
		if (there.length !== 1 || !only) continue;
		const sides = sidesOf(compared, pivot.index, only.index);
		// "A replaced B" is "B was replaced by A".
		const isPassive = (pivot.groups?.["by"] === undefined) !== (only.groups?.["by"] === undefined);
		const turned = sides.filter(({ here, there }) => (here !== there) !== isPassive);
		const isBothWays = turned.some(({ here }) => here) && turned.some(({ here }) => !here);
		const isTold = 2 * weightOf(turned) > weightOf(sides);
		if (isBothWays && isTold) {
			const reason = `has what stands before and behind "${only[0]}" the other way round`;
			conflicts.push({ reason, sureness: 0.9, of: "opposite" });
		}
	}
	return { items: [], conflicts };
}

function wordOf({ groups }: RegExpExecArray): string | undefined {
	return groups?.["word"]?.toLowerCase();
}

/** Words and names of both texts near the pivots: whether each stands before it, in the claim and in the sentence. */
function sidesOf({ claim, sentence, aligned }: Compared, at: number, there: number) {
	const words = aligned.flatMap(({ word: { start, weight }, match, by }) =>
		match && by === "word" && weight > 0 ? [{ one: start, other: match.start, weight }] : [],
	);
	const names = claim.names.flatMap((name) => {
		const same = sentence.names.find(({ key }) => key === name.key);
		return same ? [{ one: name.start, other: same.start, weight: NAME_WEIGHT }] : [];
	});
	const isNear = (one: number, other: number) => Math.abs(one - other) <= REACH_CHARS;
	return [...words, ...names]
		.filter(({ one, other }) => isNear(one, at) && isNear(other, there))
		.map(({ one, other, weight }) => ({ here: one < at, there: other < there, weight }));
}

const NAME_WEIGHT = 1;

const MORE = /\b(?:more|higher|larger|greater|bigger)\b[^.]{0,200}\bthan\b/i;
const LESS = /\b(?:fewer|less|lower|smaller)\b[^.]{0,200}\bthan\b/i;
const UP =
	/\b(?:grow(?:s|n|ing)?|grew|increas(?:e|es|ed|ing)|ris(?:e|es|en|ing)|rose|climb(?:s|ed|ing)?)\b/i;
const DOWN =
	/\b(?:fall(?:s|en|ing)?|fell|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|shr(?:inks|ank|unk|inking)|dropp?(?:s|ed|ing)?)\b/i;
const AFTER_FIGURE = /^\s*(?:rows?|records?|entries|items?)?\s*(?:in|for|at|during|\()?\s*\(?$/i;

/** Counts by year against what a claim says of two years, or of a development: more in one than in another, growth since. */
export function compareTrends({ claim, sentence }: Compared): Findings {
	const series = seriesOf(sentence);
	const [first, second] = claim.dates;
	if (series.length < 2 || !first || claim.quantities.length > 0) return NOTHING_FOUND;
	const before = valueAt(series, first);
	if (second) return report(directionOf(claim, MORE, LESS), before, valueAt(series, second));
	if (first.relation !== "after" && first.relation !== "since") return NOTHING_FOUND;
	const last = [...series].sort((a, b) => a.at.from - b.at.from).at(-1);
	return report(directionOf(claim, UP, DOWN), last?.value, before);
}

function directionOf({ text }: TextReading, up: RegExp, down: RegExp): number {
	if (up.test(text)) return 1;
	return down.test(text) ? -1 : 0;
}

type Point = { readonly at: DateSpan; readonly value: number };

/** "127 for 2014", "311 in 2021": the figure that stands right before each date. */
function seriesOf({ text, dates, quantities }: TextReading): readonly Point[] {
	return dates.flatMap((at) => {
		const before = quantities.findLast(({ end }) => end <= at.start);
		const gap = before ? text.slice(before.end, at.start) : "";
		return before?.dimension === "count" && AFTER_FIGURE.test(gap)
			? [{ at, value: before.upper }]
			: [];
	});
}

function valueAt(series: readonly Point[], date: DateSpan): number | undefined {
	return series.find(({ at }) => at.from >= date.from && at.to <= date.to)?.value;
}

function report(direction: number, one: number | undefined, other: number | undefined): Findings {
	if (direction === 0 || one === undefined || other === undefined) return NOTHING_FOUND;
	const text = `${one} against ${other}`;
	const contrary: Conflict = { reason: `counts ${text}`, sureness: 1, of: "trend" };
	return toTrend(text, Math.sign(one - other) === direction ? [] : [contrary]);
}

function toTrend(text: string, conflicts: readonly Conflict[]): Findings {
	const item = { weight: 1, place: "sentence", isEssential: false, isFigure: true, text } as const;
	return { items: [item], conflicts };
}

const COMPARISON =
	/\b(?<word>more|larger|bigger|greater|higher|longer|dearer|costlier|heavier|less|fewer|smaller|shorter|lower|cheaper|lighter)\b[^.;]{0,200}?\bthan\b/iu;
const FEWER = /^(?:less|fewer|smaller|shorter|lower|cheaper|lighter)$/i;

/** "Has more rows than" against a sentence that counts the rows of both: the figures decide, whatever words it has. */
export function compareCounts({ claim, sentence }: Compared): Findings {
	const found = COMPARISON.exec(claim.text);
	if (!found || claim.quantities.length > 0 || sentence.quantities.length < 2) return NOTHING_FOUND;
	const split = found.index + found[0].length;
	const isLeft = (at: number) => at < found.index;
	const isRight = (at: number) => at >= split;
	const left = anchorsOf(claim, sentence, [isLeft, isRight]);
	const right = anchorsOf(claim, sentence, [isRight, isLeft]);
	if (right.length === 0) return NOTHING_FOUND;
	const told = sentence.quantities.filter(({ start }) =>
		[...left, ...right].some((at) => isBeside(sentence.text, at, start)),
	);
	const other = nearestTo(right, told);
	const rest = told.filter((each) => each !== other && each.dimension === other?.dimension);
	const one = left.length > 0 ? nearestTo(left, rest) : rest[0];
	if (!one || !other || one.value === other.value) return NOTHING_FOUND;
	const holds = one.value < other.value === FEWER.test(found.groups?.["word"] ?? "");
	const text = `${one.text} against ${other.text}`;
	return toTrend(text, holds ? [] : [{ reason: `tells ${text}`, sureness: 0.9, of: "trend" }]);
}

type Where = (at: number) => boolean;

/** Where names and words come back that only one side of the claim has. */
function anchorsOf(
	claim: TextReading,
	sentence: TextReading,
	[isHere, isThere]: readonly [Where, Where],
): readonly number[] {
	const beyond = new Set([
		...claim.names.filter(({ start }) => isThere(start)).map(({ key }) => key),
		...claim.words.filter(({ start }) => isThere(start)).map(({ stem }) => stem),
	]);
	const names = claim.names.filter(({ start, key }) => isHere(start) && !beyond.has(key));
	const words = claim.words.filter(
		({ start, stem, weight }) => isHere(start) && weight > 0 && !beyond.has(stem),
	);
	const found =
		names.length > 0
			? names.flatMap(({ key }) => sentence.names.filter((name) => name.key === key))
			: words.flatMap(({ stem }) => sentence.words.filter((word) => word.stem === stem));
	return found.map(({ start }) => start);
}

const BREAKS = /[,;:]\s/g;

/** At most one break lies between what is counted and its number; beyond, the number counts something else. */
function isBeside(text: string, at: number, number: number): boolean {
	const between = text.slice(Math.min(at, number), Math.max(at, number));
	return [...between.matchAll(BREAKS)].length <= 1;
}

function nearestTo(
	anchors: readonly number[],
	quantities: readonly Quantity[],
): Quantity | undefined {
	const distance = ({ start }: Quantity) => Math.min(...anchors.map((at) => Math.abs(start - at)));
	return [...quantities].sort((a, b) => distance(a) - distance(b))[0];
}
