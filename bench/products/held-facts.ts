/** Whether printed text holds what a labelled place says. */

import { toPlainText } from "../../src/documents/served-text.js";
import { jaccard } from "../../src/evidence/content-words.js";

const MOST_ALIKE = 0.8;

/** A file below the folder of its corpus, and its words but for spaces. */
export interface LabelledPlace {
	readonly file: string;
	readonly quote: string;
}

interface Printed {
	readonly text: string;
	/** With the name of the graph first. */
	readonly files: readonly string[];
}

/** Says one of the places, and is from there; of imports the labels leave out the name of the graph. */
export function holdsPlace(
	{ text, files }: Printed,
	places: readonly LabelledPlace[],
	{ corpus }: { readonly corpus: string } = { corpus: "catalog" },
): boolean {
	const said = wordsOf(text);
	return places.some(({ file, quote }) => {
		if (!files.some((one) => isFile(file, one, corpus))) return false;
		const quoted = wordsOf(toPlainText(quote));
		return said.includes(quoted) || quoted.includes(said);
	});
}

/** Whether it is cited from a file that has one of the places. */
export function isFromPlaces(
	{ files }: Pick<Printed, "files">,
	places: readonly LabelledPlace[],
	corpus: string,
): boolean {
	return places.some(({ file }) => files.some((one) => isFile(file, one, corpus)));
}

function isFile(labelled: string, printed: string, corpus: string): boolean {
	const path = corpus === "catalog" ? printed : printed.slice(printed.indexOf("/") + 1);
	return wordsOf(labelled).endsWith(wordsOf(path));
}

export function wordsOf(text: string): string {
	return (
		text
			.replace(/\[\^[^\]]*\]/g, "")
			.toLowerCase()
			.match(/[\p{L}\p{N}]+/gu) ?? []
	).join(" ");
}

/** How many say nearly what one before them says. */
export function countRepeated(texts: readonly string[]): number {
	const sets = texts.map((text) => new Set(wordsOf(text).split(" ")));
	return sets.filter((one, at) =>
		sets.slice(0, at).some((other) => jaccard(one, other) >= MOST_ALIKE),
	).length;
}

/** A sentence of fewer words may stand in two places by chance. */
const SENTENCE_WORDS = 6;

/** How often each sentence of the passages stands in the texts of a reply, as one field or within one. */
export function countPrintings(
	passages: readonly string[],
	texts: readonly string[],
): readonly number[] {
	const fields = texts.map((text) => ` ${wordsOf(text)} `);
	const sentences = passages.flatMap((text) => text.split(/(?<=[.!?])\s+/)).map(wordsOf);
	return [...new Set(sentences)]
		.filter((sentence) => sentence.split(" ").length >= SENTENCE_WORDS)
		.map((sentence) =>
			fields.reduce((sum, field) => sum + field.split(` ${sentence} `).length - 1, 0),
		);
}
