/** How verdicts do on claims that weights and confidence were not fitted to: by concept, and by whole sets. */
import { LIKELY_LEAST } from "../skills/verify/claims/claim-parts.js";
import { likelihoodsOf, sideOf } from "../skills/verify/claims/stance-weighing.js";
import type { FeaturedClaim } from "./claims-fit.js";
import {
	type ConfidenceFit,
	confidenceIn,
	fitConfidence,
	fitStances,
	type Outcome,
} from "./claims-learning.js";
import { round } from "./figures.js";

export interface ToldClaim extends Outcome {
	readonly claim: FeaturedClaim;
	readonly side: "SUPPORTED" | "REFUTED";
	readonly confidence: number;
}

const THRESHOLDS = [0.4, 0.5, 0.55, 0.6, 0.62, 0.65, 0.7, 0.75, 0.8] as const;
const BINS = 10;

/** Each claim judged by weights that were fitted to claims of other groups only, its confidence likewise. */
export function crossValidate(
	claims: readonly FeaturedClaim[],
	groupOf: (claim: FeaturedClaim) => string | number,
): readonly ToldClaim[] {
	const groups = [...new Set(claims.map(groupOf))];
	const judged = groups.flatMap((group) => {
		const weights = fitStances(claims.filter((claim) => groupOf(claim) !== group));
		return claims
			.filter((claim) => groupOf(claim) === group)
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
	});
	const fits = new Map<string | number, ConfidenceFit>(
		groups.map((group) => [
			group,
			fitConfidence(judged.filter(({ claim }) => groupOf(claim) !== group)),
		]),
	);
	return judged.map((one) => ({
		...one,
		confidence: confidenceIn(fits.get(groupOf(one.claim)) as ConfidenceFit, one),
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

/** Figures of one part, or of all, for each threshold from which a verdict may be reported. */
export function figuresOf(told: readonly ToldClaim[], part: string) {
	const members = told.filter(({ claim }) => part === "all" || claim.part === part);
	const decidable = members.filter(({ claim }) => claim.labelled.verdict !== "NOT_ENOUGH_EVIDENCE");
	return THRESHOLDS.map((least) => {
		const isTold = ({ confidence, best }: ToldClaim) => best >= LIKELY_LEAST && confidence >= least;
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
			right_where_covered: round(shareRight(covered)),
			right_where_told: round(shareRight(all)),
			calibration_error: round(calibrationError(all)),
		};
	});
}

function shareRight(told: readonly ToldClaim[]): number {
	return told.filter(({ isRight }) => isRight).length / Math.max(1, told.length);
}

/** Mean distance of confidence from how many are right, over bins of equal width (Naeini and others, 2015). */
function calibrationError(told: readonly ToldClaim[]): number {
	const errors = Array.from({ length: BINS }, (_, bin) => {
		const members = told.filter(
			({ confidence }) => Math.min(Math.floor(confidence * BINS), BINS - 1) === bin,
		);
		const confidence = members.reduce((sum, one) => sum + one.confidence, 0);
		return Math.abs(confidence - members.filter(({ isRight }) => isRight).length);
	});
	return errors.reduce((sum, error) => sum + error, 0) / Math.max(1, told.length);
}
