import { termsOf, tokenize } from "../search/search.js";

/** Distinct content words of a text, each as the index terms it stands for; stop words left out. */
export function contentWords(text: string): readonly (readonly string[])[] {
	const seen = new Set<string>();
	const words: (readonly string[])[] = [];
	for (const word of tokenize(text)) {
		if (word.isStopWord || seen.has(word.whole)) continue;
		seen.add(word.whole);
		words.push([...termsOf(word)]);
	}
	return words;
}

/** Every term of a text, for holding other texts' words against it. */
export function contentTerms(text: string): ReadonlySet<string> {
	return new Set(contentWords(text).flat());
}

/** Share of the words of which a text has at least one term, 0..1; 1 where there are none. */
export function coverageOf(
	words: readonly (readonly string[])[],
	terms: ReadonlySet<string>,
): number {
	if (words.length === 0) return 1;
	const held = words.filter((word) => word.some((term) => terms.has(term)));
	return held.length / words.length;
}

/** Words two sets have in common as a share of all of theirs (Jaccard); 0 where they have none in common. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	let common = 0;
	for (const term of a) if (b.has(term)) common += 1;
	return common === 0 ? 0 : common / (a.size + b.size - common);
}

/** A word that stands for something named before. */
const POINTS_BACK =
	/\b(?:it|its|itself|this|that|these|those|they|them|their|one|ones|such|same|former|latter|there)\b/i;
/** A question that goes on where another ended. */
const GOES_ON =
	/^\s*(?:and|but|so|or|also|then|what about|how about|what if|why|why not|when|since when|where|who|really|for|with|without|in|how)\b/i;
const FEW_WORDS = 2;

/** Whether a question names too little to be asked by itself. */
export function isFollowUp(question: string): boolean {
	const words = contentWords(question).length;
	return POINTS_BACK.test(question) || words <= FEW_WORDS || (GOES_ON.test(question) && words <= 4);
}
