import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

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
