/** Words in which claims and advice are judged: engines give them, the wire carries them. */

/** What becomes of a claim. */
export const VERDICTS = [
	"SUPPORTED",
	"REFUTED",
	"CONFLICTING",
	"NOT_ENOUGH_EVIDENCE",
	"NOT_CHECKABLE",
] as const;
export type Verdict = (typeof VERDICTS)[number];

const SOLD: ReadonlySet<Verdict> = new Set<Verdict>(["SUPPORTED", "REFUTED", "CONFLICTING"]);

/** Abstaining is free: only these are paid for. */
export function isSoldVerdict(verdict: Verdict): boolean {
	return SOLD.has(verdict);
}

/** What one sentence says to a claim. */
export const STANCES = ["supports", "refutes", "neutral"] as const;
export type Stance = (typeof STANCES)[number];

export const GATES = ["checkability", "retrieval", "stance", "independence", "time"] as const;
export type GateName = (typeof GATES)[number];
export const GATE_STATUSES = ["pass", "warn", "fail", "skipped"] as const;
export type GateStatus = (typeof GATE_STATUSES)[number];
export const GATE_METHODS = ["rules", "embedding", "nli", "llm"] as const;
export type GateMethod = (typeof GATE_METHODS)[number];

export const TIME_FRAMES = ["CURRENT", "OUTDATED", "FUTURE", "UNDATED"] as const;
export type TimeFrame = (typeof TIME_FRAMES)[number];

export const CLAIM_KINDS = [
	"checkable",
	"opinion",
	"prediction",
	"question",
	"instruction",
] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** What an expert's sentences come to. */
export const ADVICE_STANCES = ["recommends", "advises against", "neutral", "depends"] as const;
export type AdviceStance = (typeof ADVICE_STANCES)[number];
