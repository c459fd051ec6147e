import { editDistance } from "./edit-distance.js";
import type { LexicalIndex } from "./lexical-index.js";

/** The terms of one index in order, for looking them up by how they begin and by how they are nearly written. */
export interface Vocabulary {
	/** Terms of letters alone that begin with `prefix` and go on; at most `count`, those in most documents. */
	startingWith(prefix: string, count: number): readonly Match[];
	/** Terms of letters alone that are at most `most` edits away; beyond one edit only those with the same first letter. */
	near(word: string, most: number): readonly Match[];
}

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

const vocabularies = new WeakMap<LexicalIndex, Vocabulary>();

/** Made on first use and kept as long as the index. */
export function vocabularyOf(index: LexicalIndex): Vocabulary {
	const known = vocabularies.get(index);
	if (known) return known;
	const made = createVocabulary(index);
	vocabularies.set(index, made);
	return made;
}

function createVocabulary({ terms, starts }: LexicalIndex): Vocabulary {
	const sorted = [...terms.keys()];
	let shapes: Shapes | undefined;
	const documentsOf = (number: number) => (starts[number + 1] ?? 0) - (starts[number] ?? 0);
	return {
		startingWith(prefix, count) {
			const found: Match[] = [];
			const first = seek(sorted, prefix);
			for (let at = first; at < Math.min(sorted.length, first + MAX_LOOKED_THROUGH); at++) {
				const term = sorted[at] as string;
				if (!term.startsWith(prefix)) break;
				if (term.length === prefix.length || !LETTERS.test(term)) continue;
				found.push({ term, documents: documentsOf(at), distance: 0 });
			}
			return found.sort((a, b) => b.documents - a.documents).slice(0, count);
		},
		near(word, most) {
			shapes ??= toShapes(sorted);
			return nearTerms(word, most, sorted, shapes).map(({ number, distance }) => ({
				term: sorted[number] as string,
				documents: documentsOf(number),
				distance,
			}));
		},
	};
}

/** The place of the first term that is not before `text`. */
function seek(sorted: readonly string[], text: string): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((sorted[middle] as string) < text) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Terms grouped by length and, within a length, by the class of their first letter; a bit mask tells which classes occur. */
interface Shapes {
	/** Group `length * CLASSES + class` is `numbers[starts[group] .. starts[group + 1])`. */
	readonly starts: Uint32Array;
	readonly numbers: Uint32Array;
	readonly masks: Uint32Array;
}

function toShapes(sorted: readonly string[]): Shapes {
	const groups = new Int32Array(sorted.length).fill(-1);
	const starts = new Uint32Array((MAX_TERM_CHARS + 1) * CLASSES + 1);
	sorted.forEach((term, number) => {
		if (!hasShape(term)) return;
		const group = groupOf(term.length, classOf(term, 0));
		groups[number] = group;
		starts[group + 1] = (starts[group + 1] ?? 0) + 1;
	});
	for (let group = 1; group < starts.length; group++) {
		starts[group] = (starts[group] ?? 0) + (starts[group - 1] ?? 0);
	}
	const count = starts.at(-1) ?? 0;
	const numbers = new Uint32Array(count);
	const masks = new Uint32Array(count);
	const next = starts.slice();
	groups.forEach((group, number) => {
		if (group < 0) return;
		const at = next[group] as number;
		next[group] = at + 1;
		numbers[at] = number;
		masks[at] = maskOf(sorted[number] as string);
	});
	return { starts, numbers, masks };
}

function hasShape(term: string): boolean {
	return term.length >= MIN_TERM_CHARS && term.length <= MAX_TERM_CHARS && LETTERS.test(term);
}

function groupOf(length: number, letterClass: number): number {
	return length * CLASSES + letterClass;
}

function classOf(term: string, at: number): number {
	return term.charCodeAt(at) % CLASSES;
}

function maskOf(term: string): number {
	let mask = 0;
	for (let at = 0; at < term.length; at++) mask |= 1 << classOf(term, at);
	return mask >>> 0;
}

function nearTerms(
	word: string,
	most: number,
	sorted: readonly string[],
	{ starts, numbers, masks }: Shapes,
): readonly { number: number; distance: number }[] {
	const found: { number: number; distance: number }[] = [];
	const mask = maskOf(word);
	const scan = (from: number, to: number, limit: number): void => {
		for (let at = from; at < to; at++) {
			const other = masks[at] as number;
			// One edit takes at most one letter out and puts one in.
			if (bitsIn(mask & ~other) > limit || bitsIn(other & ~mask) > limit) continue;
			const number = numbers[at] as number;
			const distance = editDistance(word, sorted[number] as string, limit);
			if (distance <= limit) found.push({ number, distance });
		}
	};
	const first = classOf(word, 0);
	for (let length = word.length - most; length <= word.length + most; length++) {
		if (length < MIN_TERM_CHARS || length > MAX_TERM_CHARS) continue;
		const own = groupOf(length, first);
		const [from, ownFrom] = [starts[groupOf(length, 0)] ?? 0, starts[own] ?? 0];
		const [ownTo, to] = [starts[own + 1] ?? 0, starts[groupOf(length + 1, 0)] ?? 0];
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
