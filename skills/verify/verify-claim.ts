import {
	answer,
	defineSkill,
	isSoldVerdict,
	keptUntil,
	noAnswer,
	type Skill,
	type SkillContext,
} from "../../src/contract/contract.js";
import type { Clock } from "../../src/kernel/kernel.js";
import { type GraphCatalog, toTrendId } from "../../src/knowledge/knowledge.js";
import type { ClaimVerifier } from "./claims/claim-verifier.js";
import type { EvidenceStance, Verification, VerifiedPart } from "./claims/verification.js";
import { roundScore, toCheckedEvidence, toClaimReview } from "./verdict-wire.js";
import { VERIFY_TEXT_LIMITS } from "./verify-text-limits.js";
import { type VerifyClaimOutput, verifyClaimInput, verifyClaimOutput } from "./verify-wire.js";

export interface ClaimVerificationDeps {
	readonly verifier: ClaimVerifier;
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
	/** Id of the embedding model that searches use; undefined without one. */
	readonly embedder: () => string | undefined;
	/** The id under which a call's result is kept, the same when it is sent again. */
	readonly resultIds: (kind: "vrf", context: Pick<SkillContext, "callId" | "caller">) => string;
}

const STATUS_OF = {
	ANSWER: "EVIDENCE_MATCH",
	PARTIAL: "WEAK_MATCH",
	CLARIFY: "WEAK_MATCH",
	ABSTAIN: "NO_MATCH",
} as const;
const REVIEWER = "tollgraph";
const TEXT_EVIDENCE = 3;

/** One claim through five gates. Abstaining is free: only a verdict is sold. Spec: Endpoints, verify/claim. */
export const createClaimVerification = (deps: ClaimVerificationDeps): Skill<"verify.claim"> =>
	defineSkill({
		operationId: "verify.claim",
		title: "Verify a claim",
		description: `Holds a claim of up to ${VERIFY_TEXT_LIMITS.claimChars} characters against the cited sentences of the graphs: checkability, retrieval, stance, independence of sources, time. Answers SUPPORTED, REFUTED or CONFLICTING with confidence, reasons, evidence and a ClaimReview; NOT_ENOUGH_EVIDENCE and NOT_CHECKABLE cost nothing. The result can be read again for a day.`,
		tags: ["verification", "claims", "fact checking"],
		examples: ["Is it true that EIP-1559 burns the base fee?"],
		exampleInput: { claim: "The static table of HPACK contains 61 entries." },
		input: verifyClaimInput,
		output: verifyClaimOutput,
		capture: "onResult",
		queryOf: ({ claim }) => claim,
		graphsOf: ({ graph_id }) => (graph_id === undefined ? [] : [graph_id]),
		prepare({ graph_id }) {
			if (graph_id !== undefined) deps.catalog.assertKnown(graph_id);
		},
		toText,
		async run({ claim, as_of, graph_id }, context) {
			const startedMs = deps.clock.monotonicMs();
			const verification = await deps.verifier.verify({
				claim,
				asOf: as_of,
				graphs: graph_id === undefined ? undefined : [deps.catalog.get(graph_id)],
				signal: context.signal,
			});
			const meta = toMeta(deps, verification, startedMs);
			const isSold = isSoldVerdict(verification.verdict);
			const until = isSold ? keptUntil(deps.clock, context) : null;
			const id = until === null ? null : deps.resultIds("vrf", context);
			const data = toWire(verification, { id, until });
			if (!isSold) return noAnswer({ ok: true, data, meta });
			const keep = id === null ? {} : { keep: { kind: "verification", id, data } as const };
			return answer({ ok: true, data, meta }, keep);
		},
	});

function toMeta(
	{ clock, embedder }: ClaimVerificationDeps,
	{ claim, decision, mode, asOf, graphsUsed, warnings }: Verification,
	startedMs: number,
): VerifyClaimOutput["meta"] {
	return {
		query: claim,
		decision,
		dataStatus: STATUS_OF[decision],
		execution_time_ms: Math.round(clock.monotonicMs() - startedMs),
		mode,
		as_of: asOf,
		graphs_used: [...graphsUsed],
		model: { embedder: mode === "hybrid" ? (embedder() ?? null) : null, writer: null },
		warnings: [...warnings],
	};
}

function toWire(
	verification: Verification,
	{ id, until }: { readonly id: string | null; readonly until: string | null },
): VerifyClaimOutput["data"] {
	const { claim, verdict, qualifier, confidence, explanation, time, missing } = verification;
	const isSold = isSoldVerdict(verdict);
	return {
		verification_id: id,
		kept_until: until,
		claim,
		verdict,
		qualifier: qualifier ?? null,
		confidence: roundScore(confidence),
		explanation,
		time,
		independent_groups: verification.independentGroups,
		missing: [...missing],
		gates: verification.gates.map(({ evidenceIds, score, ...gate }) => ({
			...gate,
			score: roundScore(score),
			evidence_ids: isSold ? [...evidenceIds] : [],
		})),
		// Verdicts on parts, and sentences of the graphs, are sold with a verdict on the whole.
		parts: verification.parts.filter((part) => isSold || !isSoldVerdict(part.verdict)).map(toPart),
		evidence: isSold ? verification.evidence.map(toEvidence) : [],
		claim_review: isSold
			? { ...toClaimReview(verification, { id: id ?? "unkept", author: REVIEWER }) }
			: null,
	};
}

function toPart({ claim, verdict, confidence, missing, time }: VerifiedPart) {
	return {
		claim: claim.text,
		verdict,
		confidence: roundScore(confidence),
		missing: [...missing],
		time,
		entities: [...claim.entities],
		numbers: claim.quantities.map(({ text }) => text),
		dates: claim.dates.map(({ text }) => text),
	};
}

function toEvidence(found: EvidenceStance) {
	const { graph, concept } = found.sentence;
	return {
		...toCheckedEvidence(found),
		trend_id: toTrendId(graph.record.id, concept.id),
		graph_id: graph.record.id,
		part: found.part,
		reasons: [...found.reasons],
		is_disputed: found.isDisputed,
	};
}

/** The verdict and what it rests on, with links. */
function toText({ data }: VerifyClaimOutput): string {
	const { verdict, qualifier, confidence, explanation, evidence } = data;
	const bearing = evidence.filter(({ stance }) => stance !== "neutral").slice(0, TEXT_EVIDENCE);
	const lines = bearing.map(
		({ stance, excerpt, source_url: url }) => `- ${stance}: ${excerpt} (${url})`,
	);
	const head = `${verdict}${qualifier ? ` (${qualifier})` : ""}, confidence ${confidence}. ${explanation}`;
	return [head, ...lines].join("\n");
}
