/** For models whose cosines lie elsewhere than those the weights were learned with. */
const DENSE_LIMITS = { least: 0.35, most: 0.8 } as const;

/**
 * The dense side's share for a query with this share of identifiers, 0..1, and this closest passage: the closer that is, the
 * more the vectors know; identifiers they tell apart badly, 9110 from 9111.
 */
export function denseWeightFor(
	identifierShare: number,
	bestCosine: number,
	weights: RankWeights = RANK_WEIGHTS,
): number {
	const { denseAtZero, densePerCosine, identifierShift } = weights;
	const learned = denseAtZero + densePerCosine * bestCosine;
	const share = Math.min(DENSE_LIMITS.most, Math.max(DENSE_LIMITS.least, learned));
	return Math.max(0, share - identifierShift * identifierShare);
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

export interface FusedCandidate extends Candidate, FusedScore {}

interface FusedScore {
	/** Each side's score as a share of the best candidate's, 0..1, and the dense side's share of their mix. */
	readonly lexicalShare: number;
	readonly denseShare: number;
	readonly denseWeight: number;
	/** 0..1 within this answer. */
	readonly fused: number;
}

/** Scores any candidate against the best of those that both sides found. */
export type Fusion = (candidate: Pick<Candidate, "lexical" | "cosine">) => FusedScore;

/**
 * Convex combination of both sides, each divided by its best score with zero as the floor.
 * Ranks agree on order, not on scale: reciprocal rank fusion loses what a clear lexical hit says.
 */
export function createFusion(
	found: readonly Candidate[],
	identifierShare: number,
	weights: RankWeights = RANK_WEIGHTS,
): Fusion {
	let bestLexical = 0;
	let bestCosine = 0;
	let isHybrid = false;
	for (const { lexical, cosine } of found) {
		bestLexical = Math.max(bestLexical, lexical);
		bestCosine = Math.max(bestCosine, cosine ?? 0);
		isHybrid ||= cosine !== undefined;
	}
	const denseWeight = isHybrid ? denseWeightFor(identifierShare, bestCosine, weights) : 0;
	return ({ lexical, cosine }) => {
		const lexicalShare = shareOf(lexical, bestLexical);
		const denseShare = shareOf(cosine ?? 0, bestCosine);
		const fused = denseWeight * denseShare + (1 - denseWeight) * lexicalShare;
		return { lexicalShare, denseShare, denseWeight, fused };
	};
}

function shareOf(score: number, best: number): number {
	return best > 0 ? Math.min(1, Math.max(0, score / best)) : 0;
}

/** What the parts of a row's score weigh. */
export interface RankWeights {
	/** The dense side's share of a fused score where its closest passage is at cosine 0, and what each unit of cosine adds. */
	readonly denseAtZero: number;
	readonly densePerCosine: number;
	/** How much of that share goes to the lexical side when a query consists of identifiers. */
	readonly identifierShift: number;
	/** What is most related to the best matches earns this much of what it lacks of a full score. */
	readonly graph: number;
}

/**
 * Close to what `npm run bench:search -- --only learn` finds on one half of the labelled queries (0.45, 0, 0.2, 0.5 and .003 better).
 * An even share without a slope suits titled concepts only: over bare passages close vectors deserve more.
 */
export const RANK_WEIGHTS: RankWeights = {
	denseAtZero: 0.25,
	densePerCosine: 0.6,
	identifierShift: 0.4,
	graph: 0.4,
};
