import { stemWord } from "./stem.js";
import type { Word } from "./tokenizer.js";

const rarities = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, number>>();

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
	const places = placesIn(commonWords);
	const rarityOf = (term: string) => places.get(term) ?? 1;
	const whole = Math.min(rarityOf(word.surface), rarityOf(word.whole));
	return word.parts.length === 0 ? whole : Math.min(whole, Math.max(...word.parts.map(rarityOf)));
}

/** By the word and by its stem. */
function placesIn(commonWords: ReadonlySet<string>): ReadonlyMap<string, number> {
	let places = rarities.get(commonWords);
	if (!places) {
		const made = new Map<string, number>();
		let position = 0;
		for (const word of commonWords) {
			const rarity = position++ / commonWords.size;
			for (const term of [word, stemWord(word)]) if (!made.has(term)) made.set(term, rarity);
		}
		places = made;
		rarities.set(commonWords, places);
	}
	return places;
}
