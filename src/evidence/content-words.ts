import { runInTurns, type Steps } from "../knowledge/knowledge.js";
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

/** Whether a follow-up names what it is about besides what it goes on from: "And certificate pinning?", not "Since when?". */
export function namesOwnMatter(question: string): boolean {
	return !POINTS_BACK.test(question) && contentWords(question).length > 1;
}

const COUNT = 3;
const LEAST = 0.3;

/** A few names written like one that no one has, most alike first. */
export function findNearNames(wanted: string, names: Iterable<string>): Promise<readonly string[]> {
	return runInTurns(nearest(wanted, names));
}

function* nearest(wanted: string, names: Iterable<string>): Steps<readonly string[]> {
	const asked = trigramsOf(normalizeName(wanted));
	const best = createBestOf<{ readonly name: string; readonly likeness: number }>(
		COUNT,
		(a, b) => b.likeness - a.likeness,
	);
	for (const name of names) {
		yield;
		const likeness = similarityOf(asked, trigramsOf(normalizeName(name)));
		if (likeness >= LEAST) best.add({ name, likeness });
	}
	return best.inOrder().map(({ name }) => name);
}

const NAME_CHARS = 200;

/** A name without what writers differ in: case, marks, punctuation and spaces. Empty for a name of punctuation alone. */
export function normalizeName(name: string): string {
	return name
		.slice(0, NAME_CHARS)
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}+#]+/gu, " ")
		.trim();
}

/** Runs of three characters of a normalized name, its words set apart by spaces. */
export function trigramsOf(name: string): ReadonlySet<string> {
	const text = ` ${name} `;
	const grams = new Set<string>();
	for (let at = 0; at + 3 <= text.length; at++) grams.add(text.slice(at, at + 3));
	return grams;
}

/** Dice's coefficient: twice what both have, over what each has. 0..1. */
function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size === 0 || b.size === 0) return 0;
	let shared = 0;
	for (const gram of a) if (b.has(gram)) shared += 1;
	return (2 * shared) / (a.size + b.size);
}

/** The first few of many, in order, without keeping or sorting the rest; `compare` is negative where its first item comes first. */
export function createBestOf<Item>(count: number, compare: (a: Item, b: Item) => number) {
	const kept: Item[] = [];
	return {
		add(item: Item): void {
			const last = kept.at(-1);
			if (kept.length >= count && last !== undefined && compare(item, last) >= 0) return;
			let [low, high] = [0, kept.length];
			while (low < high) {
				const middle = (low + high) >>> 1;
				if (compare(kept[middle] as Item, item) <= 0) low = middle + 1;
				else high = middle;
			}
			kept.splice(low, 0, item);
			if (kept.length > count) kept.pop();
		},
		inOrder: (): readonly Item[] => kept,
	};
}
