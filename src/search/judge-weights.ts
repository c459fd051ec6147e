/** The signs that decide, see AnswerSigns. */
export const WEIGHED_SIGNS = [
	"known",
	"evidence",
	"rarity",
	"lead",
	"standsOut",
	"lacksName",
] as const;
export type WeighedSign = (typeof WEIGHED_SIGNS)[number];

export interface Judge {
	/** Of a logistic model: log odds = bias + the sum of weight × sign. */
	readonly bias: number;
	readonly weights: Readonly<Record<WeighedSign, number>>;
	/** Least strength of each decision; below the first, ABSTAIN. */
	readonly limits: { readonly clarify: number; readonly partial: number; readonly answer: number };
}

/**
 * Fitted on the labelled queries of bench/labelled that are not `fresh`, as they are and in their variants, and written by
 * `npm run bench:search -- --only calibrate --write`. Without vectors the words have to say it all.
 */
export const JUDGE: Readonly<Record<"hybrid" | "keyword", Judge>> = {
	hybrid: {
		bias: -9.47,
		weights: {
			known: 5.87,
			evidence: 1.56,
			rarity: 2.1,
			lead: 2.23,
			standsOut: 0.86,
			lacksName: -1.81,
		},
		limits: { clarify: 0.42, partial: 0.5, answer: 0.7 },
	},
	keyword: {
		bias: -8.79,
		weights: {
			known: 6.14,
			evidence: 1.63,
			rarity: 2.74,
			lead: 2.58,
			standsOut: 0,
			lacksName: -1.88,
		},
		limits: { clarify: 0.44, partial: 0.5, answer: 0.7 },
	},
};
