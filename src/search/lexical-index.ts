/** Keyword side: BM25 over typed arrays, one index per graph. */

/** Postings of one graph: term `t` has documents `docs[starts[t] .. starts[t + 1])`, ascending, with their impacts. */
export interface LexicalIndex {
	readonly documents: number;
	/** Term to its number; numbers follow the sorted order of the terms. */
	readonly terms: ReadonlyMap<string, number>;
	readonly starts: Uint32Array;
	readonly docs: Uint32Array;
	/** BM25's saturated, length-normalised term frequency; the idf is applied per query, over the graphs it searches. */
	readonly impacts: Float32Array;
}

export interface QueryTerm {
	readonly term: string;
	readonly weight: number;
}

/** A graph's index and where its documents begin in the shared score array. */
export interface LexicalScope {
	readonly index: LexicalIndex;
	readonly base: number;
}

/** In how many documents of these graphs the term occurs. */
export function documentFrequency(term: string, scopes: readonly LexicalScope[]): number {
	let count = 0;
	for (const { index } of scopes) {
		const number = index.terms.get(term);
		if (number !== undefined)
			count += (index.starts[number + 1] ?? 0) - (index.starts[number] ?? 0);
	}
	return count;
}

/** Robertson and Sparck Jones' weight, kept positive: ln(1 + (N - df + 0.5) / (df + 0.5)). */
export function inverseDocumentFrequency(frequency: number, documents: number): number {
	return Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
}

/** Adds the BM25 scores of the terms to `scores`, which the caller has zeroed over the scopes' ranges. */
export function scoreLexical(
	terms: readonly QueryTerm[],
	scopes: readonly LexicalScope[],
	scores: Float32Array,
): void {
	let documents = 0;
	for (const { index } of scopes) documents += index.documents;
	for (const { term, weight } of terms) {
		const frequency = documentFrequency(term, scopes);
		if (frequency === 0) continue;
		const factor = weight * inverseDocumentFrequency(frequency, documents);
		for (const scope of scopes) addPostings(scope, term, factor, scores);
	}
}

function addPostings(
	{ index, base }: LexicalScope,
	term: string,
	factor: number,
	scores: Float32Array,
): void {
	const number = index.terms.get(term);
	if (number === undefined) return;
	const end = index.starts[number + 1] ?? 0;
	for (let at = index.starts[number] ?? 0; at < end; at++) {
		const slot = base + (index.docs[at] as number);
		scores[slot] = (scores[slot] as number) + factor * (index.impacts[at] as number);
	}
}

/** True when the document contains the term; a binary search over its postings. */
export function containsTerm(index: LexicalIndex, term: string, document: number): boolean {
	const number = index.terms.get(term);
	if (number === undefined) return false;
	let low = index.starts[number] ?? 0;
	let high = (index.starts[number + 1] ?? 0) - 1;
	while (low <= high) {
		const middle = (low + high) >>> 1;
		const found = index.docs[middle] as number;
		if (found === document) return true;
		if (found < document) low = middle + 1;
		else high = middle - 1;
	}
	return false;
}
