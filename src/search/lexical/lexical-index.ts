import { memoizeByObject } from "../../kernel/kernel.js";
/** Keyword side: BM25 over typed arrays, one index per segment. */

/** Postings of one segment: term `t` has documents `docs[starts[t] .. starts[t + 1])`, ascending, with their impacts. */
export interface LexicalIndex {
	readonly documents: number;
	/** Term to its number; numbers follow the sorted order of the terms. */
	readonly terms: TermTable;
	readonly starts: Uint32Array;
	readonly docs: Uint32Array;
	/** BM25's saturated, length-normalized term frequency; the idf is applied per query, over the graphs it searches. */
	readonly impacts: Float32Array;
	/** Words of each document, weighted by their fields. */
	readonly lengths: Float32Array;
	/** What the impacts take for the average of all lengths: alike in all segments of a graph, so that their scores compare. */
	readonly averageLength: number;
}

export interface QueryTerm {
	readonly term: string;
	readonly weight: number;
}

/** One index to search in, and where its documents begin among the slots of all. */
export interface LexicalScope {
	readonly index: LexicalIndex;
	readonly base: number;
	/** One byte per document, 0 for those that take no part; undefined when all do. */
	readonly mask?: Uint8Array | undefined;
}

/** Where a term's postings begin and end; an empty stretch for one that is not there. */
export function postingsOf(
	{ terms, starts }: LexicalIndex,
	term: string,
): readonly [from: number, to: number] {
	const number = terms.get(term);
	return number === undefined ? [0, 0] : [starts[number] ?? 0, starts[number + 1] ?? 0];
}

/** In how many documents of these graphs the term occurs, those left out by a mask included: they are too few to matter for an idf. */
export function documentFrequency(term: string, scopes: readonly LexicalScope[]): number {
	let count = 0;
	for (const { index } of scopes) {
		const [from, to] = postingsOf(index, term);
		count += to - from;
	}
	return count;
}

/** Robertson and Sparck Jones' weight, kept positive: ln(1 + (N - df + 0.5) / (df + 0.5)). */
export function inverseDocumentFrequency(frequency: number, documents: number): number {
	return Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
}

/** True when a document that takes part contains the term. */
export function isHeld(term: string, scopes: readonly LexicalScope[]): boolean {
	return scopes.some(({ index, mask }) => {
		const number = index.terms.get(term);
		if (number === undefined) return false;
		const { docs, starts } = index;
		const end = starts[number + 1] ?? 0;
		let at = starts[number] ?? 0;
		while (mask && at < end && mask[docs[at] as number] === 0) at++;
		return at < end;
	});
}

/** True when one document that takes part contains all of the terms; `terms` has at least one. */
export function isHeldTogether(terms: readonly string[], scopes: readonly LexicalScope[]): boolean {
	return scopes.some((scope) => holdTogether(terms, scope));
}

function holdTogether(terms: readonly string[], { index, mask }: LexicalScope): boolean {
	const lists = terms.map((term) => postingsOf(index, term));
	const [shortest, ...others] = lists.sort((a, b) => a[1] - a[0] - (b[1] - b[0]));
	if (!shortest) return false;
	for (let at = shortest[0]; at < shortest[1]; at++) {
		const document = index.docs[at] as number;
		if (mask && mask[document] === 0) continue;
		if (others.every(([from, to]) => impactWithin(index, document, from, to) > 0)) return true;
	}
	return false;
}

/** True when the document contains the term. */
export function containsTerm(index: LexicalIndex, term: string, document: number): boolean {
	return impactOf(index, term, document) > 0;
}

/** Impact of a term in a document; 0 when it is not there. */
export function impactOf(index: LexicalIndex, term: string, document: number): number {
	const [from, to] = postingsOf(index, term);
	return impactWithin(index, document, from, to);
}

/** Impact of the term whose postings are those within [from, to) in a document; 0 when it is not there. */
export function impactWithin(
	index: LexicalIndex,
	document: number,
	from: number,
	to: number,
): number {
	const share = document / index.documents;
	const at = seekNear(index.docs, document, { from, to, share });
	return at < to && index.docs[at] === document ? (index.impacts[at] as number) : 0;
}

/** Place of the first posting within [from, to) whose document is not before `document`; `to` when there is none. */
export function seekPosting(docs: Uint32Array, document: number, from: number, to: number): number {
	let low = from;
	let high = to;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((docs[middle] as number) < document) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Shorter stretches are halved from their middle. */
const LONG_STRETCH = 64;
const FIRST_STEP = 16;

/**
 * What `seekPosting` finds, from where the document is likely to be (`share`: how far into the stretch if all lay evenly,
 * 0..1), in steps that double and then by halves: a long list is looked at in few places of the memory.
 */
export function seekNear(
	docs: Uint32Array,
	document: number,
	{ from, to, share }: { readonly from: number; readonly to: number; readonly share: number },
): number {
	let low = from;
	let high = to;
	if (to - from >= LONG_STRETCH) {
		const guess = from + Math.floor(share * (to - from - 1));
		const isBefore = (docs[guess] as number) < document;
		if (isBefore) low = guess + 1;
		else high = guess;
		for (let step = FIRST_STEP; high - low > step; step *= 2) {
			const next = isBefore ? low + step : high - step;
			if ((docs[next] as number) < document) low = next + 1;
			else high = next;
			if ((docs[next] as number) < document !== isBefore) break;
		}
	}
	return seekPosting(docs, document, low, high);
}

const highestImpacts = memoizeByObject(
	({ starts }: LexicalIndex) => new Float32Array(starts.length),
);

/** The highest impact of a term, by its number, in any document; found on first use. */
export function highestImpactOf(index: LexicalIndex, number: number): number {
	const known = highestImpacts(index);
	const before = known[number] as number;
	if (before > 0) return before;
	let highest = 0;
	const end = index.starts[number + 1] ?? 0;
	for (let at = index.starts[number] ?? 0; at < end; at++) {
		highest = Math.max(highest, index.impacts[at] as number);
	}
	known[number] = highest;
	return highest;
}

export type TermTable = ReturnType<typeof createTermTable>;

/** String `n` is the UTF-16 code units `units[offsets[n] .. offsets[n + 1])`. */
export interface TermCells {
	readonly units: Uint16Array;
	readonly offsets: Uint32Array;
}

/**
 * Queries ask for the same words again and again; so many answers are cached, fewer for a small table, which is searched faster: with
 * hundreds of graphs each query's words are cached in each of them, mostly as absent.
 */
const CACHED_TERMS = { most: 4_096, least: 64, share: 1 / 8 } as const;
/** Longer strings are not passed to a function letter by letter. */
const SHORT = 64;

/**
 * Sorted strings in two typed arrays: read from a file without parsing, and nothing for the garbage collector to walk. They must
 * be in ascending order of their code units, each once.
 */
export function createTermTable(cells: TermCells) {
	const size = cells.offsets.length - 1;
	const cache = new Map<string, number>();
	const { most, least, share } = CACHED_TERMS;
	const cachedMost = Math.min(most, Math.max(least, Math.floor(size * share)));
	/** The string of a number below `size`. */
	const at = (number: number): string => stringAt(cells, number);
	return {
		size,
		/** Number of a string, which is its place in the order; undefined when it is not there. */
		get(term: string): number | undefined {
			const known = cache.get(term);
			if (known !== undefined) return known < 0 ? undefined : known;
			const place = seekTerm(cells, term);
			const isThere = place < size && compareAt(cells, place, term) === 0;
			if (cache.size >= cachedMost) cache.clear();
			cache.set(term, isThere ? place : -1);
			return isThere ? place : undefined;
		},
		at,
		/** The number of the first string that is not before this one; `size` when there is none. */
		seek: (term: string): number => seekTerm(cells, term),
		*keys(): Generator<string> {
			for (let number = 0; number < size; number++) yield at(number);
		},
		cells,
	};
}

/** Strings end to end, in the order given. */
export function toCells(strings: readonly string[]): TermCells {
	const offsets = new Uint32Array(strings.length + 1);
	strings.forEach((text, number) => {
		offsets[number + 1] = (offsets[number] ?? 0) + text.length;
	});
	const units = new Uint16Array(offsets.at(-1) ?? 0);
	Buffer.from(units.buffer).write(strings.join(""), "utf16le");
	return { units, offsets };
}

export function fromCells({ units, offsets }: TermCells): string[] {
	const text = textOf(units);
	const at = (number: number) => offsets[number] ?? 0;
	return Array.from({ length: offsets.length - 1 }, (_, number) =>
		text.slice(at(number), at(number + 1)),
	);
}

function textOf({ buffer, byteOffset, byteLength }: Uint16Array): string {
	return Buffer.from(buffer, byteOffset, byteLength).toString("utf16le");
}

function stringAt({ units, offsets }: TermCells, number: number): string {
	const from = offsets[number] ?? 0;
	const to = offsets[number + 1] ?? from;
	if (to - from <= SHORT) return String.fromCharCode(...units.subarray(from, to));
	return textOf(units.subarray(from, to));
}

/** Place of the first string that is not before `term`. */
function seekTerm(cells: TermCells, term: string): number {
	let low = 0;
	let high = cells.offsets.length - 1;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (compareAt(cells, middle, term) < 0) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Below zero when the string of this number comes before `term`. */
function compareAt({ units, offsets }: TermCells, number: number, term: string): number {
	const from = offsets[number] as number;
	const length = (offsets[number + 1] as number) - from;
	const shared = Math.min(length, term.length);
	for (let at = 0; at < shared; at++) {
		const difference = (units[from + at] as number) - term.charCodeAt(at);
		if (difference !== 0) return difference;
	}
	return length - term.length;
}
