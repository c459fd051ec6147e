import { splitSentences } from "../../src/evidence/evidence.js";
import { runAtOnce, type Steps } from "../../src/knowledge/knowledge.js";
import { extractClaims } from "./claims/claim-extraction.js";
import type { AtomicClaim } from "./claims/verification.js";

/** A claim and where its sentence stands in the text it was taken from. */
export interface TextClaim {
	readonly claim: AtomicClaim;
	/** Of the sentence, in UTF-16 code units. */
	readonly start: number;
	readonly end: number;
	/** The name that took the place of the pronoun the sentence begins with. */
	readonly standsFor: string | undefined;
}

/** What only sets a sentence out: bullets, numbers of lists, quotation marks of Markdown. */
const LEAD = /^(?:\s*(?:[-*+•>]|#{1,6}|\d{1,3}[.)])\s+)+/u;
/** Emphasis, code marks and numbers of references. */
const MARKS = /\*{1,3}|(?<![\p{L}\p{N}])_{1,2}|_{1,2}(?![\p{L}\p{N}])|`|(?<!\s)\s*\[\^?\d{1,3}\]/gu;
/** Headings, numbers of a list that stand alone, and labels: they state nothing. */
const FRAGMENT = /^\s*#{1,6}\s|^[^\p{L}]*$|^\S+(?:\s+\S+){0,1}[^.!?\s]$/u;
const PRONOUN = /^(?:it|they)(?=\s)/i;

/**
 * The claims of a text in their order, each with its place. A sentence that begins with "it" or "they" is read with the
 * first name of the sentence before it, because alone it says nothing of anything. Never throws; cut at `most`.
 */
export const findTextClaims = (text: string, most: number): readonly TextClaim[] =>
	runAtOnce(readTextClaims(text, most));

/** The same of a long text, which may be interrupted after each of its sentences. */
export function* readTextClaims(text: string, most: number): Steps<readonly TextClaim[]> {
	const claims: TextClaim[] = [];
	let at = 0;
	let subject: string | undefined;
	for (const sentence of splitSentences(text)) {
		if (claims.length >= most) break;
		yield;
		const start = Math.max(text.indexOf(sentence, at), at);
		const end = start + sentence.length;
		at = end;
		if (FRAGMENT.test(sentence)) continue;
		const plain = sentence.replace(LEAD, "").replace(MARKS, "").trim();
		const standsFor = PRONOUN.test(plain) ? subject : undefined;
		const whole = standsFor === undefined ? plain : plain.replace(PRONOUN, () => standsFor);
		const found = extractClaims(whole);
		for (const claim of found) claims.push({ claim, start, end, standsFor });
		subject = found.flatMap(({ entities }) => entities)[0] ?? subject;
	}
	return claims.slice(0, most);
}

/** How many claims of a text can be checked. */
export function isCheckable({ claim }: TextClaim): boolean {
	return claim.kind === "checkable";
}

/** Words of one piece; few sentences have more. */
const PIECE_WORDS = 80;
/** A break inside a number or a name is put off for so many words. */
const PIECE_WORDS_MAX = 100;
/** Times a word may come back in a piece: beyond that it says nothing new, and every one would be held against every other. */
const REPEATS_MAX = 12;

const WORD = /[\p{L}\p{N}]+/gu;
const NUMBER = /^\p{N}+$/u;

/**
 * A sentence in pieces that are cheap to compare, whatever was sent as one: the pieces hold all of its words in
 * their order, but for words that come back more than a dozen times in one piece.
 */
export function toComparedPieces(sentence: string): readonly string[] {
	const pieces: string[] = [];
	let piece = "";
	let words = 0;
	let counts = new Map<string, number>();
	let at = 0;
	for (const { 0: word, index } of sentence.matchAll(WORD)) {
		const between = sentence.slice(at, index);
		at = index + word.length;
		if ((words >= PIECE_WORDS && /\s/u.test(between)) || words >= PIECE_WORDS_MAX) {
			pieces.push(piece.trim());
			[piece, words, counts] = ["", 0, new Map()];
		}
		const key = word.toLowerCase();
		const count = (counts.get(key) ?? 0) + 1;
		if (count > REPEATS_MAX && !NUMBER.test(word)) continue;
		counts.set(key, count);
		piece += between + word;
		words += 1;
	}
	const last = (piece + sentence.slice(at)).trim();
	return last === "" ? pieces : [...pieces, last];
}
