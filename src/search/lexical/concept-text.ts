import type { Concept } from "../../knowledge/knowledge.js";
import { termsOf, tokenize } from "./tokenizer.js";

/** Text of one field of a concept and how much a word in it counts against a word of the body. */
export interface WeightedText {
	readonly text: string;
	readonly weight: number;
}

const FIELD_WEIGHTS = {
	title: 3,
	aliases: 3,
	name: 2,
	tags: 2,
	summary: 1.5,
	body: 1,
	facts: 1,
	sources: 0.5,
} as const;

/** What a concept is found by: its names, what it says, what its front matter states, and the titles of the sources that carry it. */
export function fieldsOf(concept: Concept): readonly WeightedText[] {
	return [
		...headingFieldsOf(concept),
		{ text: toPlainText(concept.body), weight: FIELD_WEIGHTS.body },
		{ text: concept.facts ?? "", weight: FIELD_WEIGHTS.facts },
		{
			text: concept.evidence.map((source) => source.title).join("\n"),
			weight: FIELD_WEIGHTS.sources,
		},
	];
}

/** The fields that say what a concept is, as opposed to what it mentions. */
export function headingFieldsOf(concept: Concept): readonly WeightedText[] {
	return [
		{ text: concept.title, weight: FIELD_WEIGHTS.title },
		{ text: concept.aliases.join("\n"), weight: FIELD_WEIGHTS.aliases },
		{ text: fileNameOf(concept), weight: FIELD_WEIGHTS.name },
		{ text: concept.tags.join("\n"), weight: FIELD_WEIGHTS.tags },
		{ text: concept.summary, weight: FIELD_WEIGHTS.summary },
	];
}

/** The last part of a concept's id: what its author called the file. */
export function fileNameOf({ id }: Concept): string {
	return id.slice(id.lastIndexOf(".") + 1);
}

/*
 * Documents come from strangers. No pattern may read the same characters again from many starting points: each one either
 * begins at the start of a line and stays on that line, or stops where the next match could begin.
 */
const FOOTNOTE_DEFINITION = /^\[\^[^\]\n]{1,200}\]:.*$/gm;
const FOOTNOTE_REFERENCE = /\[\^[^[\]\n]{1,200}\]/g;
const LINK = /!?\[([^[\]]{0,500})\]\([^()\s]*(?:\s{1,20}"[^"]{0,500}")?\)/g;
const BARE_ADDRESS = /<?https?:\/\/[^\s>)]+>?/g;
const COMMENT = /<!--(?:(?!<!--)[\s\S])*?-->/g;
const RULE = /^[-=:| \t]{3,}$/gm;
const MARKUP = /^[ \t]*(?:#{1,6}(?:[ \t]|$)|>|[-*+](?:[ \t]|$)|`{3}[a-z]{0,40}$)|[*`|]+/gm;

/** Markdown as the words a reader sees: links by their text; footnotes, addresses and marks left out. */
export function toPlainText(markdown: string): string {
	return markdown
		.replace(COMMENT, " ")
		.replace(FOOTNOTE_DEFINITION, "")
		.replace(FOOTNOTE_REFERENCE, "")
		.replace(LINK, "$1")
		.replace(BARE_ADDRESS, " ")
		.replace(RULE, " ")
		.replace(MARKUP, " ");
}

/** Some 150 tokens: it fits an embedding model's context, and still speaks of one thing. */
const WINDOW_WORDS = 110;
/** What is left of a body after its last window is taken along when it is at least so long. */
const MIN_WINDOW_WORDS = 15;
/** A longer last sentence is not repeated in the next window. */
const MAX_OVERLAP_WORDS = 30;
const SENTENCE_END = /[.!?:;]["')\]]?$/;

/**
 * What of a concept gets a vector: first its title and summary, then windows over the whole body, each led by the title.
 * At least one passage.
 */
export function toPassages(concept: Concept): readonly string[] {
	const head = [concept.title, concept.summary].filter((text) => text !== "").join(". ");
	return [head || concept.id, ...windowsOf(concept).map((text) => `${concept.title}. ${text}`)];
}

/** Windows end with a sentence where one ends in their second half, and begin with the last sentence of the one before. */
function windowsOf(concept: Concept): string[] {
	const words = toPlainText(concept.body)
		.split(/\s+/)
		.filter((word) => word !== "");
	const windows: string[] = [];
	for (let start = 0; start < words.length; ) {
		const end = windowEnd(words, start);
		windows.push(words.slice(start, end).join(" "));
		if (words.length - end < MIN_WINDOW_WORDS) break;
		const again = lastSentenceEnd(words, end - MAX_OVERLAP_WORDS, end - 1);
		start = again > start ? again : end;
	}
	return windows;
}

function windowEnd(words: readonly string[], start: number): number {
	const full = start + WINDOW_WORDS;
	if (full >= words.length) return words.length;
	const end = lastSentenceEnd(words, start + WINDOW_WORDS / 2, full);
	return end > start ? end : full;
}

/** The place after the last word between these places that ends a sentence; -1 when none does. */
function lastSentenceEnd(words: readonly string[], from: number, to: number): number {
	for (let end = to; end > Math.max(0, from); end--) {
		if (SENTENCE_END.test(words[end - 1] as string)) return end;
	}
	return -1;
}

/** Terms to be asked about one by one. */
export type HeldTerms = Pick<ReadonlySet<string>, "has">;

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
				) || holdsWord(text, lower, beginning, term)
			);
		},
	};
}

/** Words begin after a space or with a capital; `beginning` is that of the term. */
function holdsWord(text: string, lower: string, beginning: string, term: string): boolean {
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
