import { readSigns } from "./answer-signs.js";
import { type Found, namedFirst } from "./found-concepts.js";
import { decide, strengthOf } from "./judge.js";
import { type WeighedWord, weighWords } from "./query-coverage.js";
import { type RankRequest, rankConcepts, readWords } from "./ranking.js";
import { ROW_FLOOR } from "./row-collection.js";
import type { GraphPromise, RouteOutcome, RouteRequest } from "./search.js";

export interface RouteInput extends Omit<RankRequest, "words"> {
	readonly request: Pick<RouteRequest, "query" | "limit">;
	/** Words of the language, lower case: they are not taken for misspelt. */
	readonly commonWords?: ReadonlySet<string> | undefined;
}

/** Ranks all graphs together once, then judges each by its own best row. In one go: nothing awaits. */
export function routeQuery({ request, commonWords, ...input }: RouteInput): RouteOutcome {
	const { scopes, dense } = input;
	const words = readWords(request.query, scopes, commonWords);
	const { ranked } = rankConcepts({ ...input, words });
	const found = namedFirst(ranked, weighWords(words, scopes));
	const promises = groupByGraph(found).map((rows) => {
		const own = scopes.filter(({ graph }) => graph === rows[0]?.slot.scope.graph);
		return promiseOf(rows, weighWords(words, own), commonWords);
	});
	const missing = weighWords(words, scopes).filter(({ isKnown }) => !isKnown);
	return {
		graphs: promises
			.flatMap((promise) => (promise && promise.decision !== "ABSTAIN" ? [promise] : []))
			.sort(byStrength)
			.slice(0, request.limit),
		missing: missing.map(({ word }) => word.surface),
		mode: dense ? "hybrid" : "keyword",
	};
}

function promiseOf(
	rows: readonly Found[],
	weighed: readonly WeighedWord[],
	commonWords: ReadonlySet<string> | undefined,
): GraphPromise | undefined {
	const [best] = rows;
	if (!best) return undefined;
	const signs = readSigns(weighed, rows, commonWords);
	const surfaces = (isKnown: boolean) =>
		weighed.filter((known) => known.isKnown === isKnown).map(({ word }) => word.surface);
	return {
		graph: best.slot.scope.graph,
		decision: decide(signs),
		strength: strengthOf(signs),
		covered: surfaces(true),
		missing: surfaces(false),
		rows: rows.filter(({ score }) => score > 0 && score >= best.score * ROW_FLOOR).length,
	};
}

function groupByGraph(found: readonly Found[]): readonly (readonly Found[])[] {
	const groups = new Map<string, Found[]>();
	for (const row of found) {
		const { graphId } = row.slot.scope.segment;
		const group = groups.get(graphId);
		if (group) group.push(row);
		else groups.set(graphId, [row]);
	}
	return [...groups.values()];
}

function byStrength(one: GraphPromise, other: GraphPromise): number {
	const byId = one.graph.record.id < other.graph.record.id ? -1 : 1;
	return other.strength - one.strength || byId;
}
