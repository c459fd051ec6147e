import type { Stance } from "../../../src/contract/contract.js";
import { type MeasuredSentence, type StanceFeatures, toFeatures } from "./stance-features.js";
import { STANCE_WEIGHTS, type StanceWeights } from "./stance-weights.js";
import {
	type AtomicClaim,
	CLAIM_LIMITS,
	type ComparedSentence,
	type Comparison,
	type StanceJudge,
} from "./verification.js";

/** Below this a sentence is neutral: it bears on the claim, and says neither; what a rule says needs less. */
const BEARS_LEAST = { weighed: 0.5, ruled: 0.05 } as const;

/** What a rule must reach to decide anything by itself. */
const RULE_LEAST = 0.47;

/** The side that rules alone would take, by their best sentence; "neutral" where none decides. */
export function sideOf(said: readonly Pick<Comparison, "stance" | "score">[]): Stance {
	const bestOf = (wanted: Stance) =>
		Math.max(0, ...said.filter(({ stance }) => stance === wanted).map(({ score }) => score));
	const [supports, refutes] = [bestOf("supports"), bestOf("refutes")];
	if (Math.max(supports, refutes) < RULE_LEAST) return "neutral";
	return supports >= refutes ? "supports" : "refutes";
}

/** How likely each sentence bears the claim out, and denies it, each 0..1. */
export interface StanceLikelihoods {
	readonly supports: number;
	readonly refutes: number;
}

/**
 * Weighs all that was measured of the sentences found for a claim: rules say what agrees and what differs, the weights how
 * much that is worth. What lacks something essential bears nothing out, and what differs in nothing denies nothing.
 */
export function weighStances(measured: readonly MeasuredSentence[]): readonly ComparedSentence[] {
	const features = toFeatures(measured);
	return measured.map(({ sentence, comparison }, at) => {
		const likelihoods = likelihoodsOf(features[at] as StanceFeatures, STANCE_WEIGHTS);
		const said = { stance: comparison.stance, score: comparison.score };
		return { ...toComparison(comparison, likelihoods), sentence, said, isDisputed: false };
	});
}

export function likelihoodsOf(
	features: StanceFeatures,
	weights: Readonly<Record<keyof StanceLikelihoods, StanceWeights>>,
): StanceLikelihoods {
	return {
		supports: maySupport(features) ? likelihoodBy(weights.supports, features) : 0,
		refutes: mayRefute(features) ? likelihoodBy(weights.refutes, features) : 0,
	};
}

/** Names, figures, directions and what a claim says by its form must come back before anything is weighed. */
export function maySupport({ form, essential }: StanceFeatures): boolean {
	return form === 0 && essential === 0;
}

/** A sentence that differs in nothing denies nothing. */
export function mayRefute(features: StanceFeatures): boolean {
	return DIFFERENCES.some((name) => features[name] > 0);
}

const DIFFERENCES = [
	...(["denial", "opposite", "rival", "figure", "quantity"] as const),
	...(["unevenDenial", "turned"] as const),
] as const;

function likelihoodBy({ bias, weights }: StanceWeights, features: StanceFeatures): number {
	let sum = bias;
	for (const [name, weight] of Object.entries(weights))
		sum += weight * features[name as keyof StanceFeatures];
	return 1 / (1 + Math.exp(-sum));
}

function toComparison(rules: Comparison, { supports, refutes }: StanceLikelihoods): Comparison {
	const { reasons } = rules;
	const stance = supports >= refutes ? "supports" : "refutes";
	const score = round(Math.max(supports, refutes));
	const least = rules.stance === stance ? BEARS_LEAST.ruled : BEARS_LEAST.weighed;
	if (score < least) {
		return { stance: "neutral", score: Math.min(rules.score, BEARS_LEAST.weighed), reasons };
	}
	if (rules.stance === stance) return { stance, score, reasons };
	const weighed = stance === "supports" ? "bears it out" : "denies it";
	return { stance, score, reasons: [...reasons, `all in all ${weighed}`] };
}

function round(value: number): number {
	return Math.round(value * 1000) / 1000;
}

/** From which score on a judge is heard where the rules say nothing. */
const HEARD_LEAST = 0.6;
/** What a judge's word counts against a rule's. */
const JUDGE_SHARE = 0.9;
const DISPUTED_SHARE = 0.7;

/**
 * Asks further judges about the sentences that come nearest. Where the rules are silent a sure judge decides; where both
 * speak and differ, the rules stand and count for less. A judge that fails is left out.
 */
export async function askJudges(
	judges: readonly StanceJudge[],
	claim: AtomicClaim,
	compared: readonly ComparedSentence[],
	signal: AbortSignal,
): Promise<readonly ComparedSentence[]> {
	if (judges.length === 0) return compared;
	const nearest = [...compared].sort((a, b) => b.score - a.score).slice(0, CLAIM_LIMITS.judgedMax);
	let judged = new Map(nearest.map((each) => [each.sentence.evidenceId, each]));
	for (const judge of judges) {
		const texts = nearest.map(({ sentence }) => sentence.text);
		const said = await judge.judge(claim.text, texts, signal).catch((error: unknown) => {
			signal.throwIfAborted();
			void error;
			return [];
		});
		const heard = nearest.map(({ sentence }, index) => {
			const before = judged.get(sentence.evidenceId);
			return before && weigh(before, said[index]);
		});
		judged = new Map(heard.flatMap((each) => (each ? [[each.sentence.evidenceId, each]] : [])));
	}
	return compared.map((each) => judged.get(each.sentence.evidenceId) ?? each);
}

function weigh(
	before: ComparedSentence,
	said: Awaited<ReturnType<StanceJudge["judge"]>>[number] | undefined,
): ComparedSentence {
	if (!said || said.stance === "neutral" || said.score < HEARD_LEAST) return before;
	if (before.stance === "neutral") {
		const reasons = [...before.reasons, "another judge reads it so"];
		const score = said.score * JUDGE_SHARE;
		return { ...before, stance: said.stance, score, said, reasons };
	}
	if (before.stance === said.stance)
		return { ...before, score: Math.max(before.score, said.score) };
	return { ...before, score: before.score * DISPUTED_SHARE, isDisputed: true };
}
