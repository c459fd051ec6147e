import type { ReadWord, TextReading } from "./text-reading.js";
import { isDeniedForm } from "./word-axes.js";

/** How one word of a claim comes back in a sentence. */
export interface AlignedWord {
	readonly word: ReadWord;
	/** Where it comes back; undefined where only the sentence's surroundings hold it, or nothing does. */
	readonly match: ReadWord | undefined;
	readonly place: "sentence" | "context" | "nowhere";
	/** By what: the word itself, one that stands for it, or its opposite. */
	readonly by: "word" | "like" | "opposite" | undefined;
	/** False when one of both says the contrary, negations counted. */
	readonly agrees: boolean;
}

const DERIVED_CHARS = 5;
const DERIVED_TAIL = 4;

/** Each word of a claim with what answers it: of several candidates the one nearest to where the word before came back. */
export function alignWords(
	claim: TextReading,
	sentence: TextReading,
	contextStems: ReadonlySet<string>,
): readonly AlignedWord[] {
	const firm = claim.words.map((word) =>
		sentence.words.filter((other) => other.stem === word.stem),
	);
	return claim.words.map((word, index) => {
		const anchor = anchorOf(firm, index);
		const candidates = candidatesOf(word, sentence.words);
		const best = nearestOf(candidates, anchor);
		if (!best) {
			const place = contextStems.has(word.stem) ? "context" : "nowhere";
			return {
				word,
				match: undefined,
				place,
				by: place === "context" ? "word" : undefined,
				agrees: true,
			};
		}
		const sign = best.by === "opposite" ? -1 : 1;
		const agrees = sign * (word.isNegated ? -1 : 1) * (best.match.isNegated ? -1 : 1) > 0;
		return { word, match: best.match, place: "sentence", by: best.by, agrees };
	});
}

interface Candidate {
	readonly match: ReadWord;
	readonly by: "word" | "like" | "opposite";
}

/** Words themselves before those that stand for them; an opposite counts only where neither is there. */
function candidatesOf(word: ReadWord, words: readonly ReadWord[]): readonly Candidate[] {
	const same: Candidate[] = [];
	const like: Candidate[] = [];
	const opposite: Candidate[] = [];
	for (const match of words) {
		if (match.stem === word.stem) same.push({ match, by: "word" });
		else if (word.axis && word.axis.axis === match.axis?.axis) {
			if (word.axis.sign === match.axis.sign) like.push({ match, by: "like" });
			else opposite.push({ match, by: "opposite" });
		} else if (isDeniedForm(word.stem, match.stem)) opposite.push({ match, by: "opposite" });
		else if (isDerived(word.stem, match.stem)) like.push({ match, by: "like" });
	}
	if (word.axis && !word.isStopWord) return [...same, ...like, ...opposite];
	return same.length > 0 ? same : like.length > 0 ? like : opposite;
}

/** "Encrypt" and "encryption", "validator" and "validate". */
export function isDerived(a: string, b: string): boolean {
	const least = Math.min(a.length, b.length);
	if (least < DERIVED_CHARS - 1 || Math.abs(a.length - b.length) > DERIVED_TAIL + 1) return false;
	let shared = 0;
	while (shared < least && a[shared] === b[shared]) shared += 1;
	return (
		shared >= DERIVED_CHARS &&
		least - shared <= 2 &&
		Math.max(a.length, b.length) - shared <= DERIVED_TAIL
	);
}

/** Where the nearest other word of the claim comes back, for choosing among several places. */
function anchorOf(firm: readonly (readonly ReadWord[])[], index: number): number | undefined {
	for (let step = 1; step < firm.length; step++) {
		for (const place of [index + step, index - step]) {
			const [only, ...more] = firm[place] ?? [];
			if (only && more.length === 0) return only.start;
		}
	}
	return undefined;
}

const RANK = { word: 0, like: 1, opposite: 2 } as const;

function nearestOf(
	candidates: readonly Candidate[],
	anchor: number | undefined,
): Candidate | undefined {
	const distance = ({ match }: Candidate) =>
		anchor === undefined ? 0 : Math.abs(match.start - anchor);
	return [...candidates].sort((a, b) => distance(a) - distance(b) || RANK[a.by] - RANK[b.by])[0];
}
