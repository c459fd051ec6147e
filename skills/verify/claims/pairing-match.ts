import { isSameValue } from "./figure-match.js";
import { type Compared, type Findings, NOTHING_FOUND } from "./findings.js";
import type { Name } from "./names.js";
import type { TextReading } from "./text-reading.js";

/** Something of which texts may state different things: a name, a figure, or one of several things of a kind ("base fee"). */
interface Anchor {
	readonly key: string;
	readonly start: number;
	readonly end: number;
}

/** A stretch of a text with whom it speaks of. */
interface Segment {
	readonly keys: ReadonlySet<string>;
	readonly from: number;
	readonly to: number;
}

const BREAK = /[,;:]\s|\s(?:and|but|while|whereas|against|versus|unlike)\s|\.\s/g;
const CROSSED_LEAST = 1.4;
const CROSSED_SHARE = 0.7;

/** What a claim says of the one and a sentence of the other: "409 while running, 422 on reuse" the other way round. */
export function comparePairs(compared: Compared): Findings {
	const { claim, sentence } = compared;
	const all = anchorsOf(claim, sentence, false);
	const isOne = segmentsOf(claim, all.claim).length < 2;
	const anchors = isOne ? anchorsOf(claim, sentence, true) : all;
	const there = segmentsOf(sentence, anchors.sentence);
	if (anchors.claim.length === 0 || there.length < 2) return NOTHING_FOUND;
	const here = segmentsOf(claim, anchors.claim);
	let [crossed, kept] = [0, 0];
	for (const { start, weight, places } of toldOf(compared)) {
		const one = here.find((segment) => isIn(segment, start));
		const isOwn = anchors.claim.some((own) => start >= own.start && start < own.end);
		const others = there.filter((segment) => places.some((place) => isIn(segment, place)));
		if (isOwn || !one || others.length === 0) continue;
		const isKept = others.some(({ keys }) => [...keys].some((key) => one.keys.has(key)));
		if (isKept) kept += weight;
		else crossed += weight;
	}
	const isCrossed = crossed >= CROSSED_LEAST && crossed >= CROSSED_SHARE * (crossed + kept);
	const reason = "tells it of another one than the claim";
	return { items: [], conflicts: isCrossed ? [{ reason, sureness: 0.9, of: "name" }] : [] };
}

function isIn({ from, to }: Segment, place: number): boolean {
	return place >= from && place < to;
}

/** Words and names of the claim with all places where the sentence has them. */
function toldOf({ claim, sentence: { words, names }, aligned }: Compared) {
	const said = aligned.flatMap(({ word: { start, weight }, match, by }) => {
		if (!match || by === "opposite" || weight === 0) return [];
		const places = words.filter(({ stem }) => stem === match.stem).map((other) => other.start);
		return [{ start, weight, places }];
	});
	const named = claim.names.map(({ key, start }) => {
		const places = names.filter((other) => other.key === key).map((other) => other.start);
		return { start, weight: 1, places };
	});
	return [...said, ...named];
}

/**
 * Anchors of both texts; in the sentence also rivals of what the claim speaks of. What says one thing says it of what it
 * names first.
 */
function anchorsOf(claim: TextReading, sentence: TextReading, isOne: boolean) {
	const names = isOne ? claim.names.slice(0, 1) : claim.names;
	const found = [
		...names.flatMap((name) => ofName(name, names, sentence.names)),
		...(isOne ? [] : figuresOf(claim, sentence)),
		...kindsOf(claim, sentence),
	];
	return {
		claim: found.flatMap((each) => each.claim),
		sentence: found.flatMap((each) => each.sentence),
	};
}

type Anchors = Readonly<Record<"claim" | "sentence", readonly Anchor[]>>;

/** A name that both have, where the sentence has a rival of it or another name of the claim. */
function ofName(name: Name, names: readonly Name[], there: readonly Name[]): readonly Anchors[] {
	const same = there.find(({ key }) => key === name.key);
	const isRival = ({ series, text }: Name) =>
		name.series === undefined ? beginsAlike(text, name.text) : series === name.series;
	const rivals = there.filter((other) => other.key !== name.key && isRival(other));
	const others = names.filter(({ key }) => key !== name.key);
	const isShared = others.some(({ key }) => there.some((other) => other.key === key));
	if (!same || (rivals.length === 0 && !isShared)) return [];
	return [{ claim: [toAnchor(name)], sentence: [same, ...rivals].map(toAnchor) }];
}

/** Figures that both have, where they are several. */
function figuresOf(claim: TextReading, sentence: TextReading): readonly Anchors[] {
	const shared = claim.quantities.flatMap((one) => {
		const same = sentence.quantities.find((other) => isSameValue(one, other));
		if (!same) return [];
		const key = `= ${one.value} ${one.dimension}`;
		const [here, there] = [one, same].map(({ start, end }) => [{ key, start, end }]);
		return [{ claim: here ?? [], sentence: there ?? [] }];
	});
	return shared.length > 1 ? shared : [];
}

function toAnchor({ key, start, text }: { key: string; start: number; text: string }): Anchor {
	return { key, start, end: start + text.length };
}

const ALIKE_CHARS = 5;

function beginsAlike(a: string, b: string): boolean {
	return a !== b && a.slice(0, ALIKE_CHARS) === b.slice(0, ALIKE_CHARS) && a.length > ALIKE_CHARS;
}

/** "Base fee" in the claim, "base fee" and "priority fee" in the sentence: things of a kind, distinguished by the word before. */
function* kindsOf(claim: TextReading, sentence: TextReading) {
	const here = pairsOf(claim);
	const there = pairsOf(sentence);
	for (const noun of new Set(here.map((pair) => pair.noun))) {
		const mine = here.filter((pair) => pair.noun === noun);
		const others = there.filter((pair) => pair.noun === noun);
		const isThere = mine.every(({ key }) => others.some((other) => other.key === key));
		if (isThere && new Set(others.map(({ key }) => key)).size > 1)
			yield { claim: mine, sentence: others };
	}
}

function pairsOf({ text, words }: TextReading) {
	return words.slice(1).flatMap((word, at) => {
		const before = words[at];
		if (!before || before.weight < 1 || word.weight === 0) return [];
		const end = before.start + before.written.length;
		if (!/^[\s-]$/.test(text.slice(end, word.start))) return [];
		const key = `${before.stem} ${word.stem}`;
		return [{ key, noun: word.stem, start: before.start, end: word.start + word.written.length }];
	});
}

/** A text cut at the last break before each anchor; anchors with no break or nothing said between them share a stretch. */
function segmentsOf({ text, words }: TextReading, anchors: readonly Anchor[]): readonly Segment[] {
	const sorted = [...anchors].sort((a, b) => a.start - b.start);
	const segments: { keys: Set<string>; from: number; to: number }[] = [];
	let last: Anchor | undefined;
	for (const anchor of sorted) {
		const current = segments.at(-1);
		if (!current || !last) {
			// What stands before the clause of the first is said of all.
			const from = [...text.slice(0, anchor.start).matchAll(BREAK)].at(-1)?.index ?? 0;
			segments.push({ keys: new Set([anchor.key]), from, to: text.length });
			last = anchor;
			continue;
		}
		const { end } = last;
		// What stands in parentheses is said by the way: "X (added in May) and Y" are two of one list.
		const between = text
			.slice(end, anchor.start)
			.replace(/\([^)]{0,200}\)/g, (aside) => " ".repeat(aside.length));
		const cut = [...between.matchAll(BREAK)].at(-1);
		const isTold = words.some(
			({ start, weight }) =>
				weight > 0 && start >= end && start < anchor.start && between[start - end] !== " ",
		);
		if (cut && isTold) {
			current.to = end + cut.index;
			segments.push({ keys: new Set([anchor.key]), from: end + cut.index, to: text.length });
		} else current.keys.add(anchor.key);
		last = anchor;
	}
	return segments;
}
