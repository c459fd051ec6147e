import type { Quantity } from "./quantities.js";
import type { TextReading } from "./text-reading.js";

/** Where something of a claim comes back; "rival" where another of its kind stands in its place. */
export type ItemPlace = "sentence" | "about" | "around" | "rival" | "nowhere";

/** Something of a claim that a sentence may answer. */
export interface Item {
	readonly weight: number;
	/** In the sentence itself, in the names of what it is about, in the text around it, or nowhere. */
	readonly place: ItemPlace;
	/** True when the names of what the sentence is about have it, wherever else it comes back. */
	readonly isSubject?: boolean;
	/** True for what a sentence must answer to bear a claim out: names, figures, directions. */
	readonly isEssential: boolean;
	readonly isName?: boolean;
	/** True for numbers and dates, in which two texts on one thing may differ. */
	readonly isFigure: boolean;
	/** As written, for telling what is missing. */
	readonly text: string;
}

/** A reason to read a sentence as a denial. */
export interface Conflict {
	/** Half a sentence: the best sentence … */
	readonly reason: string;
	/** How sure it is that both speak of the same, 0..1. */
	readonly sureness: number;
	/** What differs. */
	readonly of: "denial" | "opposite" | "name" | "figure" | "quantity" | "trend" | "currency";
	/** True for figures and the like: what differs is itself what is told. */
	readonly isDecisive?: boolean;
}

/** What one way of comparing finds. */
export interface Findings {
	readonly items: readonly Item[];
	readonly conflicts: readonly Conflict[];
}

const COMPARISON =
	/\b(?<word>more|larger|bigger|greater|higher|longer|dearer|costlier|heavier|less|fewer|smaller|shorter|lower|cheaper|lighter)\b[^.;]{0,200}?\bthan\b/iu;
const LESS = /^(?:less|fewer|smaller|shorter|lower|cheaper|lighter)$/i;

/** "Has more rows than" against a sentence that counts the rows of both: the figures decide, whatever words it has. */
export function compareCounts(claim: TextReading, sentence: TextReading): Findings {
	const none: Findings = { items: [], conflicts: [] };
	const found = COMPARISON.exec(claim.text);
	if (!found || claim.quantities.length > 0 || sentence.quantities.length < 2) return none;
	const split = found.index + found[0].length;
	const left = anchorsOf(
		claim,
		sentence,
		(at) => at < found.index,
		(at) => at >= split,
	);
	const right = anchorsOf(
		claim,
		sentence,
		(at) => at >= split,
		(at) => at < found.index,
	);
	if (right.length === 0) return none;
	const told = sentence.quantities.filter(({ start }) =>
		[...left, ...right].some((at) => isBeside(sentence.text, at, start)),
	);
	const other = nearestTo(right, told);
	const rest = told.filter((each) => each !== other && each.dimension === other?.dimension);
	const one = left.length > 0 ? nearestTo(left, rest) : rest[0];
	if (!one || !other || one.value === other.value) return none;
	const holds = one.value < other.value === LESS.test(found.groups?.["word"] ?? "");
	const text = `${one.text} against ${other.text}`;
	const item: Item = { weight: 1, place: "sentence", isEssential: false, isFigure: true, text };
	const conflict: Conflict = { reason: `tells ${text}`, sureness: 0.9, of: "trend" };
	return { items: [item], conflicts: holds ? [] : [conflict] };
}

/** Where names and words come back that only one side of the claim has. */
function anchorsOf(
	claim: TextReading,
	sentence: TextReading,
	isHere: (at: number) => boolean,
	isThere: (at: number) => boolean,
): readonly number[] {
	const beyond = new Set([
		...claim.names.filter(({ start }) => isThere(start)).map(({ key }) => key),
		...claim.words.filter(({ start }) => isThere(start)).map(({ stem }) => stem),
	]);
	const names = claim.names.filter(({ start, key }) => isHere(start) && !beyond.has(key));
	const words = claim.words.filter(
		({ start, stem, weight }) => isHere(start) && weight > 0 && !beyond.has(stem),
	);
	const named = names.flatMap(({ key }) =>
		sentence.names.filter((name) => name.key === key).map(({ start }) => start),
	);
	if (names.length > 0) return named;
	return words.flatMap(({ stem }) =>
		sentence.words.filter((word) => word.stem === stem).map(({ start }) => start),
	);
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
