import { READING_LIMITS } from "../../../src/contract/contract.js";
import type { Concept, Graph } from "../../../src/knowledge/knowledge.js";
import { conceptAt, mapOf, placeOf } from "./graph-map.js";
import { createWalk, type Step, toStep, type WalkOptions, weightOf } from "./walk.js";

export interface Neighbor {
	readonly concept: Concept;
	/** Edges from the start, at least 1. */
	readonly distance: number;
	/** Product of the weights along the heaviest of the shortest ways. */
	readonly weight: number;
	/** The last step of that way. */
	readonly step: Step;
}

export interface NeighborOptions extends WalkOptions {
	/** Edges from the start, `READING_LIMITS.depthMax` at most. */
	readonly depth: number;
	readonly limit: number;
}

export interface Neighbors {
	/** Nearest first, then heaviest, then by id; each concept once. */
	readonly items: readonly Neighbor[];
	/** False when there are more within this depth than were wanted or could be looked at. */
	readonly isComplete: boolean;
}

interface Reached {
	readonly place: number;
	readonly weight: number;
	readonly edge: number;
	readonly direction: Step["direction"];
}

/** Concepts around one. Throws NOT_FOUND. Layers beyond the last one wanted are not looked at. */
export function findNeighbors(
	graph: Graph,
	conceptId: string,
	{ depth, limit, ...options }: NeighborOptions,
): Neighbors {
	const map = mapOf(graph);
	const start = placeOf(graph, conceptId);
	const walk = createWalk(map, options, READING_LIMITS.edgesVisited);
	const seen = new Set([start]);
	const items: Neighbor[] = [];
	let frontier: readonly Pick<Reached, "place" | "weight">[] = [{ place: start, weight: 1 }];
	for (let distance = 1; distance <= depth && frontier.length > 0; distance++) {
		// One more than wanted, so that it is known whether there are more.
		if (items.length > limit) break;
		const best = new Map<number, Reached>();
		for (const { place: from, weight: weightSoFar } of frontier) {
			walk.follow(from, (edge, place, direction) => {
				const known = map.edges[edge];
				const weight = weightSoFar * (known ? weightOf(known) : 1);
				if (seen.has(place) || weight <= (best.get(place)?.weight ?? 0)) return;
				best.set(place, { place, weight, edge, direction });
			});
		}
		const layer = [...best.values()].sort((a, b) => b.weight - a.weight || a.place - b.place);
		for (const { place, weight, edge, direction } of layer) {
			seen.add(place);
			const concept = conceptAt(map, place);
			items.push({ concept, distance, weight, step: toStep(map, edge, direction) });
		}
		frontier = layer;
	}
	return {
		items: items.slice(0, limit),
		isComplete: items.length <= limit && !walk.isSpent(),
	};
}
