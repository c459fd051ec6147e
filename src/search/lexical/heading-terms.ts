import type { Concept } from "../../knowledge/knowledge.js";
import { headingFieldsOf } from "./concept-fields.js";
import { termsOf, tokenize } from "./tokenizer.js";

/** Terms to be asked about one by one. */
export interface HeldTerms {
	has(term: string): boolean;
}

const OTHER_TEXT = /[^\t-\r -\x7f]/;
const PLAIN_TERM = /^[a-z]+$/;
/** Whatever is written together without being one run of letters. */
const COMPOUND = /\S*[^\sA-Za-z]\S*/g;
const NO_LETTERS = /[^a-z]+/g;

/**
 * Terms of the fields that say what a concept is. A query asks about a few of them: where it can, only the words that begin like
 * what is asked about are read.
 */
export function headingTermsOf(concept: Concept): HeldTerms {
	const texts = headingFieldsOf(concept).map(({ text }) => text);
	const whole = texts.join("\n");
	const inPlain = OTHER_TEXT.test(whole) ? undefined : plainTermsOf(whole);
	let all: ReadonlySet<string> | undefined;
	return {
		has(term) {
			if (inPlain && PLAIN_TERM.test(term)) return inPlain.has(term);
			all ??= new Set(texts.flatMap(allTermsOf));
			return all.has(term);
		},
	};
}

function allTermsOf(text: string): readonly string[] {
	return tokenize(text).flatMap(termsOf);
}

/** Terms of letters alone in a text of ASCII: none of them depends on what stands beyond a space. */
function plainTermsOf(text: string): HeldTerms {
	const lower = text.toLowerCase();
	const compounds = (text.match(COMPOUND) ?? []).map((piece) => ({
		piece,
		letters: piece.toLowerCase().replace(NO_LETTERS, ""),
	}));
	return {
		has(term) {
			// A stem differs from the beginning of its word in the last letter at most.
			const beginning = term.length > 1 ? term.slice(0, -1) : term;
			return (
				compounds.some(
					({ piece, letters }) => letters.includes(beginning) && allTermsOf(piece).includes(term),
				) || holdsWord({ text, lower, beginning }, term)
			);
		},
	};
}

interface Sought {
	readonly text: string;
	readonly lower: string;
	readonly beginning: string;
}

/** Words begin after a space or with a capital. */
function holdsWord({ text, lower, beginning }: Sought, term: string): boolean {
	let at = lower.indexOf(beginning);
	while (at >= 0) {
		const start = isSpace(text, at - 1) ? at : startOfWord(text, at);
		if (start >= 0) {
			const end = endOfWord(text, at);
			if (allTermsOf(text.slice(start, end)).includes(term)) return true;
			at = end;
		}
		at = lower.indexOf(beginning, at + 1);
	}
	return false;
}

/** Below zero within a word that has no capital there. */
function startOfWord(text: string, at: number): number {
	if (!isCapital(text, at)) return -1;
	let start = at;
	while (!isSpace(text, start - 1)) start--;
	return start;
}

function endOfWord(text: string, at: number): number {
	let end = at;
	while (!isSpace(text, end)) end++;
	return end;
}

/** Also true before the first and after the last place. */
function isSpace(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return !(code > 32);
}

function isCapital(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return code >= 65 && code <= 90;
}
