import {
	contentTerms,
	contentWords,
	coverageOf,
	toCitedSentences,
} from "../../src/evidence/evidence.js";
import {
	type Graph,
	type GraphCatalog,
	runInTurns,
	type Steps,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import type { HybridSearch } from "../../src/search/search.js";
import { findNeighbors, graphMaps } from "../graphs/graphs.js";
import type { Aspect } from "./plan.js";
import {
	conceptOf,
	type DeepDiveState,
	type FoundConcept,
	mergeFound,
	mergeSentences,
	type ReadSentence,
} from "./state.js";

export interface GatheringDeps {
	readonly search: HybridSearch;
	readonly catalog: GraphCatalog;
}

export interface GatheringLimits {
	/** Concepts looked at for each aspect. */
	readonly perAspect: number;
	/** Concepts and sentences remembered in all. */
	readonly concepts: number;
	readonly sentences: number;
	/** Concepts whose surroundings are followed. */
	readonly followed: number;
}

/** Concepts for each aspect of the plan. */
export async function searchAspects(
	deps: GatheringDeps,
	state: DeepDiveState,
	{
		aspects,
		limits,
		signal,
		onFound,
	}: {
		readonly aspects: readonly { readonly aspect: Aspect; readonly place: number }[];
		readonly limits: GatheringLimits;
		readonly signal: AbortSignal;
		readonly onFound: (aspect: Aspect, concepts: number) => void;
	},
): Promise<DeepDiveState> {
	const graphs = graphsOf(deps.catalog, state);
	let { found, mode } = state;
	const answered = new Set(state.answered);
	for (const { aspect, place } of aspects) {
		signal.throwIfAborted();
		const query = aspect.question;
		const { rows, mode: used } = await deps.search.find({
			graphs,
			query,
			limit: limits.perAspect,
			signal,
		});
		mode = mode === "keyword" ? mode : used;
		const now = rows.map(({ graph, concept, score }) => ({
			trendId: toTrendId(graph.record.id, concept.id),
			score,
			aspects: [place],
		}));
		onFound(aspect, now.length);
		if (now.length > 0) answered.add(place);
		found = mergeFound(found, now, limits.concepts);
	}
	return { ...state, found, answered: [...answered], ...(mode && { mode }) };
}

/** The sentences of what was found and not read yet, rated for the question and the aspect each bears on most. */
export async function readFound(
	{ catalog }: GatheringDeps,
	state: DeepDiveState,
	{ limits, signal }: { readonly limits: GatheringLimits; readonly signal: AbortSignal },
): Promise<DeepDiveState> {
	const read = new Set(state.readConcepts);
	const unread = state.found.filter(({ trendId }) => !read.has(trendId));
	const now = await runInTurns(rateSentences(catalog, state, unread), signal);
	return {
		...state,
		readConcepts: [...state.readConcepts, ...unread.map(({ trendId }) => trendId)],
		sentences: mergeSentences(state.sentences, now, limits.sentences),
	};
}

/** How much the question's own words count in a sentence, its aspect's, and how well its concept was found. */
const WEIGHTS = { question: 0.4, aspect: 0.25, concept: 0.35 } as const;

function* rateSentences(
	catalog: GraphCatalog,
	{ input, plan }: DeepDiveState,
	concepts: readonly FoundConcept[],
): Steps<readonly ReadSentence[]> {
	const asked = contentWords(input.query);
	const aspects = (plan?.aspects ?? []).map(({ question }) => contentWords(question));
	const rated: ReadSentence[] = [];
	for (const found of concepts) {
		yield;
		const known = conceptOf(catalog, found.trendId);
		if (!known) continue;
		const title = contentTerms(known.concept.title);
		for (const { evidenceId, text } of toCitedSentences(known.graph, known.concept)) {
			const terms = new Set([...contentTerms(text), ...title]);
			const covered = found.aspects.map((place) => coverageOf(aspects[place] ?? [], terms));
			const score =
				WEIGHTS.question * coverageOf(asked, terms) +
				WEIGHTS.aspect * Math.max(0, ...covered) +
				WEIGHTS.concept * found.score;
			rated.push({ evidenceId, score, aspects: found.aspects });
		}
	}
	return rated;
}

/** What a neighbor's score loses with each edge. */
const STEP_SHARE = 0.5;
const NEIGHBORS_EACH = 6;

/** Concepts around the best ones, along the edges of their graphs. */
export async function followGraph(
	{ catalog }: GatheringDeps,
	state: DeepDiveState,
	{ limits, signal }: { readonly limits: GatheringLimits; readonly signal: AbortSignal },
): Promise<DeepDiveState> {
	const around: FoundConcept[] = [];
	for (const { trendId, score, aspects } of state.found.slice(0, limits.followed)) {
		signal.throwIfAborted();
		const known = conceptOf(catalog, trendId);
		if (!known) continue;
		await graphMaps.ready(known.graph);
		const near = findNeighbors(known.graph, known.concept.id, {
			depth: 1,
			limit: NEIGHBORS_EACH,
			direction: "both",
		});
		for (const { concept, weight } of near.items) {
			const id = toTrendId(known.graph.record.id, concept.id);
			around.push({ trendId: id, score: score * STEP_SHARE * Math.min(1, weight), aspects });
		}
	}
	return { ...state, found: mergeFound(state.found, around, limits.concepts) };
}

/** Where a deep dive looks: the graphs it is confined to, else those of its plan, else all. */
export function graphsOf(catalog: GraphCatalog, { input, plan }: DeepDiveState): readonly Graph[] {
	if (input.graphs) return input.graphs.flatMap((id) => catalog.find(id) ?? []);
	const planned = (plan?.graphIds ?? []).flatMap((id) => catalog.find(id) ?? []);
	return planned.length > 0 ? planned : catalog.list();
}
