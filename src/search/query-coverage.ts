import type { SearchScope } from "./index-state.js";
import { containsTerm, documentFrequency, inverseDocumentFrequency } from "./lexical-index.js";
import type { Segment } from "./segment.js";
import { termsOf, type Word } from "./tokenizer.js";

/** One subject word of a query as the searched graphs know it. */
export interface WeighedWord {
	readonly word: Word;
	/** How much it says: its idf over the searched graphs, kept between 1 and 3 so that no single word decides. */
	readonly weight: number;
	readonly isKnown: boolean;
}

const MIN_WEIGHT = 1;
const MAX_WEIGHT = 3;
/** Rare or merely unusual: nobody can tell which. */
const UNKNOWN_WEIGHT = 2;

/** A query's words, weighed by how rare they are; grammar words are left out unless there is nothing else. */
export function weighWords(
	words: readonly Word[],
	scopes: readonly SearchScope[],
): readonly WeighedWord[] {
	const indexes = scopes.map(({ segment, base }) => ({ index: segment.lexical, base }));
	const documents = indexes.reduce((sum, { index }) => sum + index.documents, 0);
	return words
		.filter((word) => !word.isStopWord)
		.map((word) => {
			const frequency = Math.max(...namesOf(word).map((term) => documentFrequency(term, indexes)));
			const isKnown =
				frequency > 0 || haveAll(word.parts, (term) => documentFrequency(term, indexes) > 0, word);
			const idf = inverseDocumentFrequency(frequency, documents);
			const weight = isKnown ? Math.min(MAX_WEIGHT, Math.max(MIN_WEIGHT, idf)) : UNKNOWN_WEIGHT;
			return { word, isKnown, weight };
		});
}

/** True for "EIP-99999" and for the number of "RFC 99999" when nobody knows them. */
export function isMissingIdentifier({ word, isKnown }: WeighedWord): boolean {
	return !isKnown && (word.isIdentifier || word.joined.length > 0);
}

/** Share of the query's weight that is known to the searched graphs at all, 0..1. */
export function knownShareOf(words: readonly WeighedWord[]): number {
	const known = new Set(words.filter(({ isKnown }) => isKnown).map(({ word }) => word));
	return shareOf(words, (word) => known.has(word));
}

/** Share of the query's weight that this concept's text holds, 0..1. */
export function coverageOf(
	words: readonly WeighedWord[],
	{ segment }: SearchScope,
	concept: number,
): number {
	const isCovered = coverageTest(segment, concept);
	return shareOf(words, isCovered);
}

/** True when this concept's text holds every one of the words. */
export function coversAll(
	words: readonly WeighedWord[],
	{ segment }: SearchScope,
	concept: number,
): boolean {
	const isCovered = coverageTest(segment, concept);
	return words.every(({ word }) => isCovered(word));
}

function coverageTest({ lexical }: Segment, concept: number): (word: Word) => boolean {
	const has = (term: string) => containsTerm(lexical, term, concept);
	return (word) => namesOf(word).some(has) || haveAll(word.parts, has, word);
}

/** Share of the query's weight held by a set of terms, 0..1. */
export function coverageByTerms(words: readonly WeighedWord[], terms: ReadonlySet<string>): number {
	return shareOf(words, (word) => termsOf(word).some((term) => terms.has(term)));
}

function shareOf(words: readonly WeighedWord[], isCovered: (word: Word) => boolean): number {
	let covered = 0;
	let total = 0;
	for (const { word, weight } of words) {
		total += weight;
		if (isCovered(word)) covered += weight;
	}
	return total === 0 ? 0 : covered / total;
}

/** Terms each of which stands for the word on its own. */
function namesOf(word: Word): readonly string[] {
	return [word.whole, ...word.joined];
}

/** "long-term" is covered by "long" and "term"; "EIP-9999" is not covered by "EIP" and some other 9999. */
function haveAll(parts: readonly string[], has: (term: string) => boolean, word: Word): boolean {
	return parts.length > 0 && !word.isIdentifier && parts.every(has);
}
