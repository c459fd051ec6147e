import { memoizeByObject } from "../../kernel/kernel.js";
import {
	containsTerm,
	documentFrequency,
	inverseDocumentFrequency,
	isHeld,
	isHeldTogether,
	type LexicalIndex,
	type LexicalScope,
} from "./lexical-index.js";
import { isWrittenIdentifier, namesOf, termsOf, type Word } from "./tokenizer.js";

/** One subject word of a query as the searched graphs know it. */
export interface WeighedWord {
	readonly word: Word;
	/** How much it says: its idf over the searched graphs, kept between 1 and 3 so that no single word decides. */
	readonly weight: number;
	/** Also true for a word that is surely another, misspelt or cut short. */
	readonly isKnown: boolean;
	/** 1 for a word that is there as written, less for one that was read as another, 0 for one no one knows. */
	readonly knownShare: number;
	/** True when it is written like the name of one particular thing. */
	readonly isName: boolean;
}

const DIGITS = /^\p{N}+$/u;
const LETTERS = /^\p{L}+$/u;
const MIN_WEIGHT = 1;
const MAX_WEIGHT = 3;
/** Rare or merely unusual: it is not known which. */
const UNKNOWN_WEIGHT = 2;

/** A query's words, weighed by how rare they are; grammar words are left out unless there is nothing else. */
export function weighWords(
	words: readonly Word[],
	scopes: readonly LexicalScope[],
): readonly WeighedWord[] {
	const documents = scopes.reduce((sum, { index }) => sum + index.documents, 0);
	const names = writtenAsNames(words);
	const held = holderOf(scopes);
	return words
		.filter((word) => !word.isStopWord)
		.map((word) => {
			const knownShare = shareHeld(word, held);
			const frequency = Math.max(...namesOf(word).map((term) => documentFrequency(term, scopes)));
			const idf = inverseDocumentFrequency(frequency, documents);
			const weight =
				knownShare === 1 ? Math.min(MAX_WEIGHT, Math.max(MIN_WEIGHT, idf)) : UNKNOWN_WEIGHT;
			return { word, isKnown: knownShare > 0, knownShare, weight, isName: names.has(word) };
		});
}

/** True for "EIP-99999" and for the number of "RFC 99999" when no one knows them. */
export function isMissingIdentifier({ word, isKnown }: WeighedWord): boolean {
	return !isKnown && isWrittenIdentifier(word);
}

/** Share of the query's weight that these places know at all, some or all of those that it was weighed by, 0..1. */
export function knownShareIn(
	words: readonly WeighedWord[],
	scopes: readonly LexicalScope[],
): number {
	const held = holderOf(scopes);
	return shareOf(words, ({ word, isKnown }) => (isKnown ? shareHeld(word, held) : 0));
}

function holderOf(scopes: readonly LexicalScope[]): Holder {
	return {
		has: (term) => isHeld(term, scopes),
		hasAll: (terms) => isHeldTogether(terms, scopes),
	};
}

/** Share of the query's weight that is held by what holds each word to these shares, 0..1. */
export function coverageBy(words: readonly WeighedWord[], held: readonly number[]): number {
	let at = 0;
	return shareOf(words, () => held[at++] ?? 0);
}

/** Share of the query's weight that this concept's text holds, 0..1. */
export function coverageOf(
	words: readonly WeighedWord[],
	{ index }: LexicalScope,
	concept: number,
): number {
	const document = documentOf(index, concept);
	return shareOf(words, ({ word }) => shareHeld(word, document));
}

/** How far this concept's text holds one word, 0..1. */
export function shareIn({ word }: WeighedWord, { index }: LexicalScope, concept: number): number {
	return shareHeld(word, documentOf(index, concept));
}

/** True when this concept's text holds every one of the words. */
export function coversAll(
	words: readonly WeighedWord[],
	{ index }: LexicalScope,
	concept: number,
): boolean {
	const document = documentOf(index, concept);
	for (const { word } of words) if (shareHeld(word, document) === 0) return false;
	return true;
}

function documentOf(index: LexicalIndex, document: number): Holder {
	const has = (term: string) => containsTerm(index, term, document);
	return { has, hasAll: (terms) => terms.every(has) };
}

/** Share of the query's weight held by a set of terms, 0..1. */
export function coverageByTerms(words: readonly WeighedWord[], terms: Pick<Holder, "has">): number {
	return shareOf(words, ({ word }) =>
		termsOf(word).some((term) => terms.has(term)) ? 1 : shareByAlternatives(word, terms),
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

/** What may hold a word. */
interface Holder {
	/** True when one text has the term. */
	has(term: string): boolean;
	/** True when one text has all of the terms. */
	hasAll(terms: readonly string[]): boolean;
}

/** How far a place that has these terms holds a word, 0..1. */
function shareHeld(word: Word, holder: Holder): number {
	const { whole, joined, series, parts } = word;
	// Most words stand for themselves alone.
	const isPlain = joined.length === 0 && series.length === 0 && parts.length === 0;
	const isHere = isPlain
		? holder.has(whole)
		: readingsOf(word).some((terms) => holder.hasAll(terms));
	return isHere ? 1 : shareByAlternatives(word, holder);
}

/**
 * Sets of terms each of which stands for the word when a text has all of it. "Long-term" is also "long" and "term"; the 206 of
 * "FIPS 206" is 206 only beside FIPS; "EIP-9999" is not "EIP" and some other 9999, while "rust-rfc-3691" is RFC 3691 beside rust.
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
	const [number = "", prefix = "", ...rest] = parts.toReversed();
	if (isIdentifier && rest.length > 0 && DIGITS.test(number) && LETTERS.test(prefix))
		readings.push([prefix + number, ...rest]);
	return readings;
}

function shareByAlternatives({ alternatives }: Word, holder: Pick<Holder, "has">): number {
	let most = 0;
	for (const { term, trust } of alternatives) if (trust > most && holder.has(term)) most = trust;
	return most;
}

/** Several capitals, capitals within, or what only names in code have: `SAML`, `useEffect`, `proxy_read_timeout`, `BLAKE3`. */
const CASED_NAME = /\p{Lu}.*\p{Lu}|\p{Ll}\p{Lu}/u;
const CODE_NAME = /_|\p{L}.*\p{N}|\p{N}.*\p{L}/u;
const CAPITAL = /^\p{Lu}/u;
const LOWER_CASE = /^[^\p{Lu}\p{N}]+$/u;
/** No name is longer, and the patterns look at everything after every letter. */
const MAX_NAME_CHARS = 64;
/** Versions say which one, not what. */
const VERSION = /^v\d+$/i;

/**
 * Those of a query's words that are written like the name of one particular thing. A capital says nothing in the first
 * word, nor where every word has one.
 */
export const writtenAsNames = memoizeByObject((words: readonly Word[]): ReadonlySet<Word> => {
	const isCaseTelling = words.some(({ written }) => LOWER_CASE.test(written));
	const isName = (word: Word, position: number) => {
		const written = word.written.slice(0, MAX_NAME_CHARS);
		if (VERSION.test(written)) return false;
		if (CODE_NAME.test(written)) return true;
		if (!isCaseTelling) return false;
		return CASED_NAME.test(written) || (position > 0 && CAPITAL.test(written));
	};
	return new Set(words.filter((word, position) => !word.isStopWord && isName(word, position)));
});
