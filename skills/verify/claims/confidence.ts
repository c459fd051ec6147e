import type { Verdict } from "../../../src/contract/contract.js";

/** What a confidence is made of, each 0..1. */
export interface ConfidenceSigns {
	/** Likelihood of the best sentence for the verdict. */
	readonly best: number;
	/** Likelihood of the best sentence against it. */
	readonly against: number;
	/** True when rules alone take the same side. */
	readonly isAgreed: boolean;
}

/**
 * Weights of a logistic regression for "this verdict is right" over log odds, fitted by `npm run bench -- claims-fit` to
 * likelihoods of claims of sets the sentences' weights were not fitted to (docs/adr/0043).
 */
const WEIGHTS = { bias: -0.47, best: 0.55, against: -0.08, agreed: 1.37 } as const;
/** A verdict less sure than this is not told: a wrong one costs a name, none costs nothing. */
const TOLD_LEAST = 0.62;
/** What the weights hold this unlikely is not told, whatever rules say. */
export const LIKELY_LEAST = 0.35;
/** Told for an abstention: how often nothing was decidable where none was found. */
const ABSTENTION = 0.7;
const CONFLICT = 0.5;
const NOT_CHECKABLE = 0.95;

/** How often verdicts like this one are right, 0..1. */
export function confidenceOf(verdict: Verdict, signs: ConfidenceSigns): number {
	if (verdict === "NOT_CHECKABLE") return NOT_CHECKABLE;
	if (verdict === "NOT_ENOUGH_EVIDENCE") return ABSTENTION;
	if (verdict === "CONFLICTING") return CONFLICT;
	return sureness(signs);
}

/** True when what was found is enough to tell a verdict. */
export function isSure(signs: ConfidenceSigns): boolean {
	return signs.best >= LIKELY_LEAST && sureness(signs) >= TOLD_LEAST;
}

function sureness({ best, against, isAgreed }: ConfidenceSigns): number {
	const sides = WEIGHTS.best * toLogOdds(best) + WEIGHTS.against * toLogOdds(against);
	const sum = WEIGHTS.bias + sides + (isAgreed ? WEIGHTS.agreed : 0);
	return 1 / (1 + Math.exp(-sum));
}

/** No sentence is surer than this, nor less sure than its contrary. */
const LIKELIHOOD_LEAST = 0.02;

export function toLogOdds(likelihood: number): number {
	const clamped = Math.min(1 - LIKELIHOOD_LEAST, Math.max(LIKELIHOOD_LEAST, likelihood));
	return Math.log(clamped / (1 - clamped));
}
