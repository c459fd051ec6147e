import type { Conflict, Findings, Item } from "./comparison-items.js";
import type { Quantity } from "./quantities.js";
import type { TextReading } from "./text-reading.js";

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
