import { eld } from "eld/extrasmall";

/** Shorter queries are names and terms, which are of no language. */
const MIN_WORDS = 3;
/** A few signs of these scripts say as much as words of others. */
const DENSE_SCRIPT =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]{4,}/u;

/**
 * ISO 639-1 code of a query that is surely not in English, which the models read and the graphs are mostly written in; undefined for
 * every other one. By n-grams (eld).
 */
export function foreignLanguageOf(query: string): string | undefined {
	const isShort = query.trim().split(/\s+/).length < MIN_WORDS;
	if (isShort && !DENSE_SCRIPT.test(query)) return undefined;
	const found = eld.detect(query);
	return found.language !== "" && found.language !== "en" && found.isReliable()
		? found.language
		: undefined;
}
