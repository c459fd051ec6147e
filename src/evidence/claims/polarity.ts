/** A stretch of text that is denied. */
export interface Negation {
	readonly cue: string;
	readonly start: number;
	/** Where its reach ends: at the end of its clause, or after some words. */
	readonly end: number;
}

const CUE =
	/\b(?:not(?!\s+only\b)|never|no(?!\.|\s+(?:later|earlier|more|less|fewer|longer|larger|greater)\s+than\b|\s+longer\b)|no longer|none|neither|nor|nobody|nothing|without|cannot|rather than|instead of|fails? to|failed to|lacks?|lacking|absent)\b|\b\p{L}+n['’]t\b/giu;
const CLAUSE_END =
	/[,;:.()](?:\s|$)|\s(?:but|while|whereas|although|though|because|so that|which|unless|except)\s/;
const WORDS_MAX = 9;

/** What a text denies, cue by cue. "Not only" and bounds such as "no more than" deny nothing. */
export function findNegations(text: string): readonly Negation[] {
	return [...text.matchAll(CUE)].map((match) => {
		const from = match.index + match[0].length;
		const behind = text.slice(from, from + 160);
		const stop = CLAUSE_END.exec(behind)?.index ?? behind.length;
		const words = [...behind.slice(0, stop).matchAll(/\S+/g)].slice(0, WORDS_MAX);
		const last = words.at(-1);
		const reach = last ? last.index + last[0].length : 0;
		return { cue: match[0].toLowerCase(), start: match.index, end: from + reach };
	});
}
