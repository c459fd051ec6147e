import type { Verdict } from "./verification.js";

/** What a confidence is made of, each 0..1. */
export interface ConfidenceSigns {
	/** Score of the best sentence for the verdict. */
	readonly best: number;
	/** Score of the best sentence against it. */
	readonly against: number;
	/** Independent groups behind it: 0 for one, 1 for three or more. */
	readonly groups: number;
}

/**
 * Weights of a logistic regression for "this verdict is right", fitted with an L2 penalty of 0.3 to the claims of
 * bench/labelled/claims-tune.jsonl that got a verdict; the held-back part had no share in it. How: docs/adr/0032.
 */
const WEIGHTS = { bias: 0.15, best: 3.07, against: -0.8, groups: 0.06 } as const;
/** Told for an abstention: how often nothing was decidable where none was found. */
const ABSTENTION = 0.7;
const CONFLICT = 0.5;
const NOT_CHECKABLE = 0.95;

/** How often verdicts like this one are right, 0..1. */
export function confidenceOf(verdict: Verdict, signs: ConfidenceSigns): number {
	if (verdict === "NOT_CHECKABLE") return NOT_CHECKABLE;
	if (verdict === "NOT_ENOUGH_EVIDENCE") return ABSTENTION;
	if (verdict === "CONFLICTING") return CONFLICT;
	const sum =
		WEIGHTS.bias +
		WEIGHTS.best * signs.best +
		WEIGHTS.against * signs.against +
		WEIGHTS.groups * signs.groups;
	return 1 / (1 + Math.exp(-sum));
}
