import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { memoizeByObject } from "../../kernel/kernel.js";
import type { Word } from "./tokenizer.js";

/** Lists hold no shorter words; the language has few, and common ones. */
const MIN_LISTED_CHARS = 3;
const HAS_NUMBER = /\p{N}/u;

/**
 * How rare a word is in the language, 0..1 by its place in a list that begins with the commonest; 1 when neither the word nor all
 * of its pieces are there. Undefined for numbers, and without a list.
 */
export function rarityIn(commonWords: ReadonlySet<string>, word: Word): number | undefined {
	if (commonWords.size === 0 || HAS_NUMBER.test(word.surface)) return undefined;
	if (word.surface.length < MIN_LISTED_CHARS) return 0;
	return rarityAmong(commonWords)(word);
}

/** A query's words are asked about for every graph, and more than once. */
const rarityAmong = memoizeByObject((commonWords: ReadonlySet<string>) => {
	const { size } = commonWords;
	const places = new Map([...commonWords].map((word, position) => [word, position / size]));
	const rarityOf = (term: string) =>
		Math.min(...formsOf(term).map((form) => places.get(form) ?? 1));
	return memoizeByObject(({ surface, parts }: Word) => {
		const whole = rarityOf(surface);
		return parts.length === 0 ? whole : Math.min(whole, Math.max(...parts.map(rarityOf)));
	});
});

const ENDINGS = /(?:'s|es|s|ed|ing|er|ly)$/;

/** The word and what it may be a form of: a list need not hold "wipes" beside "wipe". */
function formsOf(term: string): readonly string[] {
	const base = term.replace(ENDINGS, "");
	return base === term ? [term] : [term, base, `${base}e`, `${base}s`];
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
