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
		bias: -5.69,
		weights: {
			known: 4.46,
			likeness: 3.6,
			evidence: 1,
			closeness: 0.23,
			holdsName: 0.27,
			lacksName: -2.32,
		},
		limits: { clarify: 0.32, partial: 0.45, answer: 0.7 },
	},
	keyword: {
		bias: -6.43,
		weights: {
			known: 4.42,
			likeness: 4.41,
			evidence: 1.27,
			closeness: 0,
			holdsName: 0.17,
			lacksName: -2.28,
		},
		limits: { clarify: 0.32, partial: 0.45, answer: 0.7 },
	},
};
