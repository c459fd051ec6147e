import type { Verdict } from "../../core/verdicts.js";

/** What a confidence is made of, each 0..1. */
export interface ConfidenceSigns {
	/** Score of the best sentence for the verdict. */
	readonly best: number;
	/** Score of the best sentence against it. */
	readonly against: number;
}

/**
 * Weights of a logistic regression for "this verdict is right", fitted to the claims of bench/labelled/claims-tune.jsonl and
 * claims-second.jsonl that got a verdict. Rules were written with these claims in sight and are nearly always right there, so
 * right counts as 0.92 and wrong as 0.08, and weights are drawn (L2 1) towards those of a fit from before. How: docs/adr/0032.
 */
const WEIGHTS = { bias: 0.17, best: 2.82, against: -0.55 } as const;
/** Told for an abstention: how often nothing was decidable where none was found. */
const ABSTENTION = 0.7;
const CONFLICT = 0.5;
const NOT_CHECKABLE = 0.95;

/** How often verdicts like this one are right, 0..1. */
export function confidenceOf(verdict: Verdict, signs: ConfidenceSigns): number {
	if (verdict === "NOT_CHECKABLE") return NOT_CHECKABLE;
	if (verdict === "NOT_ENOUGH_EVIDENCE") return ABSTENTION;
	if (verdict === "CONFLICTING") return CONFLICT;
	const sum = WEIGHTS.bias + WEIGHTS.best * signs.best + WEIGHTS.against * signs.against;
	return 1 / (1 + Math.exp(-sum));
}
