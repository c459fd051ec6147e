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

/** A walk ends at each step with this probability: most see the neighbors of a seed and theirs. */
const STOP_PROBABILITY = 0.5;
/** Less mass than this is not passed on. */
const LEAST_MASS = 5e-4;

/** Nodes that walks may visit; undefined for all. */
export type Admits = ((node: number) => boolean) | undefined;

/**
 * Personalised PageRank by forward push (Andersen, Chung and Lang, 2006): the error at any node is at most what was not passed on.
 * Walks take an arc in proportion to its weight and only visit nodes that `admits`; where there is none to visit they are lost.
 */
export function spreadFrom(
	graph: LinkGraph,
	seeds: readonly Seed[],
	admits: Admits,
): readonly Reached[] {
	const spread = scratchOf(graph);
	const { ended } = spread;
	for (const { node, mass } of seeds) receive(spread, node, mass);
	// In rounds, so that what lies alike between the seeds is reached alike.
	while (spread.fullCount > 0) pushRound(graph, spread, admits);
	for (const { node, mass } of seeds) {
		ended[node] = Math.max(0, (ended[node] as number) - STOP_PROBABILITY * mass);
	}
	return takeReached(spread);
}

/** Lists keep their room from one query to the next; only so many of their entries are meant. */
interface Scratch {
	/** Mass that has arrived and neither ended nor been passed on. */
	readonly waiting: Float64Array;
	readonly ended: Float64Array;
	readonly touched: number[];
	touchedCount: number;
	/** Nodes with enough mass to be passed on in the next round. */
	full: number[];
	fullCount: number;
	/** Nodes of the round under way, with what each passes on. */
	round: number[];
	readonly masses: number[];
}

function pushRound(graph: LinkGraph, spread: Scratch, admits: Admits): void {
	const { waiting, ended, masses, full: round, fullCount: count } = spread;
	spread.full = spread.round;
	spread.fullCount = 0;
	spread.round = round;
	for (let at = 0; at < count; at++) {
		const node = round[at] as number;
		const mass = waiting[node] as number;
		masses[at] = mass;
		ended[node] = (ended[node] as number) + STOP_PROBABILITY * mass;
		waiting[node] = 0;
	}
	for (let at = 0; at < count; at++) {
		passOn(
			graph,
			spread,
			round[at] as number,
			(1 - STOP_PROBABILITY) * (masses[at] as number),
			admits,
		);
	}
}

function passOn(
	{ starts, targets, weights }: LinkGraph,
	spread: Scratch,
	node: number,
	mass: number,
	admits: Admits,
): void {
	const from = starts[node] as number;
	const to = starts[node + 1] as number;
	let total = 0;
	for (let arc = from; arc < to; arc++) {
		if (!admits || admits(targets[arc] as number)) total += weights[arc] as number;
	}
	if (total === 0) return;
	for (let arc = from; arc < to; arc++) {
		const target = targets[arc] as number;
		if (admits && !admits(target)) continue;
		receive(spread, target, (mass * (weights[arc] as number)) / total);
	}
}

function receive(spread: Scratch, node: number, mass: number): void {
	const { waiting, ended, touched, full } = spread;
	const before = waiting[node] as number;
	if (before === 0 && ended[node] === 0) touched[spread.touchedCount++] = node;
	waiting[node] = before + mass;
	if (before < LEAST_MASS && before + mass >= LEAST_MASS) full[spread.fullCount++] = node;
}

/** What was reached, in the order in which it was; the scratch is zeroed for the next query. */
function takeReached(spread: Scratch): readonly Reached[] {
	const { waiting, ended, touched, touchedCount } = spread;
	const reached: Reached[] = [];
	for (let at = 0; at < touchedCount; at++) {
		const node = touched[at] as number;
		const mass = ended[node] as number;
		if (mass > 0) reached.push({ node, mass });
		waiting[node] = 0;
		ended[node] = 0;
	}
	spread.touchedCount = 0;
	return reached;
}

const scratches = new WeakMap<LinkGraph, Scratch>();

/** A query touches a few hundred nodes of a hundred thousand. */
function scratchOf(graph: LinkGraph): Scratch {
	const known = scratches.get(graph);
	if (known) return known;
	const nodes = graph.segmentOf.length;
	const made = {
		waiting: new Float64Array(nodes),
		ended: new Float64Array(nodes),
		touched: [],
		touchedCount: 0,
		full: [],
		fullCount: 0,
		round: [],
		masses: [],
	};
	scratches.set(graph, made);
	return made;
}
