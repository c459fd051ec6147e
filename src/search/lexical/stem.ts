const VOWEL = /[aeiouy]/;
const LATIN_WORD = /^[a-z]+$/;
const MIN_STEM_CHARS = 3;

/**
 * A light English stem of a lower-case word: plural, -ed and -ing forms and a silent e meet in one term.
 * Words with digits, marks or other scripts, and words of up to three letters, come back as they are.
 */
export function stemWord(word: string): string {
	if (word.length <= MIN_STEM_CHARS || !LATIN_WORD.test(word)) return word;
	return dropSilentEnd(dropVerbEnding(dropPlural(word)));
}

function dropPlural(word: string): string {
	if (!word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
	if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
	if (/(?:sse|xe|che|she|zze)s$/.test(word)) return word.slice(0, -2);
	return word.slice(0, -1);
}

function dropVerbEnding(word: string): string {
	const ending = /(?:ing|ed)$/.exec(word)?.[0];
	if (ending === undefined) return word;
	if (word.endsWith("ied") && word.length > 4) return `${word.slice(0, -3)}y`;
	const root = word.slice(0, -ending.length);
	if (root.length < MIN_STEM_CHARS || !VOWEL.test(root) || root.endsWith("e")) return word;
	return undouble(root);
}

/** "planning" and "plan" meet; "calling" keeps its double l, as "call" does. */
function undouble(root: string): string {
	return /([bdfgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}

function dropSilentEnd(word: string): string {
	if (word.length <= MIN_STEM_CHARS) return word;
	if (word.endsWith("e")) return word.slice(0, -1);
	return word.endsWith("y") && !VOWEL.test(word.at(-2) ?? "") ? `${word.slice(0, -1)}i` : word;
}
