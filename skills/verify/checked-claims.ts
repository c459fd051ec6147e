import {
	type ArtifactKind,
	answer,
	type Caller,
	isSoldVerdict,
	type Json,
	keptUntil,
	noAnswer,
	type SkillContext,
	type SkillServices,
} from "../../src/contract/contract.js";
import { toArticleAddress } from "../../src/evidence/evidence.js";
import { notFound, type ServiceError, toIsoDay, toIsoTime } from "../../src/kernel/kernel.js";
import { graphsNamed } from "../articles/articles.js";
import { type EvidenceStance, roundScore, type Verification } from "./claims/verification.js";
import { type CheckedClaimWire, VERIFY_TEXT_LIMITS } from "./verify-wire.js";

type Place = { readonly start?: number; readonly end?: number };

export type Checking = Pick<SkillServices, "catalog" | "clock" | "research" | "verifier">;

/**
 * Checks claims one after the other, because they share a processor; a caller that leaves stops the rest. The result, with
 * `more` beside its claims, can be read again, unless the caller has zero retention or no account.
 */
export async function checkClaims<More extends object>(
	{ verifier, catalog, clock, research }: Checking,
	asked: {
		readonly claims: readonly (Place & { readonly text: string })[];
		readonly graph_id: string | undefined;
		readonly as_of: string | undefined;
	},
	context: SkillContext,
	more: More,
) {
	const { claims, graph_id: graphId, as_of: asOf } = asked;
	const { signal } = context;
	const graphs = graphId === undefined ? undefined : graphsNamed(catalog, graphId);
	const checked: Verification[] = [];
	const known = new Map<string, Verification>();
	for (const { text } of claims) {
		signal.throwIfAborted();
		const verification =
			known.get(text) ?? (await verifier.verify({ claim: text, asOf, graphs, signal }));
		known.set(text, verification);
		checked.push(verification);
	}
	const items = checked.map((verification, place) => toItem(verification, claims[place]));
	/** Places of those with a verdict that is sold. */
	const answered = items.flatMap(({ is_answered }, place) => (is_answered ? [place] : []));
	const isAnswer = answered.length > 0;
	const until = isAnswer ? keptUntil(clock, context) : null;
	const id = until === null ? null : research.resultIds("vfb", context);
	const isDegraded = checked.some(({ mode }) => mode === "keyword");
	const result = {
		ok: true as const,
		data: { batch_id: id, kept_until: until, claims: items, ...more },
		meta: {
			claims: items.length,
			answered: answered.length,
			as_of: checked[0]?.asOf ?? toIsoDay(clock.now()),
			mode: isDegraded ? ("keyword" as const) : ("hybrid" as const),
			graphs_used: [...new Set(checked.flatMap(({ graphsUsed }) => graphsUsed))],
			warnings: [...new Set(checked.flatMap(({ warnings }) => warnings))],
		},
	};
	if (!isAnswer) return noAnswer(result);
	const { data } = result;
	const keep = id === null ? {} : { keep: { kind: "verification_batch", id, data } as const };
	return answer(result, { answered, ...keep });
}

interface ClaimsOutput {
	readonly data: { readonly claims: CheckedClaimWire[] };
	readonly meta: { readonly answered: number };
}

/** What is left of an output where only some of its claims are paid for; the others are reported as claims without a verdict. */
export function keepPaid<Output extends ClaimsOutput>(
	output: Output,
	kept: readonly number[],
): Output {
	const claims = output.data.claims.map((item, place) =>
		kept.includes(place) || !item.is_answered ? item : { ...item, ...UNANSWERED },
	);
	const answered = claims.filter(({ is_answered }) => is_answered).length;
	return { ...output, data: { ...output.data, claims }, meta: { ...output.meta, answered } };
}

const UNANSWERED = {
	is_answered: false,
	verdict: "NOT_ENOUGH_EVIDENCE",
	qualifier: null,
	confidence: 0,
	explanation: "This claim had no verdict when the call was paid for.",
	missing: [],
	independent_groups: 0,
	evidence: [],
} satisfies Partial<CheckedClaimWire>;

function toItem(verification: Verification, place: Place | undefined): CheckedClaimWire {
	const { claim, verdict, qualifier, confidence, explanation, missing, evidence } = verification;
	const isSold = isSoldVerdict(verdict);
	return {
		claim,
		start: place?.start ?? null,
		end: place?.end ?? null,
		is_answered: isSold,
		verdict,
		qualifier: qualifier ?? null,
		confidence: roundScore(confidence),
		explanation,
		missing: [...missing],
		independent_groups: verification.independentGroups,
		// Sentences of the graphs are what is sold.
		evidence: isSold
			? evidence.slice(0, VERIFY_TEXT_LIMITS.evidenceMax).map(toCheckedEvidence)
			: [],
	};
}

/** A sentence that was held against a claim, as it travels with every verdict. */
export function toCheckedEvidence({ sentence, stance, score, tier, group }: EvidenceStance) {
	const [source] = sentence.sources;
	return {
		evidence_id: sentence.evidenceId,
		stance,
		score: roundScore(score),
		excerpt: sentence.text,
		title: source?.title ?? "",
		source_url: source?.sourceUrl ?? "",
		published_at: source?.publishedAt ?? null,
		tier,
		group,
	};
}

/** schema.org ratings: 1 is worst, 5 best; the name says what a number cannot. */
const RATINGS = {
	SUPPORTED: [5, "Supported by cited sources"],
	REFUTED: [1, "Refuted by cited sources"],
	CONFLICTING: [3, "Sources disagree"],
	NOT_ENOUGH_EVIDENCE: [3, "Not enough evidence"],
	NOT_CHECKABLE: [3, "Not a checkable statement"],
} as const;
const CITATIONS_MAX = 10;

/** A verification as schema.org ClaimReview (JSON-LD); every citation is one that the verdict rests on. */
export function toClaimReview(
	{ claim, verdict, qualifier, explanation, evidence, asOf }: Verification,
	{ id, author }: { readonly id: string; readonly author: string },
): Readonly<Record<string, unknown>> {
	const [ratingValue, name] = RATINGS[verdict];
	const bearing = evidence.filter(({ stance }) => stance !== "neutral").slice(0, CITATIONS_MAX);
	return {
		"@context": "https://schema.org",
		"@type": "ClaimReview",
		identifier: id,
		datePublished: asOf,
		claimReviewed: claim,
		reviewBody: explanation,
		author: { "@type": "Organization", name: author },
		reviewRating: {
			"@type": "Rating",
			ratingValue,
			worstRating: 1,
			bestRating: 5,
			alternateName: qualifier ? `${name} (${qualifier.toLowerCase()})` : name,
		},
		itemReviewed: { "@type": "Claim", text: claim },
		citation: bearing.flatMap(({ sentence }) =>
			sentence.sources.slice(0, 1).map(({ title, sourceUrl, publishedAt }) => ({
				"@type": "CreativeWork",
				name: title,
				url: sourceUrl,
				...(publishedAt !== undefined && { datePublished: publishedAt }),
				publisher: { "@type": "Organization", name: toArticleAddress(sourceUrl)?.host ?? "" },
			})),
		),
	};
}

/**
 * A paid verification, or a batch of them, while it is retained. An unknown one, that of another caller and an expired one
 * throw the same NOT_FOUND.
 */
export async function readKept(
	{ research }: Pick<SkillServices, "research">,
	caller: Caller,
	kind: ArtifactKind,
	id: string,
): Promise<Json> {
	const kept = await research.artifacts.find(caller, kind, id);
	if (!kept) throw notKept(id);
	return { ...(kept.data as Json), kept_until: toIsoTime(kept.expiresAt) };
}

export function notKept(id: string): ServiceError {
	return notFound(
		`No result of yours is kept as "${id}"; results can be read again for a day after they were paid for.`,
	);
}
