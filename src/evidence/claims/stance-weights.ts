import type { StanceFeature } from "./stance-features.js";

/** Of a logistic model: log odds = bias + the sum of weight × feature. */
export interface StanceWeights {
	readonly bias: number;
	readonly weights: Readonly<Partial<Record<StanceFeature, number>>>;
}

/** Fitted by `npm run bench -- claims-fit` to the labelled claims that README.md of bench/labelled calls seen (docs/adr/0043). */
export const STANCE_WEIGHTS: Readonly<Record<"supports" | "refutes", StanceWeights>> = {
	supports: {
		bias: 0.702,
		weights: {
			news: 0.026,
			same: 0.467,
			lacking: -0.756,
			returned: 2.474,
			hasFigures: 0.94,
			opposite: -1.911,
			rival: -2.573,
			figure: -1.59,
			quantity: -2.589,
			objection: -0.156,
			ruleSupports: 0.372,
			ruleRefutes: -3.468,
			metBelowBest: 4.642,
			topicBelowBest: 2.495,
			rankBelowFirst: 5.111,
			conflictCover: -1.229,
		},
	},
	refutes: {
		bias: -3.676,
		weights: {
			met: 0.965,
			topic: 1.87,
			names: 0.446,
			order: 1.029,
			tail: 0.242,
			bothDeny: -1.333,
			denial: 0.098,
			opposite: 0.981,
			rival: 0.039,
			figure: 0.082,
			ruleRefutes: 2.248,
			ruleSupports: -0.706,
			metBelowBest: 2.332,
			rankBelowFirst: 7.58,
			namedElsewhere: -3.319,
			clashCover: 0.212,
			conflictCover: 0.768,
			twiceTurned: -6.166,
			agreedCover: -2.68,
		},
	},
};
