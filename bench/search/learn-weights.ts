import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { RANK_WEIGHTS, type RankWeights } from "../../src/search/ranking/ranking.js";
import { round } from "../figures.js";
import { ndcgAt } from "./metrics.js";
import { createOurIndex } from "./our-index.js";
import type { QuestionSet } from "./question-set.js";

/** Where learning starts and what it is pulled back to: one even share for both sides, no graph. */
const START: RankWeights = { denseAtZero: 0.5, densePerCosine: 0, identifierShift: 0.4, graph: 0 };
const STEPS: Readonly<Record<keyof RankWeights, readonly number[]>> = {
	denseAtZero: [0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6],
	densePerCosine: [0, 0.2, 0.4, 0.6, 0.8],
	identifierShift: [0, 0.2, 0.4, 0.6],
	graph: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
};
/** A weight moves only for a gain: so much of the goal for each unit it is away from the start. */
const SHRINKAGE = 0.001;
const ROUNDS = 2;
const CUTOFF = 10;

export interface LearnedWeights {
	readonly weights: RankWeights;
	/** Mean nDCG@10 over all questions with an answer: learned, as shipped, and at the start. */
	readonly learned: number;
	readonly shipped: number;
	readonly start: number;
}

/** One weight after the other, pairs of the first two together, until none moves: there are too few questions for more. */
export async function learnWeights(
	set: QuestionSet,
	model: ModelLocation,
): Promise<LearnedWeights> {
	const answerable = set.questions.filter(({ grades }) => grades.size > 0);
	const ours = await createOurIndex(set, model);
	const goalOf = (weights: RankWeights): number => {
		let sum = 0;
		for (const question of answerable) {
			sum += ndcgAt(CUTOFF, ours.linked(question, weights), question.grades);
		}
		return sum / answerable.length;
	};
	const worthOf = (weights: RankWeights) => goalOf(weights) - SHRINKAGE * distance(weights);
	let best = { weights: START, value: worthOf(START) };
	for (let turn = 0; turn < ROUNDS; turn++) {
		for (const change of changes()) {
			const weights = { ...best.weights, ...change };
			const value = worthOf(weights);
			if (value > best.value) best = { weights, value };
		}
	}
	const score = (weights: RankWeights) => round(goalOf(weights), 4);
	return {
		weights: best.weights,
		learned: score(best.weights),
		shipped: score(RANK_WEIGHTS),
		start: score(START),
	};
}

/** The dense share's offset and slope only make sense together. */
function changes(): readonly Partial<RankWeights>[] {
	const lines = STEPS.denseAtZero.flatMap((denseAtZero) =>
		STEPS.densePerCosine.map((densePerCosine) => ({ denseAtZero, densePerCosine })),
	);
	const others = [
		...STEPS.graph.map((graph) => ({ graph })),
		...STEPS.identifierShift.map((identifierShift) => ({ identifierShift })),
	];
	return [...others, ...lines];
}

function distance(weights: RankWeights): number {
	const keys = Object.keys(START) as (keyof RankWeights)[];
	return keys.reduce((sum, key) => sum + Math.abs(weights[key] - START[key]), 0);
}
