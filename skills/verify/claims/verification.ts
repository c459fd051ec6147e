import {
	type ClaimKind,
	type Decision,
	type GateMethod,
	type GateName,
	type GateStatus,
	LIMITS,
	type Stance,
	type TimeFrame,
	type Verdict,
} from "../../../src/contract/contract.js";
import type { CitedSentence, SourceTier } from "../../../src/evidence/evidence.js";
import type { DateSpan } from "./date-spans.js";
import type { Quantifier } from "./polarity.js";
import type { Quantity } from "./quantities.js";

/** Checking claims against what graphs cite: the vocabulary. The five gates are described in docs/adr/0032. */

/** One thing that is said of one subject, with what can be held against a text. */
export interface AtomicClaim {
	/** A whole sentence: a subject that stood in front of several predicates is repeated. */
	readonly text: string;
	readonly kind: ClaimKind;
	/** Why it is of that kind, as half a sentence; undefined for what can be checked. */
	readonly reason?: string | undefined;
	/** Names and identifiers as written: "EIP-1559", "Let's Encrypt". */
	readonly entities: readonly string[];
	readonly quantities: readonly Quantity[];
	readonly dates: readonly DateSpan[];
	readonly quantifier: Quantifier | undefined;
	readonly isNegated: boolean;
}

/** What one sentence says to a claim. */
export interface Comparison {
	readonly stance: Stance;
	/** How sure that is, 0..1; for "neutral" how near the sentence comes. */
	readonly score: number;
	/** What speaks for it, as half sentences: `says 64 frames, the claim 32`. */
	readonly reasons: readonly string[];
}

/** A sentence that was held against a claim. */
export interface EvidenceStance extends Comparison {
	readonly sentence: CitedSentence;
	/** The best tier of its sources. */
	readonly tier: SourceTier;
	/** Sentences of one group count once; counted from 1. */
	readonly group: number;
	/** Place of the part it bears on. */
	readonly part: number;
	/** True where rules keep what the model reads from counting. */
	readonly isDisputed: boolean;
}

export interface GateReport {
	readonly gate: GateName;
	readonly status: GateStatus;
	/** 0..1. */
	readonly score: number;
	/** A whole sentence. */
	readonly reason: string;
	readonly evidenceIds: readonly string[];
	readonly method: GateMethod;
}

/** What became of one atomic claim. */
export interface VerifiedPart {
	readonly claim: AtomicClaim;
	readonly verdict: Verdict;
	readonly confidence: number;
	/** Names, numbers, dates and words no sentence covers. */
	readonly missing: readonly string[];
	readonly time: TimeFrame;
}

export interface Verification {
	readonly claim: string;
	readonly verdict: Verdict;
	/** Supported by what was so, and is no more. */
	readonly qualifier: "OUTDATED" | undefined;
	/** How often a verdict of this confidence is right, 0..1. */
	readonly confidence: number;
	/** Whole sentences. */
	readonly explanation: string;
	readonly gates: readonly GateReport[];
	readonly parts: readonly VerifiedPart[];
	readonly missing: readonly string[];
	readonly time: TimeFrame;
	/** Sources that agree with the verdict and do not depend on each other. */
	readonly independentGroups: number;
	/** Best first: what supports and refutes, then what came nearest. */
	readonly evidence: readonly EvidenceStance[];
	/** `YYYY-MM-DD`. */
	readonly asOf: string;
	readonly decision: Decision;
	readonly mode: "hybrid" | "keyword";
	readonly graphsUsed: readonly string[];
	readonly warnings: readonly string[];
}

/** How much one claim is allowed to cost. */
export const CLAIM_LIMITS = {
	/** Parts of a claim that are checked; what is behind them is reported as not checked. */
	partsMax: 6,
	questionChars: LIMITS.queryChars,
	/** Concepts searched for each part, their sentences that are ranked, and passages that are read. */
	conceptsMax: 8,
	sentencesMax: 60,
	passagesMax: 16,
	/** Sentences returned for each part. */
	evidenceMax: 12,
	missingMax: 20,
} as const;

/** Scores and confidences have three decimals. */
export const roundScore = (value: number) => Math.round(value * 1000) / 1000;
