import type { SearchScope } from "./index-state.js";
import {
	containsTerm,
	documentFrequency,
	inverseDocumentFrequency,
	isHeldTogether,
	type LexicalIndex,
	type LexicalScope,
} from "./lexical-index.js";
import { namesOf, termsOf, type Word } from "./tokenizer.js";
import { writtenAsNames } from "./written-names.js";

/** One subject word of a query as the searched graphs know it. */
export interface WeighedWord {
	readonly word: Word;
	/** How much it says: its idf over the searched graphs, kept between 1 and 3 so that no single word decides. */
	readonly weight: number;
	/** Also true for a word that is surely another, misspelt or cut short. */
	readonly isKnown: boolean;
	/** 1 for a word that is there as written, less for one that was read as another, 0 for one nobody knows. */
	readonly knownShare: number;
	/** True when it is written like the name of one particular thing. */
	readonly isName: boolean;
}

const MIN_WEIGHT = 1;
const MAX_WEIGHT = 3;
/** Rare or merely unusual: nobody can tell which. */
const UNKNOWN_WEIGHT = 2;

type Place = Pick<SearchScope, "segment" | "base" | "mask">;

/** A query's words, weighed by how rare they are; grammar words are left out unless there is nothing else. */
export function weighWords(
	words: readonly Word[],
	places: readonly Place[],
): readonly WeighedWord[] {
	const scopes = places.map(toLexicalScope);
	const documents = scopes.reduce((sum, { index }) => sum + index.documents, 0);
	const names = writtenAsNames(words);
	return words
		.filter((word) => !word.isStopWord)
		.map((word) => {
			const knownShare = shareHeld(word, (terms) => isHeldTogether(terms, scopes));
			const frequency = Math.max(...namesOf(word).map((term) => documentFrequency(term, scopes)));
			const idf = inverseDocumentFrequency(frequency, documents);
			const weight =
				knownShare === 1 ? Math.min(MAX_WEIGHT, Math.max(MIN_WEIGHT, idf)) : UNKNOWN_WEIGHT;
			return { word, isKnown: knownShare > 0, knownShare, weight, isName: names.has(word) };
		});
}

function toLexicalScope({ segment, base, mask }: Place): LexicalScope {
	return { index: segment.lexical, base, mask };
}

/** True for "EIP-99999" and for the number of "RFC 99999" when nobody knows them. */
export function isMissingIdentifier({ word, isKnown }: WeighedWord): boolean {
	return !isKnown && (word.isIdentifier || word.joined.length > 0);
}

/** Share of the query's weight that is known to the searched graphs at all, 0..1. */
export function knownShareOf(words: readonly WeighedWord[]): number {
	return shareOf(words, ({ knownShare }) => knownShare);
}

/** Share of the query's weight that this concept's text holds, 0..1. */
export function coverageOf(
	words: readonly WeighedWord[],
	{ segment }: Place,
	concept: number,
): number {
	const hasAll = allIn(segment.lexical, concept);
	return shareOf(words, ({ word }) => shareHeld(word, hasAll));
}

/** True when this concept's text holds every one of the words. */
export function coversAll(
	words: readonly WeighedWord[],
	{ segment }: Place,
	concept: number,
): boolean {
	const hasAll = allIn(segment.lexical, concept);
	return words.every(({ word }) => shareHeld(word, hasAll) > 0);
}

function allIn(index: LexicalIndex, document: number): HasAll {
	return (terms) => terms.every((term) => containsTerm(index, term, document));
}

/** Share of the query's weight held by a set of terms, 0..1. */
export function coverageByTerms(words: readonly WeighedWord[], terms: ReadonlySet<string>): number {
	const hasAll: HasAll = (asked) => asked.every((term) => terms.has(term));
	return shareOf(words, ({ word }) =>
		termsOf(word).some((term) => terms.has(term)) ? 1 : shareByAlternatives(word, hasAll),
	);
}

function shareOf(words: readonly WeighedWord[], shareOfOne: (word: WeighedWord) => number): number {
	let covered = 0;
	let total = 0;
	for (const word of words) {
		total += word.weight;
		covered += word.weight * shareOfOne(word);
	}
	return total === 0 ? 0 : covered / total;
}

/** True when one text has all of the terms. */
type HasAll = (terms: readonly string[]) => boolean;

/** How far a place that has these terms holds a word, 0..1. */
function shareHeld(word: Word, hasAll: HasAll): number {
	if (readingsOf(word).some(hasAll)) return 1;
	return shareByAlternatives(word, hasAll);
}

/**
 * Sets of terms each of which stands for the word when a text has all of it. "Long-term" is also "long" and "term"; the 206 of
 * "FIPS 206" is 206 only beside FIPS; "EIP-9999" is not "EIP" and some other 9999.
 */
function readingsOf({
	whole,
	joined,
	series,
	parts,
	isIdentifier,
}: Word): readonly (readonly string[])[] {
	const readings = [...joined.map((term) => [term]), [whole, ...series]];
	if (parts.length > 0 && !isIdentifier) readings.push([...parts]);
	return readings;
}

function shareByAlternatives({ alternatives }: Word, hasAll: HasAll): number {
	let most = 0;
	for (const { term, trust } of alternatives) if (trust > most && hasAll([term])) most = trust;
	return most;
}
