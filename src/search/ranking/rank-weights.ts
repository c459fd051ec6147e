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
