/**
 * Share of the dense side in a fused score: the closer its best passage is, the more it knows. Learned on one half of the
 * labelled queries (npm run bench:search -- --learn); the limits are for models whose cosines lie elsewhere.
 */
const DENSE_SHARE = { atZero: 0.25, perCosine: 0.6, least: 0.35, most: 0.7 } as const;

/** How much of that share goes to the lexical side when a query consists of identifiers: vectors tell 9110 from 9111 badly. */
const IDENTIFIER_SHIFT = 0.4;

/** The dense side's share for a query with this share of identifiers, 0..1, and this closest passage. */
export function denseWeightFor(identifierShare: number, bestCosine: number): number {
	const { atZero, perCosine, least, most } = DENSE_SHARE;
	const share = Math.min(most, Math.max(least, atZero + perCosine * bestCosine));
	return Math.max(0, share - IDENTIFIER_SHIFT * identifierShare);
}

/** One candidate with what either side thinks of it. */
export interface Candidate {
	/** Position in the index. */
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
	readonly fused: number;
}

/** Scores any candidate against the best of those that both sides found. */
export type Fusion = (candidate: Candidate) => FusedCandidate;

/**
 * Convex combination of both sides, each divided by its best score with zero as the floor.
 * Ranks agree on order, not on scale: reciprocal rank fusion loses what a clear lexical hit says.
 */
export function createFusion(found: readonly Candidate[], identifierShare: number): Fusion {
	let bestLexical = 0;
	let bestCosine = 0;
	let isHybrid = false;
	for (const { lexical, cosine } of found) {
		bestLexical = Math.max(bestLexical, lexical);
		bestCosine = Math.max(bestCosine, cosine ?? 0);
		isHybrid ||= cosine !== undefined;
	}
	const denseWeight = isHybrid ? denseWeightFor(identifierShare, bestCosine) : 0;
	return (candidate) => {
		const lexicalShare = shareOf(candidate.lexical, bestLexical);
		const denseShare = shareOf(candidate.cosine ?? 0, bestCosine);
		const fused = denseWeight * denseShare + (1 - denseWeight) * lexicalShare;
		return { ...candidate, lexicalShare, denseShare, denseWeight, fused };
	};
}

function shareOf(score: number, best: number): number {
	return best > 0 ? Math.min(1, Math.max(0, score / best)) : 0;
}
