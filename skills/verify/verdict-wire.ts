import type { EvidenceStance } from "./claims/verification.js";

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
