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
		bias: -8.86,
		weights: {
			known: 5.39,
			evidence: 1.51,
			rarity: 2.18,
			lead: 1.74,
			standsOut: 0.86,
			lacksName: -1.75,
		},
		limits: { clarify: 0.36, partial: 0.5, answer: 0.7 },
	},
	keyword: {
		bias: -8.34,
		weights: {
			known: 5.69,
			evidence: 1.62,
			rarity: 2.81,
			lead: 2.21,
			standsOut: 0,
			lacksName: -1.8,
		},
		limits: { clarify: 0.38, partial: 0.5, answer: 0.7 },
	},
};
