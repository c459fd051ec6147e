import { READING_LIMITS } from "../../../src/contract/contract.js";
import type { Graph } from "../../../src/knowledge/knowledge.js";
import { type GraphMap, mapOf, placeOf } from "./graph-map.js";
import { countStepsTo, findShortestWay, type Way, type WayRequest } from "./shortest-path.js";
import { createWalk, lengthOf, type Step, toStep, type WalkOptions } from "./walk.js";

export interface PathOptions extends WalkOptions {
	/** Paths wanted, `READING_LIMITS.pathsMax` at most. */
	readonly count: number;
	/** Edges per path, `READING_LIMITS.pathStepsMax` at most. */
	readonly stepsMax: number;
}

export interface Path {
	readonly steps: readonly Step[];
	/** Sum of the lengths of its edges, each one over its weight. */
	readonly length: number;
}

export interface Paths {
	/** Shortest first; no concept twice in one path, no path twice. */
	readonly items: readonly Path[];
	/** False when the bound on work was met before it was certain that there are no more, or no better ones. */
	readonly isComplete: boolean;
}

/** The k shortest simple paths between two concepts (Yen 1971, with Lawler's saving). Throws NOT_FOUND. */
export function findPaths(
	graph: Graph,
	{ from, to }: { readonly from: string; readonly to: string },
	{ count, stepsMax, ...options }: PathOptions,
): Paths {
	const map = mapOf(graph);
	const start = placeOf(graph, from);
	const goal = placeOf(graph, to);
	if (start === goal) return { items: [], isComplete: true };
	const look = createWalk(map, options, READING_LIMITS.pathEdgesVisited / 2);
	const walk = createWalk(map, options, READING_LIMITS.pathEdgesVisited / 2);
	const ways = findWays(
		{
			map,
			walk,
			start,
			goal,
			stepsMax,
			stepsToGoal: countStepsTo({ start, goal, walk: look, stepsMax }),
			lengthMin: shortestEdgeOf(map),
		},
		count,
	);
	const items = ways.map(({ edges, length }) => ({
		steps: edges.map(({ edge, direction }) => toStep(map, edge, direction)),
		length,
	}));
	return { items, isComplete: !walk.isSpent() };
}

/** A way, and where it left the one it was made from: earlier spurs have been tried. */
interface Candidate {
	readonly way: Way;
	readonly spurFrom: number;
}

function findWays(request: WayRequest, count: number): readonly Way[] {
	const shortest = findShortestWay(request);
	if (!shortest) return [];
	const accepted: Way[] = [];
	const known = new Set([keyOf(shortest)]);
	let candidates: Candidate[] = [{ way: shortest, spurFrom: 0 }];
	for (;;) {
		const [best, ...others] = candidates;
		if (!best) return accepted;
		accepted.push(best.way);
		if (accepted.length === count) return accepted;
		candidates = others;
		for (let at = best.spurFrom; at < best.way.edges.length; at++) {
			const way = findSpur(request, accepted, best.way, at);
			if (!way || known.has(keyOf(way))) continue;
			known.add(keyOf(way));
			candidates.push({ way, spurFrom: at });
		}
		candidates.sort((a, b) => compareWays(a.way, b.way));
	}
}

/** The shortest way that shares the first `at` steps of `base` and then leaves all accepted ones. */
function findSpur(
	request: WayRequest,
	accepted: readonly Way[],
	base: Way,
	at: number,
): Way | undefined {
	const root = base.places.slice(0, at + 1);
	const spur = root.at(-1) ?? request.start;
	const rootKey = root.join(" ");
	const left = new Set(
		accepted
			.filter(({ places }) => places.slice(0, at + 1).join(" ") === rootKey)
			.map(({ places }) => places[at + 1]),
	);
	const passed = new Set(root);
	const tail = findShortestWay({
		...request,
		start: spur,
		stepsMax: request.stepsMax - at,
		isBarred: (from, to) => passed.has(to) || (from === spur && left.has(to)),
	});
	if (!tail) return undefined;
	const rootEdges = base.edges.slice(0, at);
	const rootLength = rootEdges.reduce((sum, { edge }) => {
		const known = request.map.edges[edge];
		return sum + (known ? lengthOf(known) : 1);
	}, 0);
	return {
		places: [...root, ...tail.places.slice(1)],
		edges: [...rootEdges, ...tail.edges],
		length: rootLength + tail.length,
	};
}

function compareWays(a: Way, b: Way): number {
	return (
		a.length - b.length || a.edges.length - b.edges.length || comparePlaces(a.places, b.places)
	);
}

function comparePlaces(a: readonly number[], b: readonly number[]): number {
	const at = a.findIndex((place, index) => place !== b[index]);
	return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function keyOf({ places }: Way): string {
	return places.join(" ");
}

const shortestEdges = new WeakMap<GraphMap, number>();

function shortestEdgeOf(map: GraphMap): number {
	const known = shortestEdges.get(map);
	if (known !== undefined) return known;
	const shortest = map.edges.reduce((least, edge) => Math.min(least, lengthOf(edge)), 1);
	shortestEdges.set(map, shortest);
	return shortest;
}
