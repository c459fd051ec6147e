import { z } from "zod";
import {
	answer,
	isSoldVerdict,
	keptUntil,
	noAnswer,
	ownerOperation,
	paidOperation,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { toTrendId } from "../../src/knowledge/knowledge.js";
import { graphsNamed } from "../articles/articles.js";
import { notKept, readKept, toCheckedEvidence, toClaimReview } from "./checked-claims.js";
import {
	type EvidenceStance,
	roundScore,
	type Verification,
	type VerifiedPart,
} from "./claims/verification.js";
import {
	claimReviewSchema,
	keptVerificationSchema,
	OPENS_BY_ID,
	resultIdField,
	VERIFY_TEXT_LIMITS,
	type VerifyClaimOutput,
	verifyClaimInput,
	verifyClaimOutput,
} from "./verify-wire.js";

const STATUS_OF = {
	ANSWER: "EVIDENCE_MATCH",
	PARTIAL: "WEAK_MATCH",
	CLARIFY: "WEAK_MATCH",
	ABSTAIN: "NO_MATCH",
} as const;
const REVIEWER = "tollgraph";
const TEXT_EVIDENCE = 3;
const { claimChars } = VERIFY_TEXT_LIMITS;

/** One claim through five gates. Abstaining is free: only a verdict is sold. Spec: Endpoints, verify/claim. */
export const claimVerification = paidOperation({
	id: "verify.claim",
	at: "POST /v1/verify/claim",
	agent: {
		name: "verify_claim",
		tool: {
			title: "Verify a claim",
			description:
				"Whether the cited evidence supports or refutes a claim, and why. Claims without enough evidence cost nothing.",
			fields: {
				claim: "One claim, in a sentence",
				as_of: "As of this day, YYYY-MM-DD; today if left out",
				graph_id: "Only this graph",
			},
		},
	},
	summary: "Verify a claim",
	description: `Takes a claim of up to ${claimChars} characters apart, finds the cited sentences that bear on it, and says for each whether it supports or refutes it and why; then whether sources are independent and the claim is of today. Five gates, each with its reason. Paid per call, for a verdict only: NOT_ENOUGH_EVIDENCE and NOT_CHECKABLE cost nothing. Kept for its owner for 24 hours, unless the account keeps no text.`,
	body: verifyClaimInput,
	reply: toReply("ClaimVerificationReply", verifyClaimOutput),
	about: `Holds a claim of up to ${claimChars} characters against the cited sentences of the graphs: checkability, retrieval, stance, independence of sources, time. Answers SUPPORTED, REFUTED or CONFLICTING with confidence, reasons, evidence and a ClaimReview; NOT_ENOUGH_EVIDENCE and NOT_CHECKABLE cost nothing. The result can be read again for a day.`,
	tags: ["verification", "claims", "fact checking"],
	examples: ["Is it true that EIP-1559 burns the base fee?"],
	output: verifyClaimOutput,
	queryOf: ({ claim }) => claim,
	toText,
	create: ({
		catalog,
		clock,
		research,
		verifier,
	}: Pick<SkillServices, "catalog" | "clock" | "research" | "verifier">) => ({
		exampleInput: () => ({
			claim: "A JWS consists of a JOSE header, a payload and a signature or MAC.",
		}),
		prepare: ({ graph_id }) => void graphsNamed(catalog, graph_id),
		async run({ claim, as_of, graph_id }, context) {
			const startedMs = clock.monotonicMs();
			const verification = await verifier.verify({
				claim,
				asOf: as_of,
				graphs: graphsNamed(catalog, graph_id),
				signal: context.signal,
			});
			const meta = toMeta({ clock, research }, verification, startedMs);
			const isSold = isSoldVerdict(verification.verdict);
			const until = isSold ? keptUntil(clock, context) : null;
			const id = until === null ? null : research.resultIds("vrf", context);
			const data = toWire(verification, { id, until });
			if (!isSold) return noAnswer({ ok: true, data, meta });
			const keep = id === null ? {} : { keep: { kind: "verification", id, data } as const };
			return answer({ ok: true, data, meta }, keep);
		},
	}),
	example: {
		body: { claim: "A JWS consists of a JOSE header, a payload and a signature or MAC." },
	},
});

function toMeta(
	{ clock, research }: Pick<SkillServices, "clock" | "research">,
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
		model: { embedder: mode === "hybrid" ? (research.embedder() ?? null) : null, writer: null },
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

const params = z.strictObject({
	verification_id: resultIdField.describe("verification_id of the reply"),
});
const EXAMPLE_PARAMS = { verification_id: "vrf_01kg9yz3v0f6x2m8q4t7w1ab2c" };

/** A verification that was paid for, read again. Additive to the contract. */
export const verification = ownerOperation({
	id: "verifications.get",
	at: "GET /v1/verify/{verification_id}",
	summary: "Read a verification again",
	description: `Of POST /v1/verify/claim, by its verification_id. ${OPENS_BY_ID}`,
	opensById: true,
	params,
	data: keptVerificationSchema,
	answer: (services: Pick<SkillServices, "research">, { caller, params }) =>
		readKept(services, caller, "verification", params.verification_id),
	example: { params: EXAMPLE_PARAMS },
});

/** The same as JSON-LD. Additive to the contract. */
export const verificationClaimReview = ownerOperation({
	id: "verifications.claim_review",
	at: "GET /v1/verify/{verification_id}/claim-review",
	summary: "Read a verification as schema.org ClaimReview",
	description: `JSON-LD for a page that shows the verdict. ${OPENS_BY_ID}`,
	opensById: true,
	params,
	data: claimReviewSchema,
	answer: async (
		services: Pick<SkillServices, "research">,
		{ caller, params: { verification_id: id } },
	) => {
		const { claim_review: review } = await readKept(services, caller, "verification", id);
		if (typeof review !== "object" || review === null) throw notKept(id);
		return review;
	},
	example: { params: EXAMPLE_PARAMS },
});
