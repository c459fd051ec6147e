import type { LexicalIndex, TermTable } from "./lexical-index.js";

export interface Match {
	readonly term: string;
	readonly documents: number;
	/** Edits from what was looked up; 0 for a longer word that begins with it. */
	readonly distance: number;
}

const LETTERS = /^\p{L}+$/u;
const MIN_TERM_CHARS = 3;
const MAX_TERM_CHARS = 40;
/** Terms that begin alike are looked through up to this many. */
const MAX_LOOKED_THROUGH = 4_096;
/** A letter's class is its code modulo 32: a to z have one each. */
const CLASSES = 32;

const vocabularies = new WeakMap<TermTable, Vocabulary>();

/** Made on first use and kept as long as the terms: impacts are rebuilt more often. */
export function vocabularyOf(index: LexicalIndex): Vocabulary {
	const known = vocabularies.get(index.terms);
	if (known) return known;
	const made = createVocabulary(index);
	vocabularies.set(index.terms, made);
	return made;
}

export type Vocabulary = ReturnType<typeof createVocabulary>;

/** The terms of one index in order, for looking them up by how they begin and by how they are nearly written. */
function createVocabulary({ terms, starts }: LexicalIndex) {
	let shapes: Shapes | undefined;
	const documentsOf = (number: number) => (starts[number + 1] ?? 0) - (starts[number] ?? 0);
	return {
		/** Terms of letters alone that begin with `prefix` and go on; at most `count`, those in most documents. */
		startingWith(prefix: string, count: number): readonly Match[] {
			const found: Match[] = [];
			const first = terms.seek(prefix);
			for (let at = first; at < Math.min(terms.size, first + MAX_LOOKED_THROUGH); at++) {
				const term = terms.at(at);
				if (!term.startsWith(prefix)) break;
				if (term.length === prefix.length || !LETTERS.test(term)) continue;
				found.push({ term, documents: documentsOf(at), distance: 0 });
			}
			return found.sort((a, b) => b.documents - a.documents).slice(0, count);
		},
		/** Terms of any kind that begin with `prefix` and go on; at most `count`. */
		allStartingWith(prefix: string, count: number): readonly string[] {
			const found: string[] = [];
			for (let at = terms.seek(prefix); at < terms.size && found.length < count; at++) {
				const term = terms.at(at);
				if (!term.startsWith(prefix)) break;
				found.push(term);
			}
			return found;
		},
		/** Terms of letters alone that are at most `most` edits away; beyond one edit only those with the same first letter. */
		near(word: string, most: number): readonly Match[] {
			shapes ??= toShapes(terms);
			return nearTerms(word, most, terms, shapes).map(({ number, distance }) => ({
				term: terms.at(number),
				documents: documentsOf(number),
				distance,
			}));
		},
	};
}

/** Terms grouped by length and, within a length, by the class of their first letter; a bit mask states which classes occur. */
interface Shapes {
	/** Group `length * CLASSES + class` is `numbers[starts[group] .. starts[group + 1])`. */
	readonly starts: Uint32Array;
	readonly numbers: Uint32Array;
	readonly masks: Uint32Array;
}

function toShapes(terms: TermTable): Shapes {
	const { units, offsets } = terms.cells;
	const groups = new Int32Array(terms.size).fill(-1);
	const starts = new Uint32Array((MAX_TERM_CHARS + 1) * CLASSES + 1);
	for (let number = 0; number < terms.size; number++) {
		const from = offsets[number] as number;
		const length = (offsets[number + 1] as number) - from;
		if (length < MIN_TERM_CHARS || length > MAX_TERM_CHARS || !isOfLetters(terms, number)) continue;
		const group = groupOf(length, (units[from] as number) % CLASSES);
		groups[number] = group;
		starts[group + 1] = (starts[group + 1] as number) + 1;
	}
	for (let group = 1; group < starts.length; group++) {
		starts[group] = (starts[group] as number) + (starts[group - 1] as number);
	}
	const numbers = new Uint32Array(starts.at(-1) ?? 0);
	const masks = new Uint32Array(numbers.length);
	const next = starts.slice();
	for (let number = 0; number < terms.size; number++) {
		const group = groups[number] as number;
		if (group < 0) continue;
		const at = next[group] as number;
		next[group] = at + 1;
		numbers[at] = number;
		masks[at] = maskOf(units, offsets[number] as number, offsets[number + 1] as number);
	}
	return { starts, numbers, masks };
}

const A = 97;
const Z = 122;

/** Nearly all terms are of a to z, and are known for it without being made into strings. */
function isOfLetters(terms: TermTable, number: number): boolean {
	const { units, offsets } = terms.cells;
	const end = offsets[number + 1] as number;
	let at = offsets[number] as number;
	while (at < end && (units[at] as number) >= A && (units[at] as number) <= Z) at++;
	return at === end || ((units[at] as number) > Z && LETTERS.test(terms.at(number)));
}

function groupOf(length: number, letterClass: number): number {
	return length * CLASSES + letterClass;
}

function maskOf(units: ArrayLike<number>, from: number, to: number): number {
	let mask = 0;
	for (let at = from; at < to; at++) mask |= 1 << ((units[at] as number) % CLASSES);
	return mask >>> 0;
}

function nearTerms(word: string, most: number, terms: TermTable, shapes: Shapes) {
	const { starts, numbers, masks } = shapes;
	const found: { readonly number: number; readonly distance: number }[] = [];
	const codes = Array.from(word, (_, at) => word.charCodeAt(at));
	const mask = maskOf(codes, 0, codes.length);
	const scan = (from: number, to: number, limit: number): void => {
		for (let at = from; at < to; at++) {
			const other = masks[at] as number;
			// One edit takes at most one letter out and puts one in.
			if (bitsIn(mask & ~other) > limit || bitsIn(other & ~mask) > limit) continue;
			const number = numbers[at] as number;
			const distance = editDistance(word, terms.at(number), limit);
			if (distance <= limit) found.push({ number, distance });
		}
	};
	const first = (codes[0] ?? 0) % CLASSES;
	const shortest = Math.max(MIN_TERM_CHARS, word.length - most);
	const longest = Math.min(MAX_TERM_CHARS, word.length + most);
	for (let length = shortest; length <= longest; length++) {
		const own = groupOf(length, first);
		const [from, to] = [starts[groupOf(length, 0)] ?? 0, starts[groupOf(length + 1, 0)] ?? 0];
		const [ownFrom, ownTo] = [starts[own] ?? 0, starts[own + 1] ?? 0];
		scan(ownFrom, ownTo, most);
		if (Math.abs(length - word.length) > 1) continue;
		scan(from, ownFrom, 1);
		scan(ownTo, to, 1);
	}
	return found;
}

function bitsIn(mask: number): number {
	let bits = mask - ((mask >>> 1) & 0x55555555);
	bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
	return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Damerau and Levenshtein's distance in its restricted form (optimal string alignment): insertions, deletions, substitutions
 * and swaps of neighbors. Gives `most + 1` for anything beyond `most`, which is to be small: the work grows fourfold with each.
 */
export function editDistance(one: string, other: string, most: number): number {
	return distanceFrom({ one, other }, 0, 0, most);
}

function distanceFrom(
	words: { readonly one: string; readonly other: string },
	oneStart: number,
	otherStart: number,
	most: number,
): number {
	const { one, other } = words;
	let i = oneStart;
	let j = otherStart;
	while (i < one.length && j < other.length && one.charCodeAt(i) === other.charCodeAt(j)) {
		i++;
		j++;
	}
	const [left, right] = [one.length - i, other.length - j];
	if (left === 0 || right === 0) return Math.min(most + 1, left + right);
	if (most === 0 || Math.abs(left - right) > most) return most + 1;
	let best = distanceFrom(words, i + 1, j + 1, most - 1);
	best = Math.min(best, distanceFrom(words, i + 1, j, most - 1));
	best = Math.min(best, distanceFrom(words, i, j + 1, most - 1));
	const isSwap =
		one.charCodeAt(i) === other.charCodeAt(j + 1) && one.charCodeAt(i + 1) === other.charCodeAt(j);
	if (isSwap) best = Math.min(best, distanceFrom(words, i + 2, j + 2, most - 1));
	return best + 1;
}
