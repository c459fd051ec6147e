/** Fits what a sentence's stance is weighed by to the labelled claims, and says how it does on claims it was not fitted to. */
import { createHash } from "node:crypto";
import { extractClaims } from "../skills/verify/claims/claim-extraction.js";
import { measurePart } from "../skills/verify/claims/claim-parts.js";
import { type StanceFeatures, toFeatures } from "../skills/verify/claims/stance-weighing.js";
import { toTrendId } from "../src/knowledge/graph.js";
import { type OpenVerifier, openClaimVerifier } from "./claims-bench.js";
import { crossValidate, figuresOf } from "./claims-cross-validation.js";
import { fitConfidence, fitStances } from "./claims-learning.js";
import { CLAIM_PARTS, type LabelledClaim, loadLabelledClaims } from "./labelled/labelled-claims.js";

/** A labelled claim of one part, with the features of every sentence that was found for it. */
export interface FeaturedClaim {
	readonly labelled: LabelledClaim;
	readonly part: string;
	readonly fold: number;
	readonly sentences: readonly StanceFeatures[];
	/** True for sentences of the concept that decides the claim. */
	readonly isOwn: readonly boolean[];
}

const FOLDS = 5;
const AS_OF = "2026-11-22";

export async function fitClaims(folder: string): Promise<unknown> {
	const opened = await openClaimVerifier(folder);
	try {
		const claims = await featuresOfAll(opened);
		const byConcept = crossValidate(claims, ({ fold }) => fold);
		// Another set is another occasion, and may be another author.
		const bySet = crossValidate(claims, ({ part }) => part);
		const parts = ["all", ...CLAIM_PARTS];
		return {
			claims: claims.length,
			concepts_left_out: Object.fromEntries(
				parts.map((part) => [part, figuresOf(byConcept, part)]),
			),
			sets_left_out: Object.fromEntries(parts.map((part) => [part, figuresOf(bySet, part)])),
			confidence: fitConfidence(bySet),
			weights: fitStances(claims),
		};
	} finally {
		await opened.close();
	}
}

async function featuresOfAll({ search, graphs }: OpenVerifier): Promise<readonly FeaturedClaim[]> {
	const { signal } = new AbortController();
	const featured: FeaturedClaim[] = [];
	for (const part of CLAIM_PARTS) {
		for (const labelled of loadLabelledClaims(part)) {
			const [atom, ...more] = extractClaims(labelled.claim);
			if (atom?.kind !== "checkable" || more.length > 0) continue;
			const { as_of: asOf = AS_OF } = labelled;
			const { measured } = await measurePart(search, { claim: atom, graphs, asOf, signal });
			if (measured.length === 0) continue;
			featured.push({
				labelled,
				part,
				// By concept, so that no two claims on one concept are on both sides.
				fold: createHash("sha256").update(labelled.trend_id).digest().readUInt32BE() % FOLDS,
				sentences: toFeatures(measured),
				isOwn: measured.map(
					({ sentence: { graph, concept } }) =>
						toTrendId(graph.record.id, concept.id) === labelled.trend_id,
				),
			});
		}
	}
	return featured;
}
