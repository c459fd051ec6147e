import { toArticleAddress } from "../../../src/evidence/evidence.js";
import type { Verification } from "./verification.js";

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
