/** Words of one piece; few sentences have more. */
const PIECE_WORDS = 80;
/** A break inside a number or a name is put off for so many words. */
const PIECE_WORDS_MAX = 100;
/** Times a word may come back in a piece: beyond that it says nothing new, and every one would be held against every other. */
const REPEATS_MAX = 12;

const WORD = /[\p{L}\p{N}]+/gu;
const NUMBER = /^\p{N}+$/u;

/**
 * A sentence in pieces that are cheap to compare, whatever somebody has sent as one: the pieces hold all of its words in
 * their order, but for words that come back more than a dozen times in one piece.
 */
export function toComparedPieces(sentence: string): readonly string[] {
	const pieces: string[] = [];
	let piece = "";
	let words = 0;
	let counts = new Map<string, number>();
	let at = 0;
	for (const { 0: word, index } of sentence.matchAll(WORD)) {
		const between = sentence.slice(at, index);
		at = index + word.length;
		if ((words >= PIECE_WORDS && /\s/u.test(between)) || words >= PIECE_WORDS_MAX) {
			pieces.push(piece.trim());
			[piece, words, counts] = ["", 0, new Map()];
		}
		const key = word.toLowerCase();
		const count = (counts.get(key) ?? 0) + 1;
		if (count > REPEATS_MAX && !NUMBER.test(word)) continue;
		counts.set(key, count);
		piece += between + word;
		words += 1;
	}
	const last = (piece + sentence.slice(at)).trim();
	return last === "" ? pieces : [...pieces, last];
}
