import type { z } from "zod";
import { READING_LIMITS } from "../../../src/contract/contract.js";
import type { Concept, Graph } from "../../../src/knowledge/knowledge.js";
import type { neighborsInput, subgraphInput } from "../graph-wire.js";
import { conceptAt, degreeAt, type GraphMap, mapOf, placeOf } from "./graph-map.js";
import { createLeastFirst } from "./sorting.js";
import { createWalk, lengthOf, type Step, toStep, type WalkOptions, weightOf } from "./walk.js";

interface Reached {
	readonly place: number;
	readonly weight: number;
	readonly edge: number;
	readonly direction: Step["direction"];
}

/**
 * Concepts around one, each once: nearest first, then heaviest, by the product of the weights along the heaviest of the shortest
 * ways, then by id. Throws NOT_FOUND. Layers beyond the last one wanted are not looked at.
 */
export function findNeighbors(
	graph: Graph,
	conceptId: string,
	{
		depth,
		limit,
		...options
	}: WalkOptions & Pick<z.infer<typeof neighborsInput>, "depth" | "limit">,
) {
	const map = mapOf(graph);
	const start = placeOf(graph, conceptId);
	const walk = createWalk(map, options, READING_LIMITS.edgesVisited);
	const seen = new Set([start]);
	const items: { concept: Concept; distance: number; weight: number; step: Step }[] = [];
	let frontier: readonly Pick<Reached, "place" | "weight">[] = [{ place: start, weight: 1 }];
	for (let distance = 1; distance <= depth && frontier.length > 0; distance++) {
		// One more than wanted, so that it is known whether there are more.
		if (items.length > limit) break;
		const best = new Map<number, Reached>();
		for (const { place: from, weight: weightSoFar } of frontier) {
			walk.follow(from, (edge, place, direction, known) => {
				const weight = weightSoFar * weightOf(known);
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
		/** False when there are more within this depth than were wanted or could be looked at. */
		isComplete: items.length <= limit && !walk.isSpent(),
	};
}

interface SubgraphOptions
	extends WalkOptions,
		Pick<z.infer<typeof subgraphInput>, "max_nodes" | "max_bytes"> {
	/** What all nodes and edges together are measured by. */
	readonly sizes: {
		readonly ofNode: (node: SubgraphNode) => number;
		readonly ofEdge: (edge: Step) => number;
	};
}

export interface SubgraphNode {
	readonly concept: Concept;
	/** Sum of the lengths of the edges from the nearest seed; 0 for the seeds. */
	readonly distance: number;
}

interface OpenNode {
	readonly place: number;
	readonly distance: number;
	readonly degree: number;
}

/**
 * Grows from the seeds until nothing is left or the budget is spent; connected over its edges, which are all that are wanted
 * between its nodes, each written out of its source. Nodes come nearest to a seed first, then best connected, then by id: a
 * larger budget only adds to the end. Throws NOT_FOUND.
 */
export function growSubgraph(graph: Graph, seeds: readonly string[], options: SubgraphOptions) {
	const map = mapOf(graph);
	const walk = createWalk(map, options, READING_LIMITS.edgesVisited);
	const open = createLeastFirst<OpenNode>(compareOpenNode);
	const offer = (place: number, distance: number) =>
		open.add({ place, distance, degree: degreeAt(map, place) });
	for (const seed of new Set(seeds)) offer(placeOf(graph, seed), 0);

	const nodes = new Map<number, SubgraphNode>();
	const edges: Step[] = [];
	let bytesLeft = options.max_bytes;
	for (let next = open.take(); next; next = open.take()) {
		const { place, distance } = next;
		if (nodes.has(place)) continue;
		const node = { concept: conceptAt(map, place), distance };
		const joined = edgesTo(map, place, nodes, options);
		bytesLeft -= options.sizes.ofNode(node);
		for (const edge of joined) bytesLeft -= options.sizes.ofEdge(edge);
		if (nodes.size === options.max_nodes || bytesLeft < 0) {
			return { nodes: [...nodes.values()], edges, isComplete: false };
		}
		nodes.set(place, node);
		edges.push(...joined);
		walk.follow(place, (_edge, to, _direction, known) => {
			if (!nodes.has(to)) offer(to, distance + lengthOf(known));
		});
	}
	return { nodes: [...nodes.values()], edges, isComplete: !walk.isSpent() };
}

/** Wanted edges between a place and those taken already, whichever way they point. */
function edgesTo(
	map: GraphMap,
	place: number,
	taken: ReadonlyMap<number, SubgraphNode>,
	options: WalkOptions,
): readonly Step[] {
	const found: Step[] = [];
	const walk = createWalk(map, { ...options, direction: "both" }, Number.POSITIVE_INFINITY);
	walk.follow(place, (edge, other) => {
		if (taken.has(other)) found.push(toStep(map, edge, "out"));
	});
	return found;
}

function compareOpenNode(a: OpenNode, b: OpenNode): number {
	return a.distance - b.distance || b.degree - a.degree || a.place - b.place;
}
