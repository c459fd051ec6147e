import type { ReadContext, ReadWord, TextReading } from "./text-reading.js";
import { isDeniedForm } from "./thesaurus.js";

/** How one word of a claim comes back in a sentence. */
export interface AlignedWord {
	readonly word: ReadWord;
	/** Where it comes back; undefined where only the sentence's surroundings hold it, or nothing does. */
	readonly match: ReadWord | undefined;
	readonly place: "sentence" | "about" | "around" | "nowhere";
	/** By what: the word itself, one that stands for it, or its opposite. */
	readonly by: "word" | "like" | "opposite" | undefined;
	/** False when one of both says the contrary, negations counted. */
	readonly agrees: boolean;
}

const DERIVED_CHARS = 5;
const DERIVED_TAIL = 4;
/** An opposite counts only near a word that both texts share: words apart in both. */
const NEAR_WORDS = 3;
const NEAR_THERE = 5;

/** Each word of a claim with what answers it: of several candidates the one nearest to where its neighbors come back. */
export function alignWords(
	claim: TextReading,
	sentence: TextReading,
	context: ReadContext,
): readonly AlignedWord[] {
	const firm = claim.words.map(({ stem }) => sentence.words.filter((other) => other.stem === stem));
	const aligned = claim.words.map((word, index) => {
		const anchors = anchorsOf(firm, index);
		const candidates = candidatesOf(word, sentence.words);
		// What a claim denies is looked for where the sentence denies it too.
		const kept = candidates.filter(({ match }) => match.isNegated === word.isNegated);
		const best = nearestOf(word.isNegated && kept.length > 0 ? kept : candidates, anchors);
		const isFound = best && isMeant(word, best, { claim, sentence }, anchors);
		return isFound ? placed(word, best) : outside(word, context);
	});
	return withinReach(aligned);
}

/** Words of content within which one thing is said; in a long sentence the rest is about something else. */
const REACH_WORDS = 26;

/** Keeps the stretch of the sentence that answers most of the claim; what comes back elsewhere only stands around. */
function withinReach(aligned: readonly AlignedWord[]): readonly AlignedWord[] {
	const places = aligned.flatMap(({ match }) => match?.place ?? []);
	if (places.length === 0 || Math.max(...places) - Math.min(...places) <= REACH_WORDS)
		return aligned;
	const best = densestOf(places);
	return aligned.map((pair) =>
		pair.match && !isWithin(best, pair.match.place)
			? { ...pair, match: undefined, place: "around", by: undefined, agrees: true }
			: pair,
	);
}

function isWithin(from: number, place: number): boolean {
	return place >= from && place <= from + REACH_WORDS;
}

/** The first of the places that most others are within reach of. */
function densestOf(places: readonly number[]): number {
	let [best = 0, most] = [places[0], 0];
	for (const from of new Set(places)) {
		const count = places.filter((place) => isWithin(from, place)).length;
		if (count > most) [best, most] = [from, count];
	}
	return best;
}

function placed(word: ReadWord, { match, by }: Candidate): AlignedWord {
	const isTurned = (by === "opposite") !== (word.isNegated !== match.isNegated);
	return { word, match, place: "sentence", by, agrees: !isTurned };
}

function outside(word: ReadWord, { aboutStems, aroundStems }: ReadContext): AlignedWord {
	const place = aboutStems.has(word.stem)
		? "about"
		: aroundStems.has(word.stem)
			? "around"
			: "nowhere";
	return { word, match: undefined, place, by: undefined, agrees: true };
}

interface Candidate {
	readonly match: ReadWord;
	readonly by: "word" | "like" | "opposite";
}

function candidatesOf(word: ReadWord, words: readonly ReadWord[]): readonly Candidate[] {
	return words.flatMap((match) => {
		const by = likenessOf(word, match);
		return by ? [{ match, by }] : [];
	});
}

function likenessOf(word: ReadWord, match: ReadWord): Candidate["by"] | undefined {
	if (match.stem === word.stem) return "word";
	if (isDeniedForm(word.stem, match.stem)) return "opposite";
	let by: Candidate["by"] | undefined;
	for (const one of word.axes) {
		const other = match.axes.find(({ axis }) => axis === one.axis);
		if (other) by = by === "like" || one.sign === other.sign ? "like" : "opposite";
	}
	return by ?? (isDerived(word.stem, match.stem) ? "like" : undefined);
}

/** "Encrypt" and "encryption", "validator" and "validate". */
function isDerived(a: string, b: string): boolean {
	const least = Math.min(a.length, b.length);
	if (least < DERIVED_CHARS - 1) return false;
	let shared = 0;
	while (shared < least && a[shared] === b[shared]) shared += 1;
	const tail = Math.max(a.length, b.length) - shared;
	return (
		shared >= DERIVED_CHARS - 1 &&
		least - shared <= 1 &&
		tail <= DERIVED_TAIL + 1 &&
		(shared >= DERIVED_CHARS || tail <= 2)
	);
}

/** Where the claim's words around this one come back; the nearest neighbors first. */
function anchorsOf(firm: readonly (readonly ReadWord[])[], index: number): readonly ReadWord[] {
	const anchors: ReadWord[] = [];
	for (let step = 1; step <= NEAR_WORDS; step++) {
		for (const place of [index + step, index - step]) anchors.push(...(firm[place] ?? []));
	}
	return anchors;
}

/** Opposites, and directions under another word, may be those of something else. */
function needsNeighbors({ axes }: ReadWord, { by }: Candidate): boolean {
	return by === "opposite" || (by === "like" && axes.some(({ isDirected }) => isDirected));
}

function isNear(match: ReadWord, anchors: readonly ReadWord[]): boolean {
	return anchors.some(
		({ place }) => place !== match.place && Math.abs(place - match.place) <= NEAR_THERE,
	);
}

function isMeant(
	word: ReadWord,
	best: Candidate,
	texts: Readonly<Record<"claim" | "sentence", TextReading>>,
	anchors: readonly ReadWord[],
): boolean {
	if (!needsNeighbors(word, best)) return true;
	if (!PREPOSITION.test(word.written) || !PREPOSITION.test(best.match.written))
		return isNear(best.match, anchors);
	// "Before noon" and "after the others" hold against each other only where the same stands behind both.
	const governed = texts.claim.words.slice(word.place + 1, word.place + 1 + NEAR_WORDS);
	return texts.sentence.words
		.slice(best.match.place + 1, best.match.place + 1 + NEAR_THERE)
		.some(({ stem }) => governed.some((each) => each.stem === stem));
}

const PREPOSITION = /^(?:before|after|over|under|above|below|inside|outside)$/i;
const RANK = { word: 0, like: 1, opposite: 2 } as const;

/** Where an opposite stands nearer to the neighbors than the word itself, it is the opposite that is meant. */
function nearestOf(
	candidates: readonly Candidate[],
	anchors: readonly ReadWord[],
): Candidate | undefined {
	const [best] = candidates
		.map((candidate) => ({ candidate, distance: distanceTo(candidate.match, anchors) }))
		.sort((a, b) => a.distance - b.distance || RANK[a.candidate.by] - RANK[b.candidate.by]);
	return best?.candidate;
}

/** To the nearest anchor, in words; what is farther than near is all the same. */
function distanceTo({ place }: ReadWord, anchors: readonly ReadWord[]): number {
	const others = anchors.filter((anchor) => anchor.place !== place);
	return Math.min(NEAR_THERE + 1, ...others.map((anchor) => Math.abs(anchor.place - place)));
}
