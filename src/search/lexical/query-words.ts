import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
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

/**
 * English words that carry grammar rather than subject. They stay in the index (their idf is near zero anyway);
 * only the judgment of an answer looks past them.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
	`a about above after again against all also am an and any are aren't as at be because been before being
	between both but by can can't cannot could couldn't did didn't do does doesn't doing don't during each either
	else ever every few find for from further get give given gives got had has have having he her here hers him his how
	however i if in into is isn't it its itself just know let like list lot made make makes many may me might more
	most much must my need needs no nor not now of off often on once one only onto or other our out over own per
	please rather really same say says shall she should show since so some such tell than that the their them then
	there these they thing things this those through to too under until up upon us use used uses using very via
	want was wasn't way we were what what's when where whether which while who whom whose why will with within
	without won't would yet you your best better describe difference different differ explain example examples happen happens
	mean meaning means stop tell today twice work works`.split(/\s+/),
);

/** True for a lower-case word that says nothing about a subject. */
export function isStopWord(word: string): boolean {
	return STOP_WORDS.has(word);
}

/** Pieces are looked at one by one below: a schema over all of them costs a start tens of milliseconds. */
const tokenizerSchema = z.object({ model: z.object({ vocab: z.unknown() }) });

/** How the kinds of tokenizer mark a piece that begins a word; WordPiece marks those that do not. */
const WORD_START = /^[▁Ġ]/;
const LOWER_CASE_WORD = /^\p{Ll}{3,}$/u;

/**
 * The words of letters alone, lower case, that a model's tokenizer knows whole: the common ones of the text it was made from. Empty
 * when the folder has no such file or the file is of another shape.
 */
export async function readCommonWords(modelFolder: string): Promise<ReadonlySet<string>> {
	try {
		const text = await readFile(join(modelFolder, "tokenizer.json"), "utf8");
		const { vocab } = tokenizerSchema.parse(JSON.parse(text)).model;
		return toCommonWords(piecesOf(vocab));
	} catch {
		return new Set();
	}
}

/** Either of the two shapes in which tokenizer.json keeps its pieces: with their numbers (WordPiece, BPE) or their scores (Unigram). */
function piecesOf(vocab: unknown): readonly string[] {
	if (!Array.isArray(vocab)) return Object.keys(vocab ?? {});
	const firsts: unknown[] = vocab.map((entry) => (Array.isArray(entry) ? entry[0] : undefined));
	return firsts.filter((piece) => typeof piece === "string");
}

function toCommonWords(pieces: readonly string[]): ReadonlySet<string> {
	const marked = pieces.filter((piece) => WORD_START.test(piece));
	const starts = marked.length > 0 ? marked.map((piece) => piece.slice(1)) : pieces;
	return new Set(starts.filter((piece) => LOWER_CASE_WORD.test(piece)));
}
