import { LIMITS } from "../../../src/contract/contract.js";

/** How much one claim is allowed to cost. */
export const CLAIM_LIMITS = {
	/** Parts of a claim that are checked; what is behind them is told as not checked. */
	partsMax: 6,
	questionChars: LIMITS.queryChars,
	/** Concepts searched for each part, and their sentences that are compared. */
	conceptsMax: 8,
	sentencesMax: 60,
	/** A claim of so many characters is held against a sentence in one step of work; each further so many are one more. */
	charsPerStep: 100,
	/** Sentences told for each part. */
	evidenceMax: 12,
	/** Sentences that judges besides the comparator are asked about. */
	judgedMax: 12,
	missingMax: 20,
} as const;
