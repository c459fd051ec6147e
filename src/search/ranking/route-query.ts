import { LIMITS } from "../../contract/contract.js";
import type { SearchScope } from "../index/index-state.js";
import { weighWords } from "../lexical/query-coverage.js";
import { readSigns } from "./answer-signs.js";
import { ROW_FLOOR } from "./find-concepts.js";
import { namedFirst } from "./found-concepts.js";
import { decide, strengthOf } from "./judge.js";
import { type DenseFindings, type RankRequest, rankConcepts, readWords } from "./ranking.js";
import type { GraphPromise, RouteOutcome, RouteRequest } from "./search-outcome.js";

export interface RouteInput extends Omit<RankRequest, "words"> {
	readonly request: Pick<RouteRequest, "query" | "limit">;
	/** Words of the language, lower case: they are not taken for misspelt. */
	readonly commonWords?: ReadonlySet<string> | undefined;
}

/**
 * Ranks and judges each graph by itself, as a search of it would. Of more graphs than may be named, those with the best rows
 * among all are judged. In one go: nothing awaits.
 */
export function routeQuery({ request, commonWords, ...input }: RouteInput): RouteOutcome {
	const { scopes, dense } = input;
	const words = readWords(request.query, scopes, commonWords);
	const missing = weighWords(words, scopes).filter(({ isKnown }) => !isKnown);
	const promises = likelyGraphs({ ...input, words }).flatMap((own) => {
		const ownDense = dense && withinScopes(dense, own);
		const promise = promiseOf({ ...input, words, scopes: own, dense: ownDense }, commonWords);
		return promise && promise.decision !== "ABSTAIN" ? [promise] : [];
	});
	return {
		graphs: promises.sort(byStrength).slice(0, request.limit),
		missing: missing.map(({ word }) => word.surface),
		mode: dense ? "hybrid" : "keyword",
	};
}

/** Parts of one graph. */
type GraphScopes = readonly SearchScope[];

function likelyGraphs({ links, ...request }: RankRequest): readonly GraphScopes[] {
	const graphs = groupByGraph(request.scopes);
	if (graphs.size <= LIMITS.routedGraphsMax) return [...graphs.values()];
	const { ranked } = rankConcepts(request);
	const ids = new Set(ranked.map(({ scope }) => scope.segment.graphId));
	return [...ids].slice(0, LIMITS.routedGraphsMax).flatMap((id) => {
		const scopes = graphs.get(id);
		return scopes ? [scopes] : [];
	});
}

function promiseOf(
	request: RankRequest,
	commonWords: ReadonlySet<string> | undefined,
): GraphPromise | undefined {
	const { words, scopes } = request;
	const { ranked } = rankConcepts(request);
	const weighed = weighWords(words, scopes);
	const rows = namedFirst(ranked, weighed);
	const [best] = rows;
	if (!best) return undefined;
	const signs = readSigns(weighed, rows, { scopes, commonWords });
	const surfaces = (isKnown: boolean) =>
		weighed.filter((known) => known.isKnown === isKnown).map(({ word }) => word.surface);
	const worthy = rows.filter(({ score }) => score > 0 && score >= best.score * ROW_FLOOR);
	return {
		graph: best.slot.scope.graph,
		decision: decide(signs),
		strength: strengthOf(signs),
		covered: surfaces(true),
		missing: surfaces(false),
		rows: Math.min(LIMITS.rowsMax, worthy.length),
	};
}

/** What the dense side found in these scopes, among the best of all. */
function withinScopes({ hits, cosineOf }: DenseFindings, scopes: GraphScopes): DenseFindings {
	const places = [...hits.slots.keys()].filter((place) => {
		const slot = hits.slots[place] ?? -1;
		return scopes.some(({ base, concepts }) => slot >= base && slot < base + concepts.length);
	});
	const slots = places.map((place) => hits.slots[place] ?? 0);
	const cosines = Float32Array.from(places, (place) => hits.cosines[place] ?? 0);
	return { hits: { ...hits, slots, cosines }, cosineOf };
}

function groupByGraph(scopes: readonly SearchScope[]): ReadonlyMap<string, GraphScopes> {
	const groups = new Map<string, SearchScope[]>();
	for (const scope of scopes) {
		const { graphId } = scope.segment;
		const group = groups.get(graphId);
		if (group) group.push(scope);
		else groups.set(graphId, [scope]);
	}
	return groups;
}

function byStrength(one: GraphPromise, other: GraphPromise): number {
	const byId = one.graph.record.id < other.graph.record.id ? -1 : 1;
	return other.strength - one.strength || byId;
}
