import type { WeightedText } from "./concept-fields.js";
import type { LexicalIndex } from "./lexical-index.js";
import { createTermTable, toCells } from "./term-table.js";
import { termsOf, tokenize } from "./tokenizer.js";

/** Term frequency saturates early and length counts little: curated notes are short. */
export const BM25 = { k1: 0.9, b: 0.4 } as const;

/** Takes documents one by one, in order, and then makes their index. */
export interface LexicalBuilder {
	/** A word counts with the weight of the field it stands in. */
	add(fields: readonly WeightedText[]): void;
	/** Documents are held against their own average length, unless another is given. */
	build(averageLength?: number): LexicalIndex;
}

/** How often each term stands in a document, weighted by its fields. */
export interface CountedText {
	readonly frequencies: ReadonlyMap<string, number>;
	readonly length: number;
}

export function createLexicalBuilder(): LexicalBuilder {
	const counted: CountedText[] = [];
	return {
		add: (fields) => void counted.push(countTerms(fields)),
		build: (averageLength) => buildLexicalIndex(counted, averageLength),
	};
}

/** Share of an impact's norm: how long a document is against the average. */
export function lengthNorm(length: number, averageLength: number): number {
	return BM25.k1 * (1 - BM25.b + (BM25.b * length) / averageLength);
}

export function buildLexicalIndex(
	counted: readonly CountedText[],
	given: number | undefined,
): LexicalIndex {
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

export function countTerms(fields: readonly WeightedText[]): CountedText {
	const frequencies = new Map<string, number>();
	let length = 0;
	for (const { text, weight } of fields) {
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
