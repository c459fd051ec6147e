import { toKeyPart } from "../../../src/contract/contract.js";
import { compareText, type Graph } from "../../../src/knowledge/knowledge.js";
import { conceptAt, type GraphMap, mapOf, placeOf } from "./graph-map.js";
import { firstWhere } from "./sorted-search.js";
import { type Step, toEdgeTest, toStep } from "./walk.js";

export interface EdgeQuery {
	readonly types?: readonly string[] | undefined;
	/** Concept the edge starts at, or ends at. */
	readonly source?: string | undefined;
	readonly target?: string | undefined;
	/** `YYYY-MM-DD`: only edges that held on this day. */
	readonly asOf?: string | undefined;
	readonly weightMin?: number | undefined;
	/** Source, type and target of the edge the list goes on behind; it need not exist any more. */
	readonly after?: readonly string[] | undefined;
	readonly limit: number;
}

export interface EdgePage {
	/** By source, type and target; every step goes "out". */
	readonly items: readonly Step[];
	readonly hasMore: boolean;
}

/** Edges of a graph, page by page. Throws NOT_FOUND for a source or target that does not exist. */
export function listEdges(graph: Graph, query: EdgeQuery): EdgePage {
	const map = mapOf(graph);
	const { source, target, weightMin = 0, limit } = query;
	const from = source === undefined ? undefined : placeOf(graph, source);
	const into = target === undefined ? undefined : placeOf(graph, target);
	const isWanted = toEdgeTest(query);
	const candidates = candidatesOf(map, { from, into });
	const start = startBehind(map, candidates, query.after);
	const items: Step[] = [];
	for (let at = start; at < candidates.count; at++) {
		const edge = candidates.edgeAt(at);
		const known = map.edges[edge];
		if (!known || known.weight < weightMin || !isWanted(known)) continue;
		if (into !== undefined && map.targets[edge] !== into) continue;
		if (items.length === limit) return { items, hasMore: true };
		items.push(toStep(map, edge, "out"));
	}
	return { items, hasMore: false };
}

/** The key of an edge in the list, for a cursor. */
export function keyOfEdge({ from, edge, to }: Step): readonly string[] {
	return [from.id, toKeyPart(edge.type), to.id];
}

interface Candidates {
	readonly count: number;
	/** Ascending, as edges are in the order of the list already. */
	readonly edgeAt: (at: number) => number;
}

function candidatesOf(
	map: GraphMap,
	{ from, into }: { readonly from: number | undefined; readonly into: number | undefined },
): Candidates {
	if (from !== undefined) {
		const start = map.outStart[from] ?? 0;
		return { count: (map.outStart[from + 1] ?? 0) - start, edgeAt: (at) => start + at };
	}
	if (into !== undefined) {
		const start = map.inStart[into] ?? 0;
		const count = (map.inStart[into + 1] ?? 0) - start;
		return { count, edgeAt: (at) => map.inEdges[start + at] ?? 0 };
	}
	return { count: map.edges.length, edgeAt: (at) => at };
}

function startBehind(
	map: GraphMap,
	{ count, edgeAt }: Candidates,
	after: EdgeQuery["after"],
): number {
	if (!after) return 0;
	const [source = "", type = "", target = ""] = after;
	return firstWhere(count, (at) => {
		const edge = edgeAt(at);
		const known = map.edges[edge];
		const order =
			compareText(conceptAt(map, map.sources[edge] ?? 0).id, source) ||
			compareText(toKeyPart(known?.type ?? ""), type) ||
			compareText(known?.target ?? "", target);
		return order > 0;
	});
}
