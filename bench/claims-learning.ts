import { type ConfidenceSigns, toLogOdds } from "../skills/verify/claims/claim-parts.js";
import type {
	StanceFeature,
	StanceFeatures,
	StanceWeights,
} from "../skills/verify/claims/stance-weighing.js";
import { mayRefute, maySupport } from "../skills/verify/claims/stance-weighing.js";
import type { FeaturedClaim } from "./claims-fit.js";
import { type Example, fitLogistic, probabilityOf } from "./search/logistic-fit.js";

type Side = "supports" | "refutes";
type Signs = Readonly<Partial<Record<StanceFeature, 1 | -1>>>;

/** Which way each feature may count: what we know of it, so that few claims suffice. */
const SIGNS: Readonly<Record<Side, Signs>> = {
	supports: {
		...{
			met: 1,
			topic: 1,
			news: 1,
			same: 1,
			lacking: -1,
			returned: 1,
			names: 1,
			figures: 1,
			order: 1,
			tail: 1,
		},
		...{
			hasFigures: 1,
			bothDeny: -1,
			denial: -1,
			opposite: -1,
			rival: -1,
			figure: -1,
			quantity: -1,
			unevenDenial: -1,
		},
		...{
			turned: -1,
			objection: -1,
			ruleSupports: 1,
			ruleRefutes: -1,
			metBelowBest: 1,
			topicBelowBest: 1,
		},
		...{ rankBelowFirst: 1, agreedCover: 1, clashCover: -1, conflictCover: -1 },
	},
	refutes: {
		...{
			met: 1,
			topic: 1,
			news: 1,
			same: 1,
			lacking: -1,
			returned: 1,
			names: 1,
			order: 1,
			tail: 1,
			bothDeny: -1,
		},
		...{
			hasFigures: 1,
			denial: 1,
			opposite: 1,
			rival: 1,
			figure: 1,
			quantity: 1,
			unevenDenial: 1,
			turned: 1,
		},
		...{
			refutalObjection: -1,
			ruleRefutes: 1,
			ruleSupports: -1,
			metBelowBest: 1,
			topicBelowBest: 1,
		},
		...{
			rankBelowFirst: 1,
			namedElsewhere: -1,
			clashCover: 1,
			turnedCover: 1,
			conflictCover: 1,
			denialCover: 1,
		},
		...{ figureCover: 1, rivalCover: 1, twiceTurned: -1, agreedCover: -1 },
	},
};
const LABELS = { supports: "SUPPORTED", refutes: "REFUTED" } as const;
const RIDGE = 10;
const TURNS = 5;
/** Sentences of a claim of another label that count as examples of what is not meant. */
const OTHERS = 4;

/**
 * No one says which sentence decides a claim: of a claim with the label the likeliest sentence of the deciding concept is
 * taken, by the weights so far, and the likeliest ones of all other claims stand against it; again until it settles
 * (multiple-instance learning, Dietterich and others, 1997).
 */
export function fitStances(claims: readonly FeaturedClaim[]): Record<Side, StanceWeights> {
	return { supports: fitSide(claims, "supports"), refutes: fitSide(claims, "refutes") };
}

function fitSide(claims: readonly FeaturedClaim[], side: Side): StanceWeights {
	const names = Object.keys(SIGNS[side]) as StanceFeature[];
	const may = side === "supports" ? maySupport : mayRefute;
	let score = startOf(side);
	let fitted: StanceWeights = { bias: 0, weights: {} };
	for (let turn = 0; turn < TURNS; turn++) {
		const examples = claims.flatMap((claim) => examplesOf(claim, { side, names, may, score }));
		const signs = names.map((name) => SIGNS[side][name] ?? 1);
		const { bias, weights } = fitLogistic(examples, { signs, ridge: RIDGE });
		const entries = names.map((name, at) => [name, weights[at] ?? 0] as const);
		fitted = { bias, weights: Object.fromEntries(entries) };
		score = (features) =>
			entries.reduce((sum, [name, weight]) => sum + weight * features[name], bias);
	}
	const kept = Object.entries(fitted.weights).map(
		([name, weight]) => [name, Math.round(weight * 1000) / 1000] as const,
	);
	return {
		bias: Math.round(fitted.bias * 1000) / 1000,
		weights: Object.fromEntries(kept.filter(([, weight]) => weight !== 0)),
	};
}

interface Choice {
	readonly side: Side;
	readonly names: readonly StanceFeature[];
	readonly may: (features: StanceFeatures) => boolean;
	readonly score: (features: StanceFeatures) => number;
}

function examplesOf(
	{ labelled, sentences, isOwn }: FeaturedClaim,
	{ side, names, may, score }: Choice,
): readonly Example[] {
	if (labelled.verdict === "CONFLICTING") return [];
	const isMeant = labelled.verdict === LABELS[side];
	const open = sentences.filter(
		(features, at) => may(features) && (!isMeant || isOwn[at] || !isOwn.includes(true)),
	);
	const chosen = [...open].sort((a, b) => score(b) - score(a)).slice(0, isMeant ? 1 : OTHERS);
	return chosen.map((features) => ({
		features: names.map((name) => features[name]),
		target: isMeant ? 1 : 0,
		weight: 1 / chosen.length,
	}));
}

/** What rules alone would take first. */
function startOf(side: Side): (features: StanceFeatures) => number {
	const sign = side === "supports" ? -1 : 1;
	return ({ met, ruleSupports, ruleRefutes, conflictCover }) =>
		met + (side === "supports" ? ruleSupports : ruleRefutes) + (sign * conflictCover) / 2;
}

export interface ConfidenceFit {
	readonly bias: number;
	readonly best: number;
	readonly against: number;
	readonly agreed: number;
}

export interface Outcome extends ConfidenceSigns {
	readonly isRight: boolean;
}

/** How often a verdict is right, from the log odds of the best sentence for it and against it, and whether rules agree. */
export function fitConfidence(outcomes: readonly Outcome[]): ConfidenceFit {
	const examples = outcomes.map((outcome) => ({
		features: featuresOf(outcome),
		target: Number(outcome.isRight),
		weight: 1,
	}));
	const { bias, weights } = fitLogistic(examples, { signs: [1, -1, 1], ridge: 1 });
	const [best = 0, against = 0, agreed = 0] = weights;
	return { bias, best, against, agreed };
}

export function confidenceIn(fit: ConfidenceFit, signs: ConfidenceSigns): number {
	const weights = [fit.best, fit.against, fit.agreed];
	return probabilityOf({ bias: fit.bias, weights }, featuresOf(signs));
}

function featuresOf({ best, against, isAgreed }: ConfidenceSigns): readonly number[] {
	return [toLogOdds(best), toLogOdds(against), Number(isAgreed)];
}
