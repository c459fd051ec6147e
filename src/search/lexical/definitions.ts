import { isHeld, type LexicalScope } from "./lexical-index.js";
import { type Alternative, stemWord, type Word } from "./tokenizer.js";

/*
 * "Externally owned account (EOA)" says what EOA stands for, wherever else in the graph either of them is written. Such a definition
 * is in the index as terms that no text can hold, `eoa=account` for each word, so that it is stored, merged and dropped with the document.
 */

const DEFINED = /\(([A-Z]{2,8})s?\)/g;
/** Text before the bracket that can hold the words of the longest short form. */
const BEFORE_CHARS = 160;
const WORD = /[A-Za-z][A-Za-z]*/g;
/** Words that short forms pass over: "Bank for International Settlements (BIS)". */
const PASSED_OVER = /^(?:a|an|and|by|for|in|of|on|or|over|the|to|with)$/i;
const MAX_PASSED_OVER = 2;
const SHORT_FORM = /^[a-z]{2,8}$/;
/** A word of the long form counts so much against the short form itself: alone it says little. */
const WEIGHT = 0.4;
const MOST_WORDS = 8;

/** Terms for all definitions in a text. */
export function definitionTerms(text: string): readonly string[] {
	const terms = new Set<string>();
	for (const found of text.matchAll(DEFINED)) {
		const [, short = ""] = found;
		const before = text.slice(Math.max(0, found.index - BEFORE_CHARS), found.index);
		for (const word of longFormOf(short, before)) {
			terms.add(termOf(short.toLowerCase(), stemWord(word.toLowerCase())));
		}
	}
	return [...terms];
}

/** The words right before a bracket whose initials are the letters in it; none when they are not. */
function longFormOf(short: string, before: string): readonly string[] {
	const words = before.match(WORD) ?? [];
	const taken: string[] = [];
	let [letter, passedOver] = [short.length - 1, 0];
	for (let at = words.length - 1; at >= 0 && letter >= 0; at--) {
		const word = words[at] as string;
		if (word.charAt(0).toUpperCase() === short.charAt(letter)) {
			if (!PASSED_OVER.test(word)) taken.push(word);
			letter--;
			passedOver = 0;
		} else if (!PASSED_OVER.test(word) || ++passedOver > MAX_PASSED_OVER) return [];
	}
	return letter < 0 ? taken : [];
}

/** What the searched graphs say that a word of a query stands for. */
export function definedWords(
	{ surface }: Word,
	scopes: readonly LexicalScope[],
	startingWith: (prefix: string, count: number) => readonly string[],
): readonly Alternative[] {
	if (!SHORT_FORM.test(surface)) return [];
	const prefix = termOf(surface, "");
	return startingWith(prefix, MOST_WORDS)
		.map((term) => term.slice(prefix.length))
		.filter((term) => isHeld(term, scopes))
		.map((term) => ({ term, weight: WEIGHT, trust: 0 }));
}

function termOf(short: string, stem: string): string {
	return `${short}=${stem}`;
}
