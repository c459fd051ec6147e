import { createTurns, nextTurn } from "../../kernel/kernel.js";
import type { WeightedText } from "./concept-text.js";
import { definitionTerms } from "./definitions.js";
import { createTermTable, type LexicalIndex, toCells } from "./lexical-index.js";
import { termsOf, tokenize } from "./tokenizer.js";

/** Term frequency saturates early and length counts little: curated notes are short. */
export const BM25 = { k1: 0.9, b: 0.4 } as const;

/** How often each term stands in a document, weighted by its fields. */
export interface CountedText {
	readonly frequencies: ReadonlyMap<string, number>;
	readonly length: number;
}

/** Share of an impact's norm: how long a document is against the average. */
function lengthNorm(length: number, averageLength: number): number {
	return BM25.k1 * (1 - BM25.b + (BM25.b * length) / averageLength);
}

/** The index of documents in this order, held against their own average length unless another is given. */
export function buildLexicalIndex(counted: readonly CountedText[], given?: number): LexicalIndex {
	const lengths = Float32Array.from(counted, ({ length }) => length);
	const total = lengths.reduce((sum, length) => sum + length, 0);
	const averageLength = given ?? (total / Math.max(1, counted.length) || 1);
	const sorted = sortedTerms(counted);
	const terms = new Map(sorted.map((term, number) => [term, number]));
	const starts = startsOf(counted, terms);
	const size = starts[sorted.length] ?? 0;
	const docs = new Uint32Array(size);
	const impacts = new Float32Array(size);
	const next = starts.slice();
	counted.forEach(({ frequencies }, document) => {
		const norm = lengthNorm(lengths[document] ?? 0, averageLength);
		for (const [term, frequency] of frequencies) {
			const number = terms.get(term) ?? 0;
			const at = next[number] ?? 0;
			next[number] = at + 1;
			docs[at] = document;
			impacts[at] = (frequency * (BM25.k1 + 1)) / (frequency + norm);
		}
	});
	return {
		documents: counted.length,
		terms: createTermTable(toCells(sorted)),
		starts,
		docs,
		impacts,
		lengths,
		averageLength,
	};
}

/** A word counts with the weight of the field it stands in. */
export function countTerms(fields: readonly WeightedText[]): CountedText {
	const frequencies = new Map<string, number>();
	let length = 0;
	for (const { text, weight } of fields) {
		for (const term of definitionTerms(text)) frequencies.set(term, 1);
		for (const word of tokenize(text)) {
			length += weight;
			for (const term of termsOf(word))
				frequencies.set(term, (frequencies.get(term) ?? 0) + weight);
		}
	}
	return { frequencies, length };
}

function sortedTerms(counted: readonly CountedText[]): string[] {
	const terms = new Set<string>();
	for (const { frequencies } of counted) for (const term of frequencies.keys()) terms.add(term);
	return [...terms].sort();
}

/** Where each term's postings begin: a counting sort, so that documents stay in order within a term. */
function startsOf(
	counted: readonly CountedText[],
	terms: ReadonlyMap<string, number>,
): Uint32Array {
	const starts = new Uint32Array(terms.size + 1);
	for (const { frequencies } of counted) {
		for (const term of frequencies.keys()) {
			const slot = (terms.get(term) ?? 0) + 1;
			starts[slot] = (starts[slot] ?? 0) + 1;
		}
	}
	for (let slot = 1; slot < starts.length; slot++) {
		starts[slot] = (starts[slot] ?? 0) + (starts[slot - 1] ?? 0);
	}
	return starts;
}

/** An index and which of its documents go on. */
interface MergeSource {
	readonly index: LexicalIndex;
	/** False for tombstones. */
	readonly isLive: (document: number) => boolean;
}

/** What one term costs beside its postings, in postings. */
const TERM_UNITS = 60;
const POSTINGS_PER_TURN = 500_000;
/**
 * Fields weigh multiples of a twentieth, so that a frequency read back from an impact can be made exact again; from here on
 * rounding of the impact itself is larger than the steps, and means nothing.
 */
const STEPS_PER_WORD = 20;
const EXACT_BELOW = 200;

/** The live documents of all sources in one index, in order, held against one average length. Gives way to other work. */
export async function mergeLexical(
	sources: readonly MergeSource[],
	averageLength: number,
): Promise<LexicalIndex> {
	const { cursors, documents } = toCursors(sources);
	const lengths = lengthsOf(cursors, documents);
	let most = 0;
	for (const cursor of cursors) most += await countLive(cursor);
	const target = { docs: new Uint32Array(most), impacts: new Float32Array(most), size: 0 };
	const terms: string[] = [];
	const starts: number[] = [0];
	const spend = createTurns();
	for (let term = lowestTerm(cursors); term !== undefined; term = lowestTerm(cursors)) {
		const before = target.size;
		for (const cursor of cursors) {
			if (cursor.term === term) copyPostings(cursor, lengths, averageLength, target);
		}
		if (spend(TERM_UNITS * cursors.length + target.size - before)) await nextTurn();
		if (target.size === before) continue;
		terms.push(term);
		starts.push(target.size);
	}
	return {
		documents,
		terms: createTermTable(toCells(terms)),
		starts: new Uint32Array(starts),
		docs: target.docs,
		impacts: target.impacts,
		lengths,
		averageLength,
	};
}

/** The same postings held against another average length. Gives way to other work. */
export async function retuneLexical(
	index: LexicalIndex,
	averageLength: number,
): Promise<LexicalIndex> {
	if (index.averageLength === averageLength) return index;
	const spend = createTurns();
	const impacts = new Float32Array(index.impacts.length);
	for (let number = 0; number < index.terms.size; number++) {
		const end = index.starts[number + 1] as number;
		const from = index.starts[number] as number;
		for (let at = from; at < end; at++) {
			const length = index.lengths[index.docs[at] as number] as number;
			impacts[at] = retune(index, at, length, averageLength);
		}
		if (spend(1 + (end - from) * 2)) await nextTurn();
	}
	return { ...index, impacts, averageLength };
}

/** One source on its way through its terms. */
interface Cursor {
	readonly index: LexicalIndex;
	/** New number of each document; -1 for those left behind. */
	readonly targets: Int32Array;
	next: number;
	/** Undefined at the end. */
	term: string | undefined;
}

function termAt({ terms }: LexicalIndex, number: number): string | undefined {
	return number < terms.size ? terms.at(number) : undefined;
}

function lowestTerm(cursors: readonly Cursor[]): string | undefined {
	let lowest: string | undefined;
	for (const { term } of cursors) {
		if (term !== undefined && (lowest === undefined || term < lowest)) lowest = term;
	}
	return lowest;
}

function toCursors(sources: readonly MergeSource[]) {
	let documents = 0;
	const cursors = sources.map(({ index, isLive }): Cursor => {
		const targets = new Int32Array(index.documents);
		for (let document = 0; document < index.documents; document++) {
			targets[document] = isLive(document) ? documents++ : -1;
		}
		return { index, targets, next: 0, term: termAt(index, 0) };
	});
	return { cursors, documents };
}

/** Postings of live documents. */
async function countLive({ index, targets }: Cursor): Promise<number> {
	let count = 0;
	for (let from = 0; from < index.docs.length; from += POSTINGS_PER_TURN) {
		const docs = index.docs.subarray(from, from + POSTINGS_PER_TURN);
		for (const document of docs) if ((targets[document] as number) >= 0) count++;
		if (docs.length === POSTINGS_PER_TURN) await nextTurn();
	}
	return count;
}

function lengthsOf(cursors: readonly Cursor[], documents: number): Float32Array {
	const lengths = new Float32Array(documents);
	for (const { index, targets } of cursors) {
		for (let document = 0; document < targets.length; document++) {
			const target = targets[document] as number;
			if (target >= 0) lengths[target] = index.lengths[document] as number;
		}
	}
	return lengths;
}

/** Copies the cursor's postings of its current term and moves it on to the next. */
function copyPostings(
	cursor: Cursor,
	lengths: Float32Array,
	averageLength: number,
	target: { readonly docs: Uint32Array; readonly impacts: Float32Array; size: number },
): void {
	const { index, targets } = cursor;
	const end = index.starts[cursor.next + 1] as number;
	for (let at = index.starts[cursor.next] as number; at < end; at++) {
		const document = targets[index.docs[at] as number] as number;
		if (document < 0) continue;
		target.docs[target.size] = document;
		target.impacts[target.size] = retune(index, at, lengths[document] as number, averageLength);
		target.size++;
	}
	cursor.next++;
	cursor.term = termAt(index, cursor.next);
}

/** The impact of one posting as it would be with another average length: impact = f (k1 + 1) / (f + norm), solved for f. */
function retune(index: LexicalIndex, at: number, length: number, averageLength: number): number {
	const impact = index.impacts[at] as number;
	if (index.averageLength === averageLength) return impact;
	const before = (impact * lengthNorm(length, index.averageLength)) / (BM25.k1 + 1 - impact);
	const frequency =
		before < EXACT_BELOW ? Math.round(before * STEPS_PER_WORD) / STEPS_PER_WORD : before;
	return (frequency * (BM25.k1 + 1)) / (frequency + lengthNorm(length, averageLength));
}
