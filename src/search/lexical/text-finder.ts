import { restOfTurn, type Steps } from "../../knowledge/knowledge.js";
import type { WeightedText } from "./concept-text.js";
import { BM25, buildLexicalIndex, type CountedText, countTerms } from "./lexical-builder.js";
import {
	containsTerm,
	documentFrequency,
	inverseDocumentFrequency,
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

/** A text whose words have been counted: most of the work, and it need not be done again. */
export interface ReadText<Item> {
	readonly item: Item;
	readonly counted: CountedText;
}

/** Texts of one index; making it is a matter of some milliseconds. */
const INDEX_TEXTS = 8_192;
/** What short texts are long, weighted: one length for all indexes, so that their scores compare. */
const USUAL_LENGTH = 50;

export function* readTexts<Item>(
	items: readonly Item[],
	fieldsOf: (item: Item) => readonly WeightedText[],
): Steps<readonly ReadText<Item>[]> {
	const texts: ReadText<Item>[] = [];
	for (const item of items) {
		texts.push({ item, counted: countTerms(fieldsOf(item)) });
		yield;
	}
	return texts;
}

export function* createTextFinder<Item>(texts: readonly ReadText<Item>[]): Steps<TextFinder<Item>> {
	const scopes: LexicalScope[] = [];
	for (let base = 0; base < texts.length; base += INDEX_TEXTS) {
		const counted = texts.slice(base, base + INDEX_TEXTS).map((text) => text.counted);
		scopes.push({ index: buildLexicalIndex(counted, USUAL_LENGTH), base });
		yield* restOfTurn();
	}
	return {
		find(query, limit) {
			const words = readQuery(query).filter(({ isStopWord }) => !isStopWord);
			const { slots, scores } = searchLexical(toQueryTerms(words), scopes, limit);
			const best = bestScoreOf(words, scopes, texts.length);
			const heldBy = createHeldWords(words, scopes);
			return slots.flatMap((slot, rank) => {
				const item = texts[slot]?.item;
				if (item === undefined) return [];
				const held = heldBy(slot);
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

/** Which words the text of a slot holds, as written. */
function createHeldWords(words: readonly Word[], scopes: readonly LexicalScope[]) {
	const terms = words.map(termsOf);
	return (slot: number): readonly string[] => {
		const scope = scopes.findLast(({ base }) => base <= slot);
		if (!scope) return [];
		const holds = (term: string) => containsTerm(scope.index, term, slot - scope.base);
		return words.filter((_, at) => terms[at]?.some(holds)).map(({ surface }) => surface);
	};
}
