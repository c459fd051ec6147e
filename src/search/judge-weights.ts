/** The signs that decide, see AnswerSigns. */
export const WEIGHED_SIGNS = [
	"known",
	"likeness",
	"evidence",
	"closeness",
	"holdsName",
	"lacksName",
] as const;
export type WeighedSign = (typeof WEIGHED_SIGNS)[number];

interface Judge {
	/** Of a logistic model: log odds = bias + the sum of weight × sign. */
	readonly bias: number;
	readonly weights: Readonly<Record<WeighedSign, number>>;
	/** Least strength of each decision; below the first, ABSTAIN. */
	readonly limits: { readonly clarify: number; readonly partial: number; readonly answer: number };
}

/**
 * Fitted on one half of the labelled queries, as they are and in their variants, by `npm run bench:search -- --only calibrate`; the
 * limits chosen there too, for the recall of ABSTAIN that costs few answers. Without vectors the words have to say it all.
 */
export const JUDGE: Readonly<Record<"hybrid" | "keyword", Judge>> = {
	hybrid: {
		bias: -5.76,
		weights: {
			known: 4.85,
			likeness: 2.88,
			evidence: 0.91,
			closeness: 0.35,
			holdsName: 0.48,
			lacksName: -1.97,
		},
		limits: { clarify: 0.38, partial: 0.48, answer: 0.7 },
	},
	keyword: {
		bias: -6.48,
		weights: {
			known: 5.06,
			likeness: 3.76,
			evidence: 1.05,
			closeness: 0,
			holdsName: 0.5,
			lacksName: -1.92,
		},
		limits: { clarify: 0.36, partial: 0.48, answer: 0.7 },
	},
};
