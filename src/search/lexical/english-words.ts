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

/**
 * English words that carry grammar rather than subject. They stay in the index (their idf is near zero anyway);
 * only the judgment of an answer looks past them.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
	`a about above after again against all also am an and any are aren't as at be because been before being
	between both but by can can't cannot could couldn't did didn't do does doesn't doing don't during each either
	else ever every few find for from further get give given gives got had has have having he her here hers him his how
	however i if in into is isn't it its itself just know let like list lot made make makes many may me might more
	most much must my need needs no nor not now of off often on once one only onto or other our out over own per
	please rather really same say says shall she should show since so some such tell than that the their them then
	there these they thing things this those through to too under until up upon us use used uses using very via
	want was wasn't way we were what what's when where whether which while who whom whose why will with within
	without won't would yet you your best better describe difference different differ explain example examples happen happens
	mean meaning means stop tell today twice work works`.split(/\s+/),
);

/** True for a lower-case word that says nothing about a subject. */
export function isStopWord(word: string): boolean {
	return STOP_WORDS.has(word);
}
