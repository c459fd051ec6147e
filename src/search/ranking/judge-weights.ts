/** The signs that decide, see AnswerSigns. */
export const WEIGHED_SIGNS = ["known", "evidence", "rarity", "standsOut", "lacksName"] as const;
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
		bias: -6.79,
		weights: {
			known: 4.27,
			evidence: 2.93,
			rarity: 0.38,
			standsOut: 0.35,
			lacksName: -1.66,
		},
		limits: { clarify: 0.34, partial: 0.5, answer: 0.7 },
	},
	keyword: {
		bias: -6.74,
		weights: {
			known: 4.28,
			evidence: 3.34,
			rarity: 0.39,
			standsOut: 0,
			lacksName: -1.7,
		},
		limits: { clarify: 0.36, partial: 0.5, answer: 0.7 },
	},
};
