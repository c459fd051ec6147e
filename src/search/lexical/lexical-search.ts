import {
	documentFrequency,
	highestImpactOf,
	impactOf,
	impactWithin,
	inverseDocumentFrequency,
	type LexicalIndex,
	type LexicalScope,
	type QueryTerm,
} from "./lexical-index.js";
import { createBestSlots, type PostingList, runMaxScore, type ScopePostings } from "./max-score.js";

/** A term with what it is worth over all searched graphs: weight × idf. */
interface RatedTerm {
	readonly term: string;
	readonly factor: number;
}

export type LexicalFindings = ReturnType<typeof searchLexical>;

/**
 * The exact `count` best documents of all scopes by BM25, best first, equal scores by slot; only documents with a term of the
 * query are there.
 */
export function searchLexical(
	terms: readonly QueryTerm[],
	scopes: readonly LexicalScope[],
	count: number,
) {
	const rated = rateTerms(terms, scopes);
	const best = createBestSlots(count);
	const entries = scopes.map((scope) => ({ scope, lists: postingListsOf(rated, scope.index) }));
	runMaxScore(best, entries);
	const entryOf = (slot: number) => entries.findLast(({ scope }) => scope.base <= slot);
	return {
		...best.list(),
		/** The score of any slot of the scopes, found among the best or not. */
		scoreOf(slot: number): number {
			const entry = entryOf(slot);
			return entry ? scoreDocument(entry, slot - entry.scope.base) : 0;
		},
		/** What each term adds to the score of a slot, without those that add nothing. */
		partsOf(slot: number): readonly { readonly term: string; readonly score: number }[] {
			const scope = entryOf(slot)?.scope;
			if (!scope) return [];
			return rated
				.map(({ term, factor }) => ({
					term,
					score: factor * impactOf(scope.index, term, slot - scope.base),
				}))
				.filter(({ score }) => score > 0);
		},
	};
}

/** Highest factor first, then by term: every document of every graph adds up in the same order, and equal ones score alike. */
function rateTerms(
	terms: readonly QueryTerm[],
	scopes: readonly LexicalScope[],
): readonly RatedTerm[] {
	const documents = scopes.reduce((sum, { index }) => sum + index.documents, 0);
	return terms
		.flatMap(({ term, weight }) => {
			const frequency = documentFrequency(term, scopes);
			if (frequency === 0) return [];
			return { term, factor: weight * inverseDocumentFrequency(frequency, documents) };
		})
		.sort((a, b) => b.factor - a.factor || (a.term < b.term ? -1 : 1));
}

function scoreDocument({ lists, scope }: ScopePostings, document: number): number {
	let score = 0;
	for (const { start, end, factor } of lists) {
		score = Math.fround(score + factor * impactWithin(scope.index, document, start, end));
	}
	return score;
}

function postingListsOf(rated: readonly RatedTerm[], index: LexicalIndex): readonly PostingList[] {
	const lists: PostingList[] = [];
	let rest = 0;
	for (let at = rated.length - 1; at >= 0; at--) {
		const { term, factor } = rated[at] as RatedTerm;
		const number = index.terms.get(term);
		if (number === undefined) continue;
		rest += factor * highestImpactOf(index, number);
		const start = index.starts[number] ?? 0;
		lists.push({ at: start, start, end: index.starts[number + 1] ?? 0, factor, rest });
	}
	return lists.reverse();
}
