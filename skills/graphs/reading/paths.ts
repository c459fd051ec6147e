import type { z } from "zod";
import { READING_LIMITS } from "../../../src/contract/contract.js";
import type { Graph } from "../../../src/knowledge/knowledge.js";
import type { pathsInput } from "../graph-wire.js";
import { type GraphMap, mapOf, placeOf } from "./graph-map.js";
import { createLeastFirst } from "./sorting.js";
import {
	type BoundedWalk,
	createWalk,
	lengthOf,
	type Step,
	toStep,
	type WalkOptions,
} from "./walk.js";

export interface Path {
	readonly steps: readonly Step[];
	/** Sum of the lengths of its edges, each one over its weight. */
	readonly length: number;
}

/**
 * The k shortest simple paths between two concepts, shortest first (Yen 1971, with Lawler's saving); not complete when the bound
 * on work was met before it was certain that there are no more, or no better ones. Throws NOT_FOUND.
 */
export function findPaths(
	graph: Graph,
	{ from, to }: { readonly from: string; readonly to: string },
	{
		limit: count,
		max_steps: stepsMax,
		...options
	}: WalkOptions & Pick<z.infer<typeof pathsInput>, "limit" | "max_steps">,
): { readonly items: readonly Path[]; readonly isComplete: boolean } {
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
function findSpur(request: WayRequest, accepted: readonly Way[], base: Way, at: number) {
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

/** A way through a map: its places, and the edge of each step. */
interface Way {
	readonly places: readonly number[];
	readonly edges: readonly { readonly edge: number; readonly direction: Step["direction"] }[];
	/** Sum of the lengths of its edges. */
	readonly length: number;
}

interface WayRequest {
	readonly map: GraphMap;
	readonly walk: BoundedWalk;
	readonly start: number;
	readonly goal: number;
	readonly stepsMax: number;
	/** No fewer steps lead from a place to the goal; undefined where it cannot be reached in time. */
	readonly stepsToGoal: (place: number) => number | undefined;
	/** Length no edge of the graph is below. */
	readonly lengthMin: number;
	readonly isBarred?: ((from: number, to: number) => boolean) | undefined;
}

interface Label {
	readonly place: number;
	readonly steps: number;
	readonly length: number;
	/** Length of the shortest way to the goal there can be through here. */
	readonly bound: number;
	readonly before: Label | undefined;
	readonly edge: number;
	readonly direction: Step["direction"];
}

/** The shortest way (A* over places and steps); undefined when there is none or the walk is spent. */
function findShortestWay(request: WayRequest): Way | undefined {
	const { walk, start, goal } = request;
	const open = createLeastFirst<Label>(compareLabels);
	const fewestSteps = new Map<number, number>();
	const first = { place: start, steps: 0, length: 0, bound: 0, before: undefined, edge: -1 };
	open.add({ ...first, direction: "out" });
	const stepsTo = (place: number) => fewestSteps.get(place) ?? Number.POSITIVE_INFINITY;
	for (let here = open.take(); here && !walk.isSpent(); here = open.take()) {
		if (here.place === goal) return toWay(here);
		// Later labels of a place are longer: they matter only with fewer steps behind them.
		if (here.steps >= stepsTo(here.place)) continue;
		fewestSteps.set(here.place, here.steps);
		for (const label of labelsAfter(request, here)) {
			if (label.steps < stepsTo(label.place)) open.add(label);
		}
	}
	return undefined;
}

function labelsAfter(
	{ walk, stepsMax, stepsToGoal, lengthMin, isBarred }: WayRequest,
	before: Label,
): readonly Label[] {
	const labels: Label[] = [];
	const steps = before.steps + 1;
	walk.follow(before.place, (edge, place, direction, known) => {
		const rest = stepsToGoal(place);
		if (rest === undefined || steps + rest > stepsMax) return;
		if (isBarred?.(before.place, place)) return;
		const length = before.length + lengthOf(known);
		const bound = length + rest * lengthMin;
		labels.push({ place, steps, length, bound, before, edge, direction });
	});
	return labels;
}

/**
 * Least steps to the goal; a lower bound for places further off than the start or beyond the budget
 * of the walk.
 */
function countStepsTo({
	start,
	goal,
	walk,
	stepsMax,
}: Pick<WayRequest, "start" | "goal" | "walk" | "stepsMax">): WayRequest["stepsToGoal"] {
	const steps = new Map([[goal, 0]]);
	let frontier: readonly number[] = [goal];
	let count = 0;
	while (count < stepsMax && frontier.length > 0 && !steps.has(start) && !walk.isSpent()) {
		count += 1;
		frontier = nextLayer(frontier, walk, (from) => {
			if (steps.has(from)) return false;
			steps.set(from, count);
			return true;
		});
	}
	const isInReach = steps.has(start) || walk.isSpent();
	const leastElsewhere = isInReach && frontier.length > 0 ? count : undefined;
	return (place) => steps.get(place) ?? leastElsewhere;
}

function nextLayer(
	frontier: readonly number[],
	walk: BoundedWalk,
	isNew: (place: number) => boolean,
): readonly number[] {
	const next: number[] = [];
	for (const place of frontier) {
		walk.followBack(place, (_, from) => {
			if (isNew(from)) next.push(from);
		});
	}
	return next;
}

/** Of equally good ones the one nearest to the goal, then by place and edge: the same answer on every machine. */
function compareLabels(a: Label, b: Label): number {
	return a.bound - b.bound || b.steps - a.steps || a.place - b.place || a.edge - b.edge;
}

function toWay(last: Label): Way {
	const places: number[] = [];
	const edges: { edge: number; direction: Step["direction"] }[] = [];
	for (let label: Label | undefined = last; label; label = label.before) {
		places.push(label.place);
		if (label.before) edges.push({ edge: label.edge, direction: label.direction });
	}
	return { places: places.reverse(), edges: edges.reverse(), length: last.length };
}
