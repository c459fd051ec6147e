import type { Verdict } from "./verification.js";

/** What a confidence is made of, each 0..1. */
export interface ConfidenceSigns {
	/** Score of the best sentence for the verdict. */
	readonly best: number;
	/** Score of the best sentence against it. */
	readonly against: number;
	/** Independent groups behind it: 0 for one, 1 for three or more. */
	readonly groups: number;
	/** 1 where its best source is the origin, 0 where it has an interest. */
	readonly authority: number;
}

/**
 * Weights of a logistic regression for "this verdict is right", fitted with an L2 penalty to the claims of
 * bench/labelled/claims-tune.jsonl that got a verdict; the held-back part had no share in it. How: docs/adr/0032.
 */
const WEIGHTS = {
	SUPPORTED: { bias: -1.2, best: 3, against: -1, groups: 0.3, authority: 0.2 },
	REFUTED: { bias: -1.2, best: 2.8, against: -1, groups: 0.2, authority: 0.2 },
} as const;
/** Told for an abstention: how often nothing was decidable where none was found. */
const ABSTENTION = 0.7;
const CONFLICT = 0.5;
const NOT_CHECKABLE = 0.95;

/** How often verdicts like this one are right, 0..1. */
export function confidenceOf(verdict: Verdict, signs: ConfidenceSigns): number {
	if (verdict === "NOT_CHECKABLE") return NOT_CHECKABLE;
	if (verdict === "NOT_ENOUGH_EVIDENCE") return ABSTENTION;
	if (verdict === "CONFLICTING") return CONFLICT;
	const { bias, best, against, groups, authority } = WEIGHTS[verdict];
	const sum =
		bias +
		best * signs.best +
		against * signs.against +
		groups * signs.groups +
		authority * signs.authority;
	return 1 / (1 + Math.exp(-sum));
}
