import { createBestOf, createMomentum, type Momentum } from "../../src/evidence/evidence.js";
import {
	type Concept,
	compareText,
	type Graph,
	runInTurns,
	type Steps,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { type ConceptFilter, toConceptTest } from "../../src/search/search.js";

export interface Trend {
	readonly trendId: string;
	readonly graph: Graph;
	readonly concept: Concept;
	readonly momentum: Momentum;
}

/** Where a trend stands in the list. */
export interface TrendPlace {
	readonly score: number;
	readonly trendId: string;
}

export interface TrendQuery {
	readonly graphs: readonly Graph[];
	readonly filter: ConceptFilter;
	/** `YYYY-MM-DD`. */
	readonly asOf: string;
	/** The list goes on behind this place, whether something stands there or not. */
	readonly after?: TrendPlace | undefined;
	readonly limit: number;
}

export interface TrendPage {
	readonly items: readonly Trend[];
	readonly hasMore: boolean;
}

/** Trends by momentum, the greatest first, then by id. */
export async function listTrends(query: TrendQuery): Promise<TrendPage> {
	const found = await runInTurns(findTrends(query));
	return { items: found.slice(0, query.limit), hasMore: found.length > query.limit };
}

function* findTrends({ graphs, filter, asOf, after, limit }: TrendQuery): Steps<readonly Trend[]> {
	const momentumOf = createMomentum(asOf);
	const best = createBestOf<Trend>(limit + 1, (a, b) => comparePlaces(placeOf(a), placeOf(b)));
	for (const graph of graphs) {
		const isWanted = toConceptTest(filter, graph);
		if (!isWanted) continue;
		for (const concept of graph.concepts) {
			yield;
			if (!isWanted(concept)) continue;
			const trendId = toTrendId(graph.record.id, concept.id);
			const trend = { trendId, graph, concept, momentum: momentumOf(concept.evidence) };
			if (!after || comparePlaces(placeOf(trend), after) > 0) best.add(trend);
		}
	}
	return best.inOrder();
}

function placeOf({ trendId, momentum }: Trend): TrendPlace {
	return { trendId, score: momentum.score };
}

function comparePlaces(a: TrendPlace, b: TrendPlace): number {
	return b.score - a.score || compareText(a.trendId, b.trendId);
}
