import type { Name } from "./names.js";
import type { TextReading } from "./text-reading.js";

/** True where a text has a name, under whatever spelling counts as the same. */
export function hasName(
	{ names, text }: TextReading,
	{ key, text: written, series }: Name,
): boolean {
	if (names.some((other) => other.key === key)) return true;
	return series === undefined && hasWords(text.toLowerCase(), written.toLowerCase());
}

/** True where words stand in a text as such: "MIT" is not in "permitted". A plural or a genitive may follow. */
function hasWords(text: string, words: string): boolean {
	for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
		const before = text[at - 1] ?? " ";
		const behind = text.slice(at + words.length);
		if (!WORD_CHAR.test(before) && /^(?:e?s)?(?![\p{L}\p{N}])/u.test(behind)) return true;
	}
	return false;
}

const WORD_CHAR = /[\p{L}\p{N}]/u;
