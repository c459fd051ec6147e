import { splitSentences } from "../../src/evidence/evidence.js";
import type { Steps } from "../../src/knowledge/knowledge.js";
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
 * The claims of a text in their order, each with its place; work may be interrupted after each sentence. A sentence that begins with "it" or
 * "they" is read with the first name of the sentence before it, because alone it says nothing of anything. Never throws; cut at `most`.
 */
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
