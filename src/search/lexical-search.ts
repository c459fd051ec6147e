import {
	documentFrequency,
	highestImpactOf,
	impactOf,
	inverseDocumentFrequency,
	type LexicalIndex,
	type LexicalScope,
	type QueryTerm,
	seekPosting,
} from "./lexical-index.js";
import { createScoreHeap, type ScoreHeap } from "./score-heap.js";

/** The best documents by BM25, best first, equal scores by slot; only documents with a term of the query are there. */
export interface LexicalFindings {
	readonly slots: readonly number[];
	readonly scores: readonly number[];
	/** The score of any slot of the scopes, found among the best or not. */
	scoreOf(slot: number): number;
	/** What each term adds to the score of a slot, without those that add nothing. */
	partsOf(slot: number): readonly { readonly term: string; readonly score: number }[];
}

/** Memory that searches share one after the other; it grows to the largest index searched. */
export interface LexicalScratch {
	scores: Float32Array;
	touched: Uint32Array;
}

export function createLexicalScratch(): LexicalScratch {
	return { scores: new Float32Array(0), touched: new Uint32Array(0) };
}

interface SearchOptions {
	readonly count: number;
	readonly scratch: LexicalScratch;
}

/** A term with what it is worth over all searched graphs: weight × idf. */
interface RatedTerm {
	readonly term: string;
	readonly factor: number;
}

/** A term's postings in one index. */
interface PostingList {
	readonly from: number;
	readonly to: number;
	readonly factor: number;
	/** The most that this term and all after it can add to one document. */
	rest: number;
}

/** Bounds are sums in another order than scores; this much of the difference is rounding. */
const ROUNDING = 1 + 1e-5;

/**
 * The exact `count` best documents. Rare terms come first; once the common ones that are left could not lift a new document
 * above the count-th best, their postings are only looked up for documents still in the race (MaxScore, Turtle and Flood 1995).
 */
export function searchLexical(
	terms: readonly QueryTerm[],
	scopes: readonly LexicalScope[],
	{ count, scratch }: SearchOptions,
): LexicalFindings {
	const rated = rateTerms(terms, scopes);
	const best = createScoreHeap(count);
	const race = createScoreHeap(count);
	for (const scope of scopes) searchScope({ rated, scope, best, race, scratch });
	const scopeOf = (slot: number) => scopes.findLast(({ base }) => base <= slot);
	return {
		...best.drain(),
		scoreOf(slot) {
			const scope = scopeOf(slot);
			return scope ? scoreDocument(rated, scope.index, slot - scope.base) : 0;
		},
		partsOf(slot) {
			const scope = scopeOf(slot);
			if (!scope) return [];
			return rated
				.map(({ term, factor }) => ({
					term,
					score: factor * impactOfTerm(scope.index, term, slot - scope.base),
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

function scoreDocument(rated: readonly RatedTerm[], index: LexicalIndex, document: number): number {
	let score = 0;
	for (const { term, factor } of rated) {
		score = Math.fround(score + factor * impactOfTerm(index, term, document));
	}
	return score;
}

function impactOfTerm(index: LexicalIndex, term: string, document: number): number {
	const number = index.terms.get(term);
	return number === undefined ? 0 : impactOf(index, number, document);
}

interface ScopeSearch {
	readonly rated: readonly RatedTerm[];
	readonly scope: LexicalScope;
	/** Documents of this and earlier scopes with their final scores. */
	readonly best: ScoreHeap;
	/** For the count-th best of scores that are not final yet. */
	readonly race: ScoreHeap;
	readonly scratch: LexicalScratch;
}

function searchScope({ rated, scope, best, race, scratch }: ScopeSearch): void {
	const { index, base } = scope;
	const lists = postingListsOf(rated, index);
	growScratch(scratch, index.documents);
	const { scores, touched } = scratch;
	let count = 0;
	let floor = best.floor();
	let next = 0;
	for (; next < lists.length; next++) {
		const list = lists[next] as PostingList;
		// Finding the floor costs a look at every document so far; it pays only before a list that is longer.
		if (next > 0 && list.to - list.from > count) {
			floor = Math.max(floor, raceFloor(race, scratch, count));
		}
		if (list.rest * ROUNDING < floor) break;
		count = admit(list, scope, scratch, count);
	}
	if (next < lists.length) count = finish({ lists, next, floor, index, scratch, count });
	for (let at = 0; at < count; at++) {
		const document = touched[at] as number;
		best.offer(base + document, scores[document] as number);
		scores[document] = 0;
	}
}

function postingListsOf(rated: readonly RatedTerm[], index: LexicalIndex): readonly PostingList[] {
	const lists: PostingList[] = [];
	for (const { term, factor } of rated) {
		const number = index.terms.get(term);
		if (number === undefined) continue;
		const rest = factor * highestImpactOf(index, number);
		const to = index.starts[number + 1] ?? 0;
		lists.push({ from: index.starts[number] ?? 0, to, factor, rest });
	}
	let rest = 0;
	for (const list of lists.toReversed()) {
		rest += list.rest;
		list.rest = rest;
	}
	return lists;
}

function growScratch(scratch: LexicalScratch, documents: number): void {
	if (scratch.scores.length >= documents) return;
	scratch.scores = new Float32Array(documents);
	scratch.touched = new Uint32Array(documents);
}

/** Adds a term to every document that has it and takes part; gives the number of documents touched so far. */
function admit(
	{ from, to, factor }: PostingList,
	{ index: { docs, impacts }, mask }: LexicalScope,
	{ scores, touched }: LexicalScratch,
	before: number,
): number {
	let count = before;
	for (let at = from; at < to; at++) {
		const document = docs[at] as number;
		const score = scores[document] as number;
		if (score === 0) {
			if (mask && mask[document] === 0) continue;
			touched[count++] = document;
		}
		scores[document] = score + factor * (impacts[at] as number);
	}
	return count;
}

/** The count-th best score so far: no document that stays below it in the end is among the best. */
function raceFloor(race: ScoreHeap, { scores, touched }: LexicalScratch, count: number): number {
	race.clear();
	for (let at = 0; at < count; at++) {
		const document = touched[at] as number;
		race.offer(document, scores[document] as number);
	}
	return race.floor();
}

interface Finish {
	readonly lists: readonly PostingList[];
	/** The first list whose documents are no longer admitted. */
	readonly next: number;
	readonly floor: number;
	readonly index: LexicalIndex;
	readonly scratch: LexicalScratch;
	readonly count: number;
}

/** Adds the remaining terms to the documents that can still win; gives the number of those, the first ones of `touched`. */
function finish({ lists, next, floor, index, scratch, count }: Finish): number {
	let kept = count;
	for (const list of lists.slice(next)) {
		kept = keepContenders(scratch, kept, floor / ROUNDING - list.rest);
		const length = list.to - list.from;
		if (kept * Math.log2(length + 1) < length) lookUp(list, index, scratch, kept);
		else addToTouched(list, index, scratch);
	}
	return kept;
}

/** Drops what is below `least` and sets it to zero. */
function keepContenders({ scores, touched }: LexicalScratch, count: number, least: number): number {
	let kept = 0;
	for (let at = 0; at < count; at++) {
		const document = touched[at] as number;
		if ((scores[document] as number) < least) scores[document] = 0;
		else touched[kept++] = document;
	}
	return kept;
}

function lookUp(
	{ from, to, factor }: PostingList,
	index: LexicalIndex,
	{ scores, touched }: LexicalScratch,
	kept: number,
): void {
	for (let position = 0; position < kept; position++) {
		const document = touched[position] as number;
		const at = seekPosting(index, document, from, to);
		if (at === to || index.docs[at] !== document) continue;
		scores[document] = (scores[document] as number) + factor * (index.impacts[at] as number);
	}
}

function addToTouched(
	{ from, to, factor }: PostingList,
	{ docs, impacts }: LexicalIndex,
	{ scores }: LexicalScratch,
): void {
	for (let at = from; at < to; at++) {
		const document = docs[at] as number;
		const score = scores[document] as number;
		if (score > 0) scores[document] = score + factor * (impacts[at] as number);
	}
}
