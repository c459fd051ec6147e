/** Share of the dense side in a fused score; measured best on our development set (npm run bench:search). */
const DENSE_WEIGHT = 0.6;

/** How much of that share goes to the lexical side when a query consists of identifiers: vectors tell 9110 from 9111 badly. */
const IDENTIFIER_SHIFT = 0.4;

/** The dense side's share for a query with this share of identifiers, 0..1. */
export function denseWeightFor(identifierShare: number): number {
	return DENSE_WEIGHT - IDENTIFIER_SHIFT * identifierShare;
}

/** One candidate with what either side thinks of it. */
export interface Candidate {
	/** Position in the shared score arrays. */
	readonly slot: number;
	/** BM25, from zero up. */
	readonly lexical: number;
	/** Cosine; undefined in keyword mode. */
	readonly cosine: number | undefined;
}

export interface FusedCandidate extends Candidate {
	/** Each side's score as a share of the best candidate's, 0..1, and the dense side's share of their mix. */
	readonly lexicalShare: number;
	readonly denseShare: number;
	readonly denseWeight: number;
	/** 0..1 within this answer. */
	readonly score: number;
}

/**
 * Convex combination of both sides, each divided by its best score with zero as the floor, in the order given.
 * Ranks agree on order, not on scale: reciprocal rank fusion loses what a clear lexical hit says.
 */
export function fuseRanks(
	candidates: readonly Candidate[],
	denseWeight: number,
): readonly FusedCandidate[] {
	let bestLexical = 0;
	let bestCosine = 0;
	for (const { lexical, cosine = 0 } of candidates) {
		bestLexical = Math.max(bestLexical, lexical);
		bestCosine = Math.max(bestCosine, cosine);
	}
	const isHybrid = candidates.some(({ cosine }) => cosine !== undefined);
	const weight = isHybrid ? denseWeight : 0;
	return candidates.map((candidate) => {
		const { lexical, cosine } = candidate;
		const lexicalShare = bestLexical > 0 ? Math.max(0, lexical) / bestLexical : 0;
		const denseShare = bestCosine > 0 ? Math.max(0, cosine ?? 0) / bestCosine : 0;
		const score = weight * denseShare + (1 - weight) * lexicalShare;
		return { ...candidate, lexicalShare, denseShare, denseWeight: weight, score };
	});
}
