import type { z } from "zod";
import type { Concept, Edge } from "../../../src/knowledge/knowledge.js";
import type { neighborsInput } from "../graph-wire.js";
import { conceptAt, type GraphMap } from "./graph-map.js";

/** Every edge both ways where nothing is given; an edge without dates held on any day. */
export type WalkOptions = Partial<
	Pick<z.infer<typeof neighborsInput>, "edge_types" | "direction" | "as_of">
>;

/** One step along an edge, in the direction walked. */
export interface Step {
	readonly from: Concept;
	readonly to: Concept;
	readonly edge: Edge;
	/** "in" when the edge was walked against its direction. */
	readonly direction: "out" | "in";
}

/** Called with the number of an edge, the place it leads to, its direction and the edge itself. */
type Visit = (edge: number, place: number, direction: Step["direction"], known: Edge) => void;

/** Visits every step from a place, and counts them against a budget: what is left of it says whether all was seen. */
export type BoundedWalk = ReturnType<typeof createWalk>;

/** Edges more than a thousand times heavier or lighter than a plain one count as just that. */
const WEIGHT_MAX = 1_000;

export function weightOf({ weight }: Edge): number {
	return Math.min(Math.max(weight, 1 / WEIGHT_MAX), WEIGHT_MAX);
}

/** The length of an edge: one over its weight (Newman 2001), so that strong links are short and plain ones count as one step. */
export function lengthOf(edge: Edge): number {
	return 1 / weightOf(edge);
}

/** A type of edge as bundles are read: lower case, words joined by hyphens. */
function toEdgeType(written: string): string {
	return written
		.trim()
		.toLowerCase()
		.replace(/[\s_]+/g, "-");
}

/** True for edges of these types that held on this day. */
export function toEdgeTest({
	edge_types: types,
	as_of: asOf,
}: WalkOptions): (edge: Edge) => boolean {
	const wanted = types && new Set(types.map(toEdgeType));
	return ({ type, validFrom, validTo }) =>
		(!wanted || wanted.has(type)) &&
		(asOf === undefined ||
			((validFrom === undefined || validFrom <= asOf) &&
				(validTo === undefined || validTo >= asOf)));
}

/** Follows what the options allow, over at most `edgesMax` edges in all: then nothing leads anywhere any more. */
export function createWalk(map: GraphMap, options: WalkOptions, edgesMax: number) {
	const isWanted = toEdgeTest(options);
	const { direction = "both" } = options;
	let left = edgesMax;
	const offer = (edge: number, place: number, way: Step["direction"], visit: Visit) => {
		left -= 1;
		const known = map.edges[edge];
		if (left >= 0 && known && isWanted(known)) visit(edge, place, way, known);
	};
	const out = (place: number, visit: Visit, way: Step["direction"]) => {
		const end = map.outStart[place + 1] ?? 0;
		for (let edge = map.outStart[place] ?? 0; edge < end && left >= 0; edge++) {
			offer(edge, map.targets[edge] ?? 0, way, visit);
		}
	};
	const into = (place: number, visit: Visit, way: Step["direction"]) => {
		const end = map.inStart[place + 1] ?? 0;
		for (let at = map.inStart[place] ?? 0; at < end && left >= 0; at++) {
			const edge = map.inEdges[at] ?? 0;
			offer(edge, map.sources[edge] ?? 0, way, visit);
		}
	};
	return {
		follow(place: number, visit: Visit): void {
			if (direction !== "in") out(place, visit, "out");
			if (direction !== "out") into(place, visit, "in");
		},
		followBack(place: number, visit: Visit): void {
			if (direction !== "in") into(place, visit, "out");
			if (direction !== "out") out(place, visit, "in");
		},
		isSpent: () => left < 0,
	};
}

export function toStep(map: GraphMap, edge: number, direction: Step["direction"]): Step {
	const source = conceptAt(map, map.sources[edge] ?? -1);
	const target = conceptAt(map, map.targets[edge] ?? -1);
	const known = map.edges[edge];
	if (!known) throw new RangeError("An edge beyond the graph.");
	return direction === "out"
		? { from: source, to: target, edge: known, direction }
		: { from: target, to: source, edge: known, direction };
}
