import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** Either of the two shapes in which tokenizer.json keeps its pieces: with their numbers (WordPiece, BPE) or their scores (Unigram). */
const tokenizerSchema = z.object({
	model: z.object({
		vocab: z.union([z.record(z.string(), z.number()), z.array(z.tuple([z.string(), z.number()]))]),
	}),
});

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
		const pieces = Array.isArray(vocab) ? vocab.map(([piece]) => piece) : Object.keys(vocab);
		return toCommonWords(pieces);
	} catch {
		return new Set();
	}
}

function toCommonWords(pieces: readonly string[]): ReadonlySet<string> {
	const marked = pieces.filter((piece) => WORD_START.test(piece));
	const starts = marked.length > 0 ? marked.map((piece) => piece.slice(1)) : pieces;
	return new Set(starts.filter((piece) => LOWER_CASE_WORD.test(piece)));
}
