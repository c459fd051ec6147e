import { LIMITS } from "../../contract/contract.js";
import type { QueryTerm } from "./lexical-index.js";
import { termsOf, tokenize, type Word } from "./tokenizer.js";

/** Pieces of a compound count less than the compound: they match by accident more often. */
const PART_WEIGHT = 0.5;
/** In a small graph "being" may be rarer than the subject; grammar must not decide. */
const STOP_WORD_WEIGHT = 0.3;

/** "Externally owned account" also asks for EOA; an initialism that nobody uses finds nothing and costs nothing. */
const INITIALISM_WEIGHT = 0.8;
const INITIALISM_WORDS = { from: 3, to: 5 } as const;

/** One query's words are scored by for every graph that is asked by itself. */
const termsByQuery = new WeakMap<readonly Word[], readonly QueryTerm[]>();

/** What the lexical side scores a query by: every term once, with the best weight it earned. */
export function toQueryTerms(words: readonly Word[]): readonly QueryTerm[] {
	const known = termsByQuery.get(words);
	if (known) return known;
	const made = weighTerms(words);
	termsByQuery.set(words, made);
	return made;
}

function weighTerms(words: readonly Word[]): readonly QueryTerm[] {
	const weights = new Map<string, number>();
	const add = (term: string, weight: number) =>
		weights.set(term, Math.max(weight, weights.get(term) ?? 0));
	for (const term of initialismsOf(words)) add(term, INITIALISM_WEIGHT);
	for (const word of words) {
		for (const term of termsOf(word)) add(term, weightOf(term, word));
		for (const { term, weight } of word.alternatives) add(term, weight);
	}
	return [...weights].map(([term, weight]) => ({ term, weight }));
}

function weightOf(term: string, word: Word): number {
	if (word.parts.includes(term)) return PART_WEIGHT;
	return word.isStopWord ? STOP_WORD_WEIGHT : 1;
}

/** The words of a query, each once, in order; only the first of a long text's subject words, as every one is looked up. */
export function readQuery(query: string): readonly Word[] {
	const words = new Map<string, Word>();
	let subjectWords = 0;
	let parts = 0;
	for (const word of tokenize(query, LIMITS.queryChars)) {
		const key = [word.whole, ...word.joined].join(" ");
		if (words.has(key) || (!word.isStopWord && subjectWords === LIMITS.queryWords)) continue;
		words.set(key, withFewParts(word, LIMITS.queryParts - parts));
		subjectWords += word.isStopWord ? 0 : 1;
		parts = Math.min(LIMITS.queryParts, parts + word.parts.length);
	}
	return [...words.values()];
}

function withFewParts(word: Word, most: number): Word {
	return word.parts.length <= most ? word : { ...word, parts: word.parts.slice(0, most) };
}

function initialismsOf(words: readonly Word[]): string[] {
	const initials = words.map((word) => (word.isStopWord ? " " : word.surface.charAt(0))).join("");
	const found: string[] = [];
	for (let length = INITIALISM_WORDS.from; length <= INITIALISM_WORDS.to; length++) {
		for (let start = 0; start + length <= initials.length; start++) {
			const term = initials.slice(start, start + length);
			if (/^[a-z]+$/.test(term)) found.push(term);
		}
	}
	return found;
}

/** Share of identifiers (`EIP-3009`, `RFC 9110`, `HTTP/2`) among the subject words, 0..1. */
export function identifierShareOf(words: readonly Word[]): number {
	const subject = words.filter((word) => !word.isStopWord);
	const identifiers = subject.filter((word) => word.isIdentifier || word.joined.length > 0);
	return subject.length === 0 ? 0 : identifiers.length / subject.length;
}
