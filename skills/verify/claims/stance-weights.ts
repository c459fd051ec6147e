import type { StanceFeature } from "./stance-features.js";

/** Of a logistic model: log odds = bias + the sum of weight × feature. */
export interface StanceWeights {
	readonly bias: number;
	readonly weights: Readonly<Partial<Record<StanceFeature, number>>>;
}

/** Fitted by `npm run bench -- claims-fit` to the labelled claims that README.md of bench/labelled calls seen (docs/adr/0043). */
export const STANCE_WEIGHTS: Readonly<Record<"supports" | "refutes", StanceWeights>> = {
	supports: {
		bias: 0.465,
		weights: {
			news: 0.269,
			same: 0.501,
			lacking: -0.595,
			returned: 1.595,
			hasFigures: 0.618,
			opposite: -1.373,
			rival: -2,
			figure: -1.232,
			quantity: -1.917,
			objection: -0.178,
			ruleSupports: 0.514,
			ruleRefutes: -2.513,
			metBelowBest: 3.371,
			topicBelowBest: 2.036,
			rankBelowFirst: 3.919,
			conflictCover: -1.005,
		},
	},
	refutes: {
		bias: -3.331,
		weights: {
			met: 1.071,
			topic: 1.194,
			news: 0.388,
			same: 0.391,
			returned: 0.465,
			names: 0.436,
			order: 0.674,
			tail: 0.094,
			bothDeny: -0.797,
			opposite: 0.297,
			rival: 0.015,
			figure: 0.181,
			quantity: 0.028,
			refutalObjection: -0.04,
			ruleRefutes: 1.962,
			ruleSupports: -0.71,
			metBelowBest: 2.237,
			topicBelowBest: 0.16,
			rankBelowFirst: 5.469,
			namedElsewhere: -2.407,
			clashCover: 0.325,
			conflictCover: 0.695,
			twiceTurned: -0.805,
			agreedCover: -1.914,
		},
	},
};
