/** A run of letters of a script with spaces, a run of digits, one mark, or one character of any other script. */
const PIECE = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+|\p{N}+|\n+|[^\s]/gu;
const LETTERS_PER_TOKEN = 4;
const DIGITS_PER_TOKEN = 3;
/** Letters outside ASCII cut words into shorter tokens in most vocabularies. */
const OTHER_LETTERS_PER_TOKEN = 2;

/**
 * How many tokens a text is for a language model, the same on every machine: a word counts one per 4 letters begun (2 for
 * words beyond ASCII), a number one per 3 digits, every mark and every character of other scripts one. Vocabularies differ;
 * for English prose this lies above most of them, so that a pack made to fit does fit.
 */
export function estimateTokens(text: string): number {
	let tokens = 0;
	for (const [piece] of text.matchAll(PIECE)) {
		if (/^[a-z]/i.test(piece) || /^\p{L}{2}/u.test(piece)) tokens += tokensOfWord(piece);
		else if (/^\p{N}/u.test(piece)) tokens += Math.ceil(piece.length / DIGITS_PER_TOKEN);
		else tokens += 1;
	}
	return tokens;
}

function tokensOfWord(word: string): number {
	const isPlain = /^[a-z]+$/i.test(word);
	return Math.ceil(word.length / (isPlain ? LETTERS_PER_TOKEN : OTHER_LETTERS_PER_TOKEN));
}
