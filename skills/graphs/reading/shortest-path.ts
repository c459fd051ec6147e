import type { GraphMap } from "./graph-map.js";
import { createLeastFirst } from "./least-first.js";
import { type BoundedWalk, lengthOf, type Step } from "./walk.js";

/** A way through a map: its places, and the edge of each step. */
export interface Way {
	/** One more than there are steps. */
	readonly places: readonly number[];
	readonly edges: readonly { readonly edge: number; readonly direction: Step["direction"] }[];
	/** Sum of the lengths of its edges. */
	readonly length: number;
}

export interface WayRequest {
	readonly map: GraphMap;
	readonly walk: BoundedWalk;
	readonly start: number;
	readonly goal: number;
	readonly stepsMax: number;
	/** No fewer steps lead from a place to the goal; undefined where it cannot be reached in time. */
	readonly stepsToGoal: (place: number) => number | undefined;
	/** Length no edge of the graph is below. */
	readonly lengthMin: number;
	/** What the way must avoid. */
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

/**
 * The shortest way of at most so many steps (A* over places and steps; the bound is the number of steps that are left, each
 * as short as any edge). Undefined when there is none or the walk is spent.
 */
export function findShortestWay(request: WayRequest): Way | undefined {
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

/** One step further, wherever the goal is still in reach. */
function labelsAfter(
	{ map, walk, stepsMax, stepsToGoal, lengthMin, isBarred }: WayRequest,
	before: Label,
): readonly Label[] {
	const labels: Label[] = [];
	const steps = before.steps + 1;
	walk.follow(before.place, (edge, place, direction) => {
		const rest = stepsToGoal(place);
		if (rest === undefined || steps + rest > stepsMax) return;
		if (isBarred?.(before.place, place)) return;
		const known = map.edges[edge];
		const length = before.length + (known ? lengthOf(known) : 1);
		const bound = length + rest * lengthMin;
		labels.push({ place, steps, length, bound, before, edge, direction });
	});
	return labels;
}

/**
 * Least steps to the goal from every place that is no further away than the start. All others are taken to be as near as they
 * can be: further off, or beyond what the walk could look at. Nothing is in reach when the start is not.
 */
export function countStepsTo({
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
