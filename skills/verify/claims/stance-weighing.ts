import type { Stance } from "../../../src/contract/contract.js";
import type { RankedSentence } from "../../../src/evidence/evidence.js";
import { type Concept, type Steps, stepsOf } from "../../../src/knowledge/knowledge.js";
import type { StanceSigns } from "./alignment-gates.js";
import { toDateSpan } from "./date-spans.js";
import { examineReadings } from "./stance-comparator.js";
import { type ReadContext, readCatalogContext, readCatalogText, readText } from "./text-reading.js";
import {
	type AtomicClaim,
	CLAIM_LIMITS,
	type ComparedSentence,
	type Comparison,
	roundScore,
	type StanceJudge,
} from "./verification.js";

/** What a sentence is weighed by: what was measured of it, what the rules say, and how it stands among the others. */
export type StanceFeatures = Readonly<ReturnType<typeof toFeatures>[number]>;
export type StanceFeature = keyof StanceFeatures;

/** The features of all sentences that were found for one claim. */
export function toFeatures(measured: readonly MeasuredSentence[]) {
	const maxOf = (read: (one: MeasuredSentence) => number) => Math.max(0, ...measured.map(read));
	const top = {
		met: maxOf(({ signs }) => signs.met),
		topic: maxOf(({ signs }) => signs.topic),
		rank: maxOf(({ sentence }) => sentence.score),
		named: maxOf(({ signs }) => (signs.names >= 1 ? signs.topic : 0)),
	};
	return measured.map(({ signs, comparison, sentence }) => {
		const { stance, score } = comparison;
		return {
			...signs,
			ruleSupports: stance === "supports" ? score : 0,
			ruleRefutes: stance === "refutes" ? score : 0,
			metBelowBest: signs.met - top.met,
			topicBelowBest: signs.topic - top.topic,
			rankBelowFirst: sentence.score - top.rank,
			// How much better another sentence, one that has the claim's names, fits.
			namedElsewhere: signs.rival > 0 ? top.named - signs.topic : 0,
			...crossed(signs),
		};
	});
}

const TURNED_LEAST = 0.34;
const UNEVEN = 0.6;

/** A difference counts by how much of the claim comes back beside it. */
function crossed(signs: StanceSigns) {
	const { lacking, news, turned, denial, opposite, figure, rival, quantity, unevenDenial } = signs;
	// Words alone are not all: a claim may be made of names and a date.
	const cover = (1 - lacking + signs.topic) / 2;
	const conflict = Math.max(denial, opposite, rival, figure, quantity);
	const isTurned = turned >= TURNED_LEAST ? 1 : 0;
	const clash = Math.max(denial, opposite, isTurned, UNEVEN * unevenDenial);
	return {
		agreedCover: (1 - clash) * (1 - conflict) * signs.met,
		clashCover: clash * cover * (0.5 + 0.5 * news),
		turnedCover: turned * cover,
		conflictCover: conflict * cover,
		denialCover: Math.max(denial, opposite) * (signs.same + signs.alike),
		figureCover: figure * signs.same,
		rivalCover: rival * signs.same,
		// An opposite and a denial at once: as a rule they cancel.
		twiceTurned: Number(opposite > 0 && denial > 0),
	};
}

/** A sentence that was found for a claim, with what the rules say to it and what was measured. */
export type MeasuredSentence = ReturnType<typeof examineReadings> & {
	readonly sentence: RankedSentence;
};

/** Holds a claim against each sentence, in the light of its concept and of the sentences around it. */
export function* measureSentences(
	claim: AtomicClaim,
	sentences: readonly RankedSentence[],
	unknown: readonly string[],
): Steps<readonly MeasuredSentence[]> {
	const reading = readText(claim.text);
	const stepsOfOne = Math.ceil(reading.text.length / CLAIM_LIMITS.charsPerStep);
	const contexts = new Map<Concept, ReadContext>();
	const measured: MeasuredSentence[] = [];
	for (const sentence of sentences) {
		yield* stepsOf(stepsOfOne);
		const { concept, sources, text } = sentence;
		const context = contexts.get(concept) ?? contextOf(sentence, sentences, unknown);
		contexts.set(concept, context);
		const dates = sources.flatMap(({ publishedAt, datePrecision }) =>
			publishedAt === undefined ? [] : [toDateSpan(publishedAt, datePrecision ?? "day")],
		);
		measured.push({ sentence, ...examineReadings(reading, readCatalogText(text), context, dates) });
	}
	return measured;
}

function contextOf(
	{ concept, graph }: RankedSentence,
	sentences: readonly RankedSentence[],
	unknown: readonly string[],
): ReadContext {
	const around = sentences.filter((other) => other.concept === concept).map(({ text }) => text);
	const names = [concept.title, ...concept.aliases];
	return readCatalogContext({ names, domain: graph.record.title, around, unknown });
}

/** Of a logistic model: log odds = bias + the sum of weight × feature. */
export interface StanceWeights {
	readonly bias: number;
	readonly weights: Readonly<Partial<Record<StanceFeature, number>>>;
}

/** Fitted by `npm run bench -- claims-fit` to the labelled claims that README.md of bench/labelled calls seen (docs/adr/0043). */
export const STANCE_WEIGHTS: Readonly<Record<"supports" | "refutes", StanceWeights>> = {
	supports: {
		bias: 0.465,
		weights: {
			news: 0.269,
			same: 0.501,
			lacking: -0.595,
			returned: 1.595,
			hasFigures: 0.618,
			opposite: -1.373,
			rival: -2,
			figure: -1.232,
			quantity: -1.917,
			objection: -0.178,
			ruleSupports: 0.514,
			ruleRefutes: -2.513,
			metBelowBest: 3.371,
			topicBelowBest: 2.036,
			rankBelowFirst: 3.919,
			conflictCover: -1.005,
		},
	},
	refutes: {
		bias: -3.331,
		weights: {
			met: 1.071,
			topic: 1.194,
			news: 0.388,
			same: 0.391,
			returned: 0.465,
			names: 0.436,
			order: 0.674,
			tail: 0.094,
			bothDeny: -0.797,
			opposite: 0.297,
			rival: 0.015,
			figure: 0.181,
			quantity: 0.028,
			refutalObjection: -0.04,
			ruleRefutes: 1.962,
			ruleSupports: -0.71,
			metBelowBest: 2.237,
			topicBelowBest: 0.16,
			rankBelowFirst: 5.469,
			namedElsewhere: -2.407,
			clashCover: 0.325,
			conflictCover: 0.695,
			twiceTurned: -0.805,
			agreedCover: -1.914,
		},
	},
};

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
	const score = roundScore(Math.max(supports, refutes));
	const least = rules.stance === stance ? BEARS_LEAST.ruled : BEARS_LEAST.weighed;
	if (score < least) {
		return { stance: "neutral", score: Math.min(rules.score, BEARS_LEAST.weighed), reasons };
	}
	if (rules.stance === stance) return { stance, score, reasons };
	const weighed = stance === "supports" ? "bears it out" : "denies it";
	return { stance, score, reasons: [...reasons, `all in all ${weighed}`] };
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
