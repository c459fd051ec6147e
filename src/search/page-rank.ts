import type { LinkGraph } from "./link-graph.js";

/** Where walks begin, and with what share of all walks. */
export interface Seed {
	readonly node: number;
	readonly mass: number;
}

export interface Reached {
	readonly node: number;
	/** Share of walks that end here, without those that never left their seed. */
	readonly mass: number;
}

/** A walk ends at each step with this probability: most see the neighbours of a seed and theirs. */
const STOP_PROBABILITY = 0.5;
/** Less mass than this is not passed on. */
const LEAST_MASS = 5e-4;

/**
 * Personalised PageRank by forward push (Andersen, Chung and Lang, 2006): the error at any node is at most what was not passed on.
 * Walks take an arc in proportion to its weight and only visit nodes that `admits`; where there is none to visit they are lost.
 */
export function spreadFrom(
	graph: LinkGraph,
	seeds: readonly Seed[],
	admits: (node: number) => boolean,
): readonly Reached[] {
	const { waiting, ended, touched } = scratchOf(graph);
	touched.length = 0;
	let full: number[] = [];
	const receive = (node: number, mass: number) => {
		const before = waiting[node] as number;
		if (before === 0 && ended[node] === 0) touched.push(node);
		waiting[node] = before + mass;
		if (before < LEAST_MASS && before + mass >= LEAST_MASS) full.push(node);
	};
	for (const { node, mass } of seeds) receive(node, mass);
	// In rounds, so that what lies alike between the seeds is reached alike.
	while (full.length > 0) {
		const round = full.map((node) => ({ node, mass: waiting[node] as number }));
		full = [];
		for (const { node, mass } of round) {
			ended[node] = (ended[node] as number) + STOP_PROBABILITY * mass;
			waiting[node] = 0;
		}
		for (const { node, mass } of round) {
			passOn(graph, node, (1 - STOP_PROBABILITY) * mass, { admits, receive });
		}
	}
	for (const { node, mass } of seeds) {
		ended[node] = Math.max(0, (ended[node] as number) - STOP_PROBABILITY * mass);
	}
	const reached = touched.map((node) => ({ node, mass: ended[node] as number }));
	for (const node of touched) {
		waiting[node] = 0;
		ended[node] = 0;
	}
	return reached.filter(({ mass }) => mass > 0);
}

interface Passing {
	readonly admits: (node: number) => boolean;
	readonly receive: (node: number, mass: number) => void;
}

function passOn(
	{ starts, targets, weights }: LinkGraph,
	node: number,
	mass: number,
	{ admits, receive }: Passing,
): void {
	const from = starts[node] as number;
	const to = starts[node + 1] as number;
	let total = 0;
	const admitted: number[] = [];
	for (let arc = from; arc < to; arc++) {
		if (!admits(targets[arc] as number)) continue;
		total += weights[arc] as number;
		admitted.push(arc);
	}
	if (total === 0) return;
	for (const arc of admitted) {
		receive(targets[arc] as number, (mass * (weights[arc] as number)) / total);
	}
}

interface Scratch {
	/** Mass that has arrived and neither ended nor been passed on. */
	readonly waiting: Float64Array;
	readonly ended: Float64Array;
	readonly touched: number[];
}

const scratches = new WeakMap<LinkGraph, Scratch>();

/** Zeroed again by whoever used it: a query touches a few hundred nodes of a hundred thousand. */
function scratchOf(graph: LinkGraph): Scratch {
	const known = scratches.get(graph);
	if (known) return known;
	const nodes = graph.segmentOf.length;
	const made = { waiting: new Float64Array(nodes), ended: new Float64Array(nodes), touched: [] };
	scratches.set(graph, made);
	return made;
}
