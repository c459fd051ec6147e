import {
	ANSWER_LIMITS,
	type Json,
	type PriceList,
	type SkillServices,
} from "../../src/contract/contract.js";
import { formatUsd } from "../../src/kernel/kernel.js";
import type { Graph } from "../../src/knowledge/knowledge.js";
import type { GraphRouter } from "../../src/search/search.js";
import { composeAnswer, readQuestion } from "../answers/answers.js";
import type { DeepDiveMode } from "./dive-state.js";

/** What each mode may do. */
export const DIVE_MODES = {
	fast: {
		rounds: 2,
		/** Looked in: those that promise most. */
		graphs: 6,
		/** Asked in each round after the first. */
		questions: 3,
		/** Concepts looked at for each part of the question, and for each next question. */
		conceptsFirst: ANSWER_LIMITS.partConcepts,
		conceptsEach: 6,
		/** New passages that are read for each next question. */
		passagesEach: 8,
		/** Pairs of a part and a passage that the judge reads in the first round and in each next one, and in all from which on there is none. */
		firstPairs: 120,
		roundPairs: 120,
		pairs: 400,
		/** What the passages of the report may take together. */
		tokens: 2_000,
	},
	comprehensive: {
		rounds: 6,
		graphs: Number.POSITIVE_INFINITY,
		questions: 6,
		conceptsFirst: 20,
		conceptsEach: 8,
		passagesEach: 10,
		firstPairs: 250,
		roundPairs: 150,
		pairs: 4_000,
		tokens: 4_000,
	},
} as const;

/** What a mode does, in a sentence for readers. */
export function describeMode(mode: DeepDiveMode): string {
	const { rounds, graphs, questions, tokens } = DIVE_MODES[mode];
	const where = Number.isFinite(graphs) ? `the ${graphs} graphs that promise most` : "all graphs";
	return `${mode}: up to ${rounds} rounds over ${where}, the parts of the question first, then up to ${questions} next questions a round; at most ${tokens.toLocaleString("en")} tokens of evidence.`;
}

export const PASSES_OF: Readonly<Record<DeepDiveMode, readonly string[]>> = {
	fast: ["plan", ...roundNames(DIVE_MODES.fast.rounds), "write"],
	comprehensive: ["plan", ...roundNames(DIVE_MODES.comprehensive.rounds), "feeds", "write"],
};

function roundNames(count: number): readonly string[] {
	return Array.from({ length: count }, (_, at) => `round_${at + 1}`);
}

/** What will be done for a question, and where: nothing of any graph's content. */
export interface DeepDivePlan {
	/** The question and its parts, which the first round asks. */
	readonly aspects: readonly { readonly question: string; readonly purpose: string }[];
	/** Graphs that promise something, strongest first. */
	readonly graphIds: readonly string[];
	readonly passes: readonly string[];
	/** Words of the question that no graph covers. */
	readonly missing: readonly string[];
}

interface PlanRequest extends Pick<DeepDivePlanRequest, "query" | "mode"> {
	/** Graphs it is confined to. */
	readonly graphs: readonly Graph[];
	readonly signal: AbortSignal;
}

const GRAPHS_NAMED = 12;

/** Splits a question into what must be found to answer it. Deterministic: the same question over the same graphs gives the same plan. */
export async function makePlan(router: GraphRouter, request: PlanRequest): Promise<DeepDivePlan> {
	const { query, mode, graphs, signal } = request;
	const limit = Math.min(GRAPHS_NAMED, DIVE_MODES[mode].graphs);
	const routed = await router.route({ graphs, query, limit, signal });
	const aspects = readQuestion(query).parts.map(({ question }, place) => ({
		question,
		purpose: place === 0 ? "The question as it was asked." : "A part of the question.",
	}));
	return {
		aspects,
		graphIds: routed.graphs.map(({ graph }) => graph.record.id),
		passes: PASSES_OF[mode],
		missing: routed.missing,
	};
}

export interface DeepDivePlanRequest {
	readonly query: string;
	readonly mode: DeepDiveMode;
	readonly graphs?: readonly string[] | undefined;
}

/** What each mode is priced as. */
export const SOLD_AS = {
	fast: "research.deep_dive",
	comprehensive: "research.deep_dive.comprehensive",
} as const;

/** What a deep dive would ask, where, in which passes and for how much; keeps nothing, reveals no content. */
export function createDeepDivePlans({
	catalog,
	search,
	prices,
}: Pick<SkillServices, "catalog" | "search"> & { readonly prices: PriceList }) {
	/** Throws NOT_FOUND for an unknown graph. */
	return async (request: DeepDivePlanRequest, signal: AbortSignal): Promise<Json> => {
		const { query, mode, graphs: ids } = request;
		const graphs = ids ? ids.map((id) => catalog.get(id)) : catalog.list();
		const { aspects, graphIds, passes, missing } = await makePlan(search, {
			...{ query, mode, graphs, signal },
		});
		const { verdict } = await composeAnswer(search, {
			question: query,
			graphs: chooseGraphs(graphs, { mode, graphIds }),
			tokens: ANSWER_LIMITS.tokens,
			conceptsMax: DIVE_MODES[mode].conceptsFirst,
			signal,
		});
		const { amountMicros, billingType } = prices.priceOf(SOLD_AS[mode], subjectOf(ids));
		return {
			...{ query, mode, aspects, graphs: graphIds, passes, missing },
			would_answer: verdict !== "not_in_graphs",
			mode_text: describeMode(mode),
			price_usd: formatUsd(amountMicros),
			billing_type: billingType,
			operation: SOLD_AS.fast,
		};
	};
}

/** A dive that is confined to one graph costs what it costs there. */
function subjectOf(ids: readonly string[] | undefined) {
	const [graphId, ...others] = new Set(ids);
	return graphId !== undefined && others.length === 0 ? { graphId } : undefined;
}

/** Where a dive of a mode looks: in those of its plan, or in all it is confined to. */
export function chooseGraphs(
	graphs: readonly Graph[],
	{ mode, graphIds }: { readonly mode: DeepDiveMode } & Pick<DeepDivePlan, "graphIds">,
): readonly Graph[] {
	const planned = graphs.filter(({ record }) => graphIds.includes(record.id));
	return planned.length > 0 && Number.isFinite(DIVE_MODES[mode].graphs) ? planned : graphs;
}
