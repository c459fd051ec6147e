/** Fits what a sentence's stance is weighed by to the labelled claims, and says how it does on claims it was not fitted to. */
import { createHash } from "node:crypto";
import { extractClaims } from "../src/evidence/claims/claim-extraction.js";
import { measurePart } from "../src/evidence/claims/part-examination.js";
import { type StanceFeatures, toFeatures } from "../src/evidence/claims/stance-features.js";
import { likelihoodsOf, sideOf } from "../src/evidence/claims/stance-weighing.js";
import { toTrendId } from "../src/knowledge/graph.js";
import { type OpenVerifier, openClaimVerifier } from "./claims-bench.js";
import {
	type ConfidenceFit,
	confidenceIn,
	fitConfidence,
	fitStances,
	type Outcome,
} from "./claims-learning.js";
import { round } from "./figures.js";
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
const THRESHOLDS = [0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8] as const;
const AS_OF = "2026-11-22";

export async function fitClaims(folder: string): Promise<unknown> {
	const opened = await openClaimVerifier(folder);
	try {
		const claims = await featuresOfAll(opened);
		const told = crossValidate(claims);
		const weights = fitStances(claims);
		return {
			claims: claims.length,
			held_out: Object.fromEntries(
				["all", ...CLAIM_PARTS].map((part) => [part, figuresOf(told, part)]),
			),
			confidence: fitConfidence(told),
			weights,
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

interface ToldClaim extends Outcome {
	readonly claim: FeaturedClaim;
	readonly side: "SUPPORTED" | "REFUTED";
	readonly confidence: number;
}

/** Each claim judged by weights that were fitted to claims on other concepts, its confidence likewise. */
function crossValidate(claims: readonly FeaturedClaim[]): readonly ToldClaim[] {
	const judged = Array.from({ length: FOLDS }, (_, fold) => {
		const weights = fitStances(claims.filter((claim) => claim.fold !== fold));
		return claims
			.filter((claim) => claim.fold === fold)
			.map((claim) => {
				const each = claim.sentences.map((features) => likelihoodsOf(features, weights));
				const supports = Math.max(...each.map((one) => one.supports));
				const refutes = Math.max(...each.map((one) => one.refutes));
				const side = supports >= refutes ? ("SUPPORTED" as const) : ("REFUTED" as const);
				const [best, against] = [Math.max(supports, refutes), Math.min(supports, refutes)];
				const isAgreed = ruledBy(claim) === side;
				const isRight = claim.labelled.verdict === side;
				return { claim, side, best, against, isAgreed, isRight };
			});
	}).flat();
	const fits: readonly ConfidenceFit[] = Array.from({ length: FOLDS }, (_, fold) =>
		fitConfidence(judged.filter(({ claim }) => claim.fold !== fold)),
	);
	return judged.map((one) => ({
		...one,
		confidence: confidenceIn(fits[one.claim.fold] as ConfidenceFit, one),
	}));
}

function ruledBy({ sentences }: FeaturedClaim): "SUPPORTED" | "REFUTED" | undefined {
	const said = sentences.flatMap(({ ruleSupports, ruleRefutes }) => [
		{ stance: "supports" as const, score: ruleSupports },
		{ stance: "refutes" as const, score: ruleRefutes },
	]);
	const side = sideOf(said);
	if (side === "neutral") return undefined;
	return side === "supports" ? "SUPPORTED" : "REFUTED";
}

function figuresOf(told: readonly ToldClaim[], part: string) {
	const members = told.filter(({ claim }) => part === "all" || claim.part === part);
	const decidable = members.filter(({ claim }) => claim.labelled.verdict !== "NOT_ENOUGH_EVIDENCE");
	return THRESHOLDS.map((least) => {
		const isTold = ({ confidence }: ToldClaim) => confidence >= least;
		const covered = decidable.filter(isTold);
		const all = members.filter(isTold);
		const f1 = (["SUPPORTED", "REFUTED"] as const).map((side) => {
			const meant = members.filter(({ claim }) => claim.labelled.verdict === side).length;
			const said = all.filter((one) => one.side === side);
			return (2 * said.filter(({ isRight }) => isRight).length) / Math.max(1, meant + said.length);
		});
		const silent = members.filter((one) => !isTold(one));
		const open = members.length - decidable.length;
		const quiet = silent.filter(
			({ claim }) => claim.labelled.verdict === "NOT_ENOUGH_EVIDENCE",
		).length;
		const abstained = (2 * quiet) / Math.max(1, open + silent.length);
		return {
			least,
			macro_f1: round(((f1[0] ?? 0) + (f1[1] ?? 0) + abstained) / 3),
			coverage: round(covered.length / Math.max(1, decidable.length)),
			right_where_covered: round(
				covered.filter(({ isRight }) => isRight).length / Math.max(1, covered.length),
			),
			right_where_told: round(
				all.filter(({ isRight }) => isRight).length / Math.max(1, all.length),
			),
		};
	});
}
