import type { Word } from "./tokenizer.js";

interface Rarities {
	/** Place of each listed word, 0..1. */
	readonly places: ReadonlyMap<string, number>;
	/** A query's words are asked about for every graph, and more than once. */
	readonly byWord: WeakMap<Word, number>;
}

const raritiesByList = new WeakMap<ReadonlySet<string>, Rarities>();

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
	const { places, byWord } = raritiesIn(commonWords);
	const known = byWord.get(word);
	if (known !== undefined) return known;
	const made = rarityAmong(places, word);
	byWord.set(word, made);
	return made;
}

function rarityAmong(places: ReadonlyMap<string, number>, { surface, parts }: Word): number {
	const rarityOf = (term: string) =>
		Math.min(...formsOf(term).map((form) => places.get(form) ?? 1));
	const whole = rarityOf(surface);
	return parts.length === 0 ? whole : Math.min(whole, Math.max(...parts.map(rarityOf)));
}

const ENDINGS = /(?:'s|es|s|ed|ing|er|ly)$/;

/** The word and what it may be a form of: a list need not hold "wipes" beside "wipe". */
function formsOf(term: string): readonly string[] {
	const base = term.replace(ENDINGS, "");
	return base === term ? [term] : [term, base, `${base}e`, `${base}s`];
}

function raritiesIn(commonWords: ReadonlySet<string>): Rarities {
	let rarities = raritiesByList.get(commonWords);
	if (!rarities) {
		const { size } = commonWords;
		const places = new Map([...commonWords].map((word, position) => [word, position / size]));
		rarities = { places, byWord: new WeakMap() };
		raritiesByList.set(commonWords, rarities);
	}
	return rarities;
}
