import { toArticleAddress } from "../../src/evidence/evidence.js";
import type { EvidenceStance, Verification } from "./claims/verification.js";

/** Scores and confidences of verdicts have three decimals. */
export const roundScore = (value: number) => Math.round(value * 1000) / 1000;

/** A sentence that was held against a claim, as every verdict tells it. */
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
