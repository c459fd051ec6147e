import type { Stance, Verdict } from "../../../src/contract/contract.js";
import { gatherEvidence, type RankedSentence } from "../../../src/evidence/evidence.js";
import { type Graph, runInTurns } from "../../../src/knowledge/knowledge.js";
import type { HybridSearch } from "../../../src/search/search.js";
import { bestTier, groupByOrigin } from "./source-tiers.js";
import { askJudges, measureSentences, sideOf, weighStances } from "./stance-weighing.js";
import { claimsNow, judgeTime } from "./time-frame.js";
import {
	type AtomicClaim,
	CLAIM_LIMITS,
	type Comparison,
	type EvidenceStance,
	type StanceJudge,
} from "./verification.js";

/** One part with what its verdict rests on. */
export type JudgedPart = ReturnType<typeof judgePart>;

/** What the weaker side must reach, from another origin, to count as a conflict. */
const CONFLICT_LEAST = 0.75;

/** Gate 3 to 5 for one part: the side with the stronger sentence wins; near ones of independent origin are a conflict. */
export function judgePart(examined: PartExamination, asOf: string) {
	const { claim, stances } = examined;
	const sides = {
		supports: stances.filter(({ stance }) => stance === "supports"),
		refutes: stances.filter(({ stance }) => stance === "refutes"),
	};
	const best = { supports: bestOf(sides.supports), refutes: bestOf(sides.refutes) };
	const verdict = verdictOf(sides, best, examined.side);
	const side = verdict === "REFUTED" ? "refutes" : "supports";
	const bearing = verdict === "CONFLICTING" ? [...sides.supports, ...sides.refutes] : sides[side];
	const groups = new Set(bearing.map(({ group }) => group)).size;
	const timeReport = judgeTime(claim, bearing, asOf);
	const against = side === "refutes" ? best.supports : best.refutes;
	const isDisputed = bearing.some((stance) => stance.isDisputed);
	const confidence = confidenceOf(verdict, {
		isAgreed: examined.side === side,
		best: best[side],
		against: isDisputed ? Math.max(against, best[side] / 2) : against,
	});
	return {
		claim,
		verdict,
		confidence,
		missing: verdict === "NOT_ENOUGH_EVIDENCE" ? missingOf(examined) : [],
		time: timeReport.time,
		timeReport,
		/** Sentences for the verdict, best first; the nearest ones where there is none. */
		bearing,
		groups,
	};
}

export function bestOf(stances: readonly EvidenceStance[]): number {
	return Math.max(0, ...stances.map(({ score }) => score));
}

function verdictOf(
	sides: Sides<readonly EvidenceStance[]>,
	{ supports, refutes }: Sides<number>,
	ruled: Stance,
): Verdict {
	const [best, against] = [Math.max(supports, refutes), Math.min(supports, refutes)];
	if (against >= CONFLICT_LEAST && isIndependent(sides)) return "CONFLICTING";
	const side = supports >= refutes ? "supports" : "refutes";
	if (!isSure({ best, against, isAgreed: ruled === side })) return "NOT_ENOUGH_EVIDENCE";
	return side === "supports" ? "SUPPORTED" : "REFUTED";
}

type Sides<T> = Readonly<Record<"supports" | "refutes", T>>;

function isIndependent({ supports: [one], refutes: [other] }: Sides<readonly EvidenceStance[]>) {
	return one !== undefined && other !== undefined && one.group !== other.group;
}

/** What the nearest sentence lacks, the words no one covers first. */
function missingOf({ claim, unknown, stances }: PartExamination): readonly string[] {
	const texts = stances.map(({ sentence }) => sentence.text.toLowerCase());
	const figures = [...claim.quantities, ...claim.dates].map(({ text }) => text);
	const lacking = [...claim.entities, ...figures].filter(
		(text) => !texts.some((other) => other.includes(text.toLowerCase())),
	);
	return [...new Set([...unknown, ...lacking])];
}

/** True for what was so once: the verdict holds because things have changed. */
export function isOutdated({ verdict, time, claim, bearing }: JudgedPart): boolean {
	if (time !== "OUTDATED") return false;
	return (
		verdict === "REFUTED" || (verdict === "SUPPORTED" && (claimsNow(claim) || bearing.length > 0))
	);
}

/** What was found on one part of a claim. */
export type PartExamination = Awaited<ReturnType<typeof examinePart>>;

interface ExaminationRequest {
	readonly claim: AtomicClaim;
	readonly part: number;
	readonly graphs: readonly Graph[];
	/** `YYYY-MM-DD`; what was published later is left out. */
	readonly asOf: string;
	readonly signal: AbortSignal;
}

/** Gates 2 to 4 for one part: sentences that bear on it, what each says, and which of them depend on each other. */
export async function examinePart(
	{ search, judges }: { readonly search: HybridSearch; readonly judges: readonly StanceJudge[] },
	request: ExaminationRequest,
) {
	const { claim, part, signal } = request;
	const { found, measured } = await measurePart(search, request);
	const judged = await askJudges(judges, claim, weighStances(measured), signal);
	const best = [...judged].sort(byBearing).slice(0, CLAIM_LIMITS.evidenceMax);
	const groups = groupByOrigin(best.map(({ sentence }) => sentence));
	const stances = best.map(
		(stance, index): EvidenceStance => ({
			...stance,
			tier: bestTier(stance.sentence.sources),
			group: groups[index] ?? 0,
			part,
		}),
	);
	const { missing: unknown, decision, mode, concepts } = found;
	return {
		claim,
		/** Best first: what supports or refutes, then what came nearest; at most `evidenceMax`. */
		stances,
		/** The side that rules, or another judge, take by themselves. */
		side: sideOf(judged.map(({ said }) => said)),
		/** Words of the part that no concept covers. */
		unknown,
		...{ decision, mode },
		graphIds: [...new Set(concepts.map(({ graph }) => graph.record.id))],
	};
}

/** What is found for one part, and what is measured of it; nothing is weighed yet. */
export async function measurePart(
	search: HybridSearch,
	{ claim, graphs, asOf, signal }: Omit<ExaminationRequest, "part">,
) {
	const found = await gatherEvidence(search, {
		graphs,
		question: claim.text.slice(0, CLAIM_LIMITS.questionChars),
		conceptsMax: CLAIM_LIMITS.conceptsMax,
		sentencesMax: CLAIM_LIMITS.sentencesMax,
		signal,
	});
	const known = found.sentences.filter((sentence) => isKnownAt(sentence, asOf));
	const measured = await runInTurns(measureSentences(claim, known, found.missing), signal);
	return { found, measured };
}

/** Anyone who asks as of a day gets what was published by then; undated sources count as known. */
function isKnownAt({ sources }: RankedSentence, asOf: string): boolean {
	return sources.some(({ publishedAt }) => publishedAt === undefined || publishedAt <= asOf);
}

/** What supports or refutes before what is neutral, then by score. */
export function byBearing(a: Comparison, b: Comparison): number {
	const bears = ({ stance }: Comparison) => Number(stance !== "neutral");
	return bears(b) - bears(a) || b.score - a.score;
}

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
/** A verdict less sure than this is not returned: a wrong one costs a name, none costs nothing. */
const VERDICT_LEAST = 0.62;
/** What the weights hold this unlikely is not returned, whatever rules say. */
export const LIKELY_LEAST = 0.35;
/** Of an abstention: how often nothing was decidable where none was found. */
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

/** True when what was found is enough for a verdict. */
export function isSure(signs: ConfidenceSigns): boolean {
	return signs.best >= LIKELY_LEAST && sureness(signs) >= VERDICT_LEAST;
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
