import type { Steps } from "../knowledge/work-in-turns.js";
import type { WeightedText } from "./concept-fields.js";
import { BM25, createLexicalBuilder } from "./lexical-builder.js";
import {
	documentFrequency,
	inverseDocumentFrequency,
	type LexicalIndex,
	type LexicalScope,
} from "./lexical-index.js";
import { searchLexical } from "./lexical-search.js";
import { readQuery, toQueryTerms } from "./query-words.js";
import type { Word } from "./tokenizer.js";
import { termsOf } from "./tokenizer.js";

export interface FoundText<Item> {
	readonly item: Item;
	/** Share of the score a text could reach that is about nothing but the query, 0..1. */
	readonly score: number;
	/** Words of the query that it holds, as written. */
	readonly words: readonly string[];
	/** Share of the query's words that it holds, 0..1. */
	readonly coverage: number;
}

/** Short texts, found by keywords: BM25 as concepts are found by, in well under a millisecond for thousands of them. */
export interface TextFinder<Item> {
	/** Best first, equal ones in the order they were given; nothing without a word in common. */
	find(query: string, limit: number): readonly FoundText<Item>[];
}

/** Some of the texts of a finder, ready to be searched. */
export interface TextSegment<Item> {
	readonly items: readonly Item[];
	readonly index: LexicalIndex;
}

/** Making the index of so many is a matter of milliseconds. */
const SEGMENT_ITEMS = 512;
/** What short texts are long, weighted: one length for all segments, so that their scores compare. */
const USUAL_LENGTH = 50;

/** Reads items one by one; segments of several lists make one finder. */
export function* toTextSegments<Item>(
	items: readonly Item[],
	fieldsOf: (item: Item) => readonly WeightedText[],
): Steps<readonly TextSegment<Item>[]> {
	const segments: TextSegment<Item>[] = [];
	for (let from = 0; from < items.length; from += SEGMENT_ITEMS) {
		const some = items.slice(from, from + SEGMENT_ITEMS);
		const builder = createLexicalBuilder();
		for (const item of some) {
			builder.add(fieldsOf(item));
			yield;
		}
		segments.push({ items: some, index: builder.build(USUAL_LENGTH) });
	}
	return segments;
}

export function createTextFinder<Item>(segments: readonly TextSegment<Item>[]): TextFinder<Item> {
	const items = segments.flatMap((segment) => segment.items);
	const scopes: LexicalScope[] = [];
	let base = 0;
	for (const { index } of segments) {
		scopes.push({ index, base });
		base += index.documents;
	}
	return {
		find(query, limit) {
			const words = readQuery(query).filter(({ isStopWord }) => !isStopWord);
			const { slots, scores, partsOf } = searchLexical(toQueryTerms(words), scopes, limit);
			const best = bestScoreOf(words, scopes, items.length);
			return slots.flatMap((slot, rank) => {
				const item = items[slot];
				if (item === undefined) return [];
				const terms = new Set(partsOf(slot).map(({ term }) => term));
				const held = words.filter((word) => holds(terms, word)).map(({ surface }) => surface);
				const score = Math.min(1, (scores[rank] ?? 0) / best);
				return { item, score, words: held, coverage: held.length / words.length };
			});
		},
	};
}

/** What a text would score in which every word of the query stood without end. */
function bestScoreOf(
	words: readonly Word[],
	scopes: readonly LexicalScope[],
	documents: number,
): number {
	const best = toQueryTerms(words).reduce((sum, { term, weight }) => {
		const idf = inverseDocumentFrequency(documentFrequency(term, scopes), documents);
		return sum + weight * idf * (BM25.k1 + 1);
	}, 0);
	return best || 1;
}

function holds(held: ReadonlySet<string>, word: Word): boolean {
	return termsOf(word).some((term) => held.has(term));
}
