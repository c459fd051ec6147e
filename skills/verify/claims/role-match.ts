import type { Conflict, Findings, Item } from "./comparison-items.js";
import type { DateSpan } from "./date-spans.js";
import type { TextReading } from "./text-reading.js";
import type { AlignedWord } from "./word-alignment.js";

/** Words between two things of which each has its own part: who comes before whom, what is more than what. */
const PIVOT =
	/\b(?<word>than|over|before|after|instead of|rather than|replac|obsolet|supersed|preced|extend|outperform|based on|part of|contain|beat)(?:\w*)(?<by>\s+by)?\b/giu;
/** Words on either side that belong to the pivot. */
const REACH_CHARS = 60;

/** The same things on the other sides of the same word: "dates take precedence over tags" against "tags over dates". */
export function compareRoles(
	claim: TextReading,
	sentence: TextReading,
	aligned: readonly AlignedWord[],
): Findings {
	const conflicts: Conflict[] = [];
	for (const pivot of claim.text.matchAll(PIVOT)) {
		const there = [...sentence.text.matchAll(PIVOT)].filter(
			(found) => wordOf(found) === wordOf(pivot),
		);
		const [only] = there;
		if (there.length !== 1 || !only) continue;
		const sides = [
			...wordSides(aligned, pivot.index, only.index),
			...nameSides(claim, sentence, pivot.index, only.index),
		];
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

/** Whether something stands before the pivot, in the claim and in the sentence. */
interface Sides {
	readonly here: boolean;
	readonly there: boolean;
	readonly weight: number;
}

const NAME_WEIGHT = 1;

function weightOf(sides: readonly Sides[]): number {
	return sides.reduce((sum, { weight }) => sum + weight, 0);
}

function wordSides(aligned: readonly AlignedWord[], at: number, there: number): readonly Sides[] {
	return aligned.flatMap(({ word, match, by }) => {
		const isNear =
			match &&
			by === "word" &&
			word.weight > 0 &&
			Math.abs(word.start - at) <= REACH_CHARS &&
			Math.abs(match.start - there) <= REACH_CHARS;
		if (!isNear) return [];
		return [{ here: word.start < at, there: match.start < there, weight: word.weight }];
	});
}

function nameSides(
	claim: TextReading,
	sentence: TextReading,
	at: number,
	there: number,
): readonly Sides[] {
	return claim.names.flatMap((name) => {
		const other = sentence.names.find(({ key }) => key === name.key);
		const isNear =
			other &&
			Math.abs(name.start - at) <= REACH_CHARS &&
			Math.abs(other.start - there) <= REACH_CHARS;
		if (!isNear) return [];
		return [{ here: name.start < at, there: other.start < there, weight: NAME_WEIGHT }];
	});
}

const MORE = /\b(?:more|higher|larger|greater|bigger)\b[^.]{0,200}\bthan\b/i;
const LESS = /\b(?:fewer|less|lower|smaller)\b[^.]{0,200}\bthan\b/i;
const UP =
	/\b(?:grow(?:s|n|ing)?|grew|increas(?:e|es|ed|ing)|ris(?:e|es|en|ing)|rose|climb(?:s|ed|ing)?)\b/i;
const DOWN =
	/\b(?:fall(?:s|en|ing)?|fell|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|shr(?:inks|ank|unk|inking)|dropp?(?:s|ed|ing)?)\b/i;
const AFTER_FIGURE = /^\s*(?:rows?|records?|entries|items?)?\s*(?:in|for|at|during|\()?\s*\(?$/i;

/** Counts by year against what a claim says of two years, or of a development: more in one than in another, growth since. */
export function compareTrends(claim: TextReading, sentence: TextReading): Findings {
	const none: Findings = { items: [], conflicts: [] };
	const series = seriesOf(sentence);
	const [first, second] = claim.dates;
	if (series.length < 2 || !first || claim.quantities.length > 0) return none;
	const before = valueAt(series, first);
	if (second) return report(directionOf(claim, MORE, LESS), before, valueAt(series, second));
	if (first.relation !== "after" && first.relation !== "since") return none;
	const last = [...series].sort((a, b) => a.at.from - b.at.from).at(-1);
	return report(directionOf(claim, UP, DOWN), last?.value, before);
}

function directionOf({ text }: TextReading, up: RegExp, down: RegExp): number {
	if (up.test(text)) return 1;
	return down.test(text) ? -1 : 0;
}

interface Point {
	readonly at: DateSpan;
	readonly value: number;
}

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
	if (direction === 0 || one === undefined || other === undefined)
		return { items: [], conflicts: [] };
	const holds = Math.sign(one - other) === direction;
	const text = `${one} against ${other}`;
	const item: Item = { weight: 1, place: "sentence", isEssential: false, isFigure: true, text };
	const conflict: Conflict = { reason: `counts ${text}`, sureness: 1, of: "trend" };
	return { items: [item], conflicts: holds ? [] : [conflict] };
}
