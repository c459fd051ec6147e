import type { SearchScope } from "./index-state.js";
import {
	containsTerm,
	documentFrequency,
	inverseDocumentFrequency,
	isHeld,
	type LexicalScope,
} from "./lexical-index.js";
import { namesOf, termsOf, type Word } from "./tokenizer.js";

/** One subject word of a query as the searched graphs know it. */
export interface WeighedWord {
	readonly word: Word;
	/** How much it says: its idf over the searched graphs, kept between 1 and 3 so that no single word decides. */
	readonly weight: number;
	/** Also true for a word that is surely another, misspelt or cut short. */
	readonly isKnown: boolean;
	/** 1 for a word that is there as written, less for one that was read as another, 0 for one nobody knows. */
	readonly knownShare: number;
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
	return words
		.filter((word) => !word.isStopWord)
		.map((word) => {
			const knownShare = shareHeld(word, (term) => isHeld(term, scopes));
			const frequency = Math.max(...namesOf(word).map((term) => documentFrequency(term, scopes)));
			const idf = inverseDocumentFrequency(frequency, documents);
			const weight =
				knownShare === 1 ? Math.min(MAX_WEIGHT, Math.max(MIN_WEIGHT, idf)) : UNKNOWN_WEIGHT;
			return { word, isKnown: knownShare > 0, knownShare, weight };
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
	const has = (term: string) => containsTerm(segment.lexical, term, concept);
	return shareOf(words, ({ word }) => shareHeld(word, has));
}

/** True when this concept's text holds every one of the words. */
export function coversAll(
	words: readonly WeighedWord[],
	{ segment }: Place,
	concept: number,
): boolean {
	const has = (term: string) => containsTerm(segment.lexical, term, concept);
	return words.every(({ word }) => shareHeld(word, has) > 0);
}

/** Share of the query's weight held by a set of terms, 0..1. */
export function coverageByTerms(words: readonly WeighedWord[], terms: ReadonlySet<string>): number {
	const has = (term: string) => terms.has(term);
	return shareOf(words, ({ word }) =>
		termsOf(word).some(has) ? 1 : shareByAlternatives(word, has),
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

type HasTerm = (term: string) => boolean;

/** How far a place that has these terms holds a word, 0..1. */
function shareHeld(word: Word, has: HasTerm): number {
	if (namesOf(word).some(has) || haveAll(word, has)) return 1;
	return shareByAlternatives(word, has);
}

function shareByAlternatives({ alternatives }: Word, has: HasTerm): number {
	let most = 0;
	for (const { term, trust } of alternatives) if (trust > most && has(term)) most = trust;
	return most;
}

/** "long-term" is covered by "long" and "term"; "EIP-9999" is not covered by "EIP" and some other 9999. */
function haveAll({ parts, isIdentifier }: Word, has: HasTerm): boolean {
	return parts.length > 0 && !isIdentifier && parts.every(has);
}
