/** The signs that decide, see AnswerSigns. */
export const WEIGHED_SIGNS = [
	"known",
	"evidence",
	"rarity",
	"coverage",
	"nearness",
	"answers",
	"lacksName",
] as const;
export type WeighedSign = (typeof WEIGHED_SIGNS)[number];

export interface DecisionModel {
	/** Of a logistic model: log odds = bias + the sum of weight × sign. */
	readonly bias: number;
	readonly weights: Readonly<Record<WeighedSign, number>>;
	/** Least strength of each decision; below the first, ABSTAIN. */
	readonly limits: { readonly clarify: number; readonly partial: number; readonly answer: number };
}

/**
 * Fitted on the labelled queries of bench/labelled that are not `fresh`, as they are and in their variants, and on questions over imported
 * folders (bench/labelled/decision/fit), and written by `npm run bench:search -- --only calibrate --imports <folder> --write`. Without vectors the words have to say it all.
 */
export const DECISION: Readonly<Record<"read" | "hybrid" | "keyword", DecisionModel>> = {
	read: {
		bias: -4.25,
		weights: {
			known: 0.16,
			evidence: 1.06,
			rarity: 0,
			coverage: 1.12,
			nearness: 0.46,
			answers: 0.54,
			lacksName: -1.93,
		},
		limits: { clarify: 0.4, partial: 0.5, answer: 0.7 },
	},
	hybrid: {
		bias: -5.05,
		weights: {
			known: 1.54,
			evidence: 0.79,
			rarity: 0,
			coverage: 1.78,
			nearness: 0.45,
			answers: 0,
			lacksName: -1.92,
		},
		// By hand: the fitted .3 turns questions away that the sample catalog answers.
		limits: { clarify: 0.26, partial: 0.5, answer: 0.7 },
	},
	keyword: {
		bias: -4.2,
		weights: {
			known: 1.18,
			evidence: 1.47,
			rarity: 0,
			coverage: 2.73,
			nearness: 0,
			answers: 0,
			lacksName: -2.08,
		},
		limits: { clarify: 0.28, partial: 0.5, answer: 0.7 },
	},
};
