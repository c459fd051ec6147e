import type { Decision } from "../../core/wire.js";
import type { Concept, Graph } from "../../knowledge/graph.js";
import { runInTurns, type Steps, stepsOf } from "../../knowledge/work-in-turns.js";
import type { HybridSearch } from "../../search/search.js";
import { gatherEvidence, type RankedSentence } from "../gathered-evidence.js";
import { CLAIM_LIMITS } from "./claim-limits.js";
import { toDateSpan } from "./date-spans.js";
import { groupByOrigin } from "./independence.js";
import { type ReadContext, readCatalogContext } from "./sentence-context.js";
import { bestTier } from "./source-tiers.js";
import { compareReadings } from "./stance-comparator.js";
import { askJudges } from "./stance-judges.js";
import { readCatalogText, readText } from "./text-reading.js";
import type { AtomicClaim, ComparedSentence, EvidenceStance, StanceJudge } from "./verification.js";

/** What was found on one part of a claim. */
export interface PartExamination {
	readonly claim: AtomicClaim;
	/** Best first: what supports or refutes, then what came nearest; at most EVIDENCE_MAX. */
	readonly stances: readonly EvidenceStance[];
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
	{ claim, part, graphs, asOf, signal }: ExaminationRequest,
): Promise<PartExamination> {
	const found = await gatherEvidence(search, {
		graphs,
		question: claim.text.slice(0, CLAIM_LIMITS.questionChars),
		conceptsMax: CLAIM_LIMITS.conceptsMax,
		sentencesMax: CLAIM_LIMITS.sentencesMax,
		signal,
	});
	const known = found.sentences.filter((sentence) => isKnownAt(sentence, asOf));
	const compared = await runInTurns(compareAll(claim, known, found.missing), signal);
	const judged = await askJudges(judges, claim, compared, signal);
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
		unknown: found.missing,
		decision: found.decision,
		mode: found.mode,
		graphIds: [...new Set(found.concepts.map(({ graph }) => graph.record.id))],
	};
}

/** How much the rank of a sentence counts: what the search finds first is more likely about the same. */
const RANK_SHARE = 0.3;

function* compareAll(
	claim: AtomicClaim,
	sentences: readonly RankedSentence[],
	unknown: readonly string[],
): Steps<readonly ComparedSentence[]> {
	const reading = readText(claim.text);
	const stepsOfOne = Math.ceil(reading.text.length / CLAIM_LIMITS.charsPerStep);
	const contexts = new Map<Concept, ReadContext>();
	const top = Math.max(...sentences.map(({ score }) => score), Number.EPSILON);
	const compared: ComparedSentence[] = [];
	for (const sentence of sentences) {
		yield* stepsOf(stepsOfOne);
		const { concept, sources, text } = sentence;
		const context = contexts.get(concept) ?? contextOf(sentence, sentences, unknown);
		contexts.set(concept, context);
		const dates = sources.flatMap(({ publishedAt, datePrecision }) =>
			publishedAt === undefined ? [] : [toDateSpan(publishedAt, datePrecision ?? "day")],
		);
		const comparison = compareReadings(reading, readCatalogText(text), context, dates);
		const score = comparison.score * (1 - RANK_SHARE + RANK_SHARE * (sentence.score / top));
		compared.push({ ...comparison, score, sentence, isDisputed: false });
	}
	return compared;
}

function contextOf(
	{ concept, graph }: RankedSentence,
	sentences: readonly RankedSentence[],
	unknown: readonly string[],
): ReadContext {
	const around = sentences.filter((other) => other.concept === concept).map(({ text }) => text);
	const names = [concept.title, ...concept.aliases];
	return readCatalogContext({ names, domain: graph.record.title, around, unknown });
}

/** Whoever asks as of a day is told what was published by then; undated sources count as known. */
function isKnownAt({ sources }: RankedSentence, asOf: string): boolean {
	return sources.some(({ publishedAt }) => publishedAt === undefined || publishedAt <= asOf);
}

function byBearing(a: ComparedSentence, b: ComparedSentence): number {
	const bears = ({ stance }: ComparedSentence) => Number(stance !== "neutral");
	return bears(b) - bears(a) || b.score - a.score;
}
