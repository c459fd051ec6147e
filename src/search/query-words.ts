import type { QueryTerm } from "./lexical-index.js";
import { termsOf, tokenize, type Word } from "./tokenizer.js";

/** Pieces of a compound count less than the compound: they match by accident more often. */
const PART_WEIGHT = 0.5;

/** What the lexical side scores a query by: every term once, with the best weight it earned. */
export function toQueryTerms(words: readonly Word[]): readonly QueryTerm[] {
	const weights = new Map<string, number>();
	for (const word of words) {
		for (const term of termsOf(word)) {
			const weight = word.parts.includes(term) ? PART_WEIGHT : 1;
			weights.set(term, Math.max(weight, weights.get(term) ?? 0));
		}
	}
	return [...weights].map(([term, weight]) => ({ term, weight }));
}

/** The words of a query, each once, in order. */
export function readQuery(query: string): readonly Word[] {
	const words = new Map<string, Word>();
	for (const word of tokenize(query)) {
		const key = [word.whole, ...word.joined].join(" ");
		if (!words.has(key)) words.set(key, word);
	}
	return [...words.values()];
}
