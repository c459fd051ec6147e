import type { Word } from "./tokenizer.js";

/** Several capitals, capitals within, or what only names in code have: `SAML`, `useEffect`, `proxy_read_timeout`, `BLAKE3`. */
const CASED_NAME = /\p{Lu}.*\p{Lu}|\p{Ll}\p{Lu}/u;
const CODE_NAME = /_|\p{L}.*\p{N}|\p{N}.*\p{L}/u;
const CAPITAL = /^\p{Lu}/u;
const LOWER_CASE = /^[^\p{Lu}\p{N}]+$/u;
/** No name is longer, and the patterns look at everything after every letter. */
const MAX_NAME_CHARS = 64;
/** Versions say which one, not what. */
const VERSION = /^v\d+$/i;

/** One query's words are asked about for every graph. */
const namesByQuery = new WeakMap<readonly Word[], ReadonlySet<Word>>();

/**
 * Those of a query's words that are written like the name of one particular thing. A capital tells nothing in the first
 * word, nor where every word has one.
 */
export function writtenAsNames(words: readonly Word[]): ReadonlySet<Word> {
	const known = namesByQuery.get(words);
	if (known) return known;
	const made = new Set(findNames(words));
	namesByQuery.set(words, made);
	return made;
}

function findNames(words: readonly Word[]): readonly Word[] {
	const isCaseTelling = words.some(({ written }) => LOWER_CASE.test(written));
	const isName = (word: Word, position: number) => {
		const written = word.written.slice(0, MAX_NAME_CHARS);
		if (VERSION.test(written)) return false;
		if (CODE_NAME.test(written)) return true;
		if (!isCaseTelling) return false;
		return CASED_NAME.test(written) || (position > 0 && CAPITAL.test(written));
	};
	return words.filter((word, position) => !word.isStopWord && isName(word, position));
}
