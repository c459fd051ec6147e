import type { Decision, Stance } from "../../../src/contract/contract.js";
import {
	type GatheredEvidence,
	gatherEvidence,
	type RankedSentence,
} from "../../../src/evidence/evidence.js";
import { type Graph, runInTurns } from "../../../src/knowledge/knowledge.js";
import type { HybridSearch } from "../../../src/search/search.js";
import { CLAIM_LIMITS } from "./claim-limits.js";
import { groupByOrigin } from "./independence.js";
import { type MeasuredSentence, measureSentences } from "./sentence-measuring.js";
import { bestTier } from "./source-tiers.js";
import { askJudges } from "./stance-judges.js";
import { sideOf, weighStances } from "./stance-weighing.js";
import type { AtomicClaim, ComparedSentence, EvidenceStance, StanceJudge } from "./verification.js";

/** What was found on one part of a claim. */
export interface PartExamination {
	readonly claim: AtomicClaim;
	/** Best first: what supports or refutes, then what came nearest; at most EVIDENCE_MAX. */
	readonly stances: readonly EvidenceStance[];
	/** The side that rules, or another judge, take by themselves. */
	readonly side: Stance;
	/** Words of the part that no concept covers. */
	readonly unknown: readonly string[];
	readonly decision: Decision;
	readonly mode: "hybrid" | "keyword";
	readonly graphIds: readonly string[];
}

export interface ExaminationDeps {
	readonly search: HybridSearch;
	readonly judges: readonly StanceJudge[];
}

export interface ExaminationRequest {
	readonly claim: AtomicClaim;
	readonly part: number;
	readonly graphs: readonly Graph[];
	/** `YYYY-MM-DD`; what was published later is left out. */
	readonly asOf: string;
	readonly signal: AbortSignal;
}

/** Gates 2 to 4 for one part: sentences that bear on it, what each says, and which of them depend on each other. */
export async function examinePart(
	{ search, judges }: ExaminationDeps,
	request: ExaminationRequest,
): Promise<PartExamination> {
	const { claim, part, signal } = request;
	const { found, measured } = await measurePart(search, request);
	const judged = await askJudges(judges, claim, weighStances(measured), signal);
	const best = [...judged].sort(byBearing).slice(0, CLAIM_LIMITS.evidenceMax);
	const groups = groupByOrigin(best.map(({ sentence }) => sentence));
	const stances = best.map((stance, index) => ({
		...stance,
		tier: bestTier(stance.sentence.sources),
		group: groups[index] ?? 0,
		part,
	}));
	return {
		claim,
		stances,
		side: sideOf(judged.map(({ said }) => said)),
		unknown: found.missing,
		decision: found.decision,
		mode: found.mode,
		graphIds: [...new Set(found.concepts.map(({ graph }) => graph.record.id))],
	};
}

export interface MeasuredPart {
	readonly found: GatheredEvidence;
	readonly measured: readonly MeasuredSentence[];
}

/** What is found for one part, and what is measured of it; nothing is weighed yet. */
export async function measurePart(
	search: HybridSearch,
	{ claim, graphs, asOf, signal }: Omit<ExaminationRequest, "part">,
): Promise<MeasuredPart> {
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

/** Whoever asks as of a day is told what was published by then; undated sources count as known. */
function isKnownAt({ sources }: RankedSentence, asOf: string): boolean {
	return sources.some(({ publishedAt }) => publishedAt === undefined || publishedAt <= asOf);
}

function byBearing(a: ComparedSentence, b: ComparedSentence): number {
	const bears = ({ stance }: ComparedSentence) => Number(stance !== "neutral");
	return bears(b) - bears(a) || b.score - a.score;
}
