import { memoizeByObject } from "../../kernel/kernel.js";
import type { SearchScope } from "../index/index-state.js";
import type { LinkGraph } from "./link-graph.js";

/** A place in the index and how well it matches on its own. */
export interface Match {
	readonly slot: number;
	readonly score: number;
}

/** A slot and how related it is. */
export type RelatedSlot = readonly [slot: number, share: number];

/** Walks begin at so many of the best matches; a match of half the best one's score begins a sixteenth of its walks. */
const SEEDS = 5;
const SEED_SHARPNESS = 4;
/** Below 1: what is related half as much as the most related gets more than half of what that gets. */
const SHARE_EXPONENT = 0.75;

/**
 * Slots that links, shared evidence and entities lead to from the best matches (best first), each with how related it is beside
 * the most related one that is none of these matches itself (of themselves, where they lead to nothing else), 0..1: matches that
 * lead to each other make nothing else less related. Only what takes part in the search is visited, on the way, too.
 */
export function relatedSlots(
	graph: LinkGraph,
	scopes: readonly SearchScope[],
	matches: readonly Match[],
): readonly RelatedSlot[] {
	const places = toPlaces(graph, scopes);
	const seeds = seedsOf(matches, (slot) => places.nodeOf(slot));
	const reached = seeds.length === 0 ? [] : spreadFrom(graph, seeds, places.admits);
	const most = mostRelated(reached, seeds);
	return reached.map(({ node, mass }) => [places.slotOf(node), shareOf(mass, most)]);
}

/** Mass of the most related node that is no seed or, where nothing else was reached, of the most related seed. */
function mostRelated(reached: readonly NodeMass[], seeds: readonly NodeMass[]): number {
	let most = 0;
	let mostOfSeeds = 0;
	for (const { node, mass } of reached) {
		if (seeds.some((seed) => seed.node === node)) mostOfSeeds = Math.max(mostOfSeeds, mass);
		else if (mass > most) most = mass;
	}
	return most || mostOfSeeds;
}

function shareOf(mass: number, most: number): number {
	return mass >= most ? 1 : round((mass / most) ** SHARE_EXPONENT);
}

/** What is related alike must not differ by the order in which it was added up. */
function round(share: number): number {
	return Math.round(share * 1e6) / 1e6;
}

function seedsOf(
	matches: readonly Match[],
	nodeOf: (slot: number) => number | undefined,
): readonly NodeMass[] {
	const best = matches[0]?.score ?? 0;
	if (best <= 0) return [];
	const seeds = matches.slice(0, SEEDS).flatMap(({ slot, score }) => {
		const node = nodeOf(slot);
		return node === undefined ? [] : { node, mass: (score / best) ** SEED_SHARPNESS };
	});
	const total = seeds.reduce((sum, { mass }) => sum + mass, 0);
	return seeds.map(({ node, mass }) => ({ node, mass: mass / total }));
}

/** Nodes are numbered by the segments that were there when the graph was built, slots by those that are there now. */
function toPlaces(graph: LinkGraph, scopes: readonly SearchScope[]) {
	/** By segment number: what to add to a node for its slot, and who takes part. */
	const shifts: (number | undefined)[] = [];
	const masks: (Uint8Array | undefined)[] = [];
	const firsts: number[] = [];
	let nodes = 0;
	let isMasked = false;
	for (const { segment, base, mask } of scopes) {
		const place = graph.find(segment);
		if (!place) continue;
		shifts[place.number] = base - place.first;
		masks[place.number] = mask;
		firsts[place.number] = place.first;
		nodes += segment.conceptIds.length;
		isMasked ||= mask !== undefined;
	}
	const admits = (node: number): boolean => {
		const number = graph.segmentOf[node] as number;
		if (shifts[number] === undefined) return false;
		const mask = masks[number];
		return !mask || mask[node - (firsts[number] as number)] === 1;
	};
	const isWhole = !isMasked && nodes === graph.segmentOf.length;
	return {
		nodeOf(slot: number): number | undefined {
			const scope = scopes.findLast(({ base }) => base <= slot);
			const place = scope && graph.find(scope.segment);
			return place && slot - scope.base + place.first;
		},
		slotOf: (node: number) => node + (shifts[graph.segmentOf[node] as number] ?? 0),
		admits: isWhole ? undefined : admits,
	};
}

/** A node and a share of all walks: of those that begin there, or of those that end there and ever left their seed. */
interface NodeMass {
	readonly node: number;
	readonly mass: number;
}

/** A walk ends at each step with this probability: most see the neighbors of a seed and theirs. */
const STOP_PROBABILITY = 0.5;
/** Less mass than this is not passed on. */
const LEAST_MASS = 5e-4;

/** Nodes that walks may visit; undefined for all. */
type Admits = ((node: number) => boolean) | undefined;

/**
 * Personalised PageRank by forward push (Andersen, Chung and Lang, 2006): the error at any node is at most what was not passed on.
 * Walks take an arc in proportion to its weight and only visit nodes that `admits`; where there is none to visit they are lost.
 */
export function spreadFrom(
	graph: LinkGraph,
	seeds: readonly NodeMass[],
	admits: Admits,
): readonly NodeMass[] {
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
function takeReached(spread: Scratch): readonly NodeMass[] {
	const { waiting, ended, touched, touchedCount } = spread;
	const reached: NodeMass[] = [];
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

/** A query touches a few hundred nodes of a hundred thousand. */
const scratchOf = memoizeByObject(({ segmentOf }: LinkGraph): Scratch => {
	const nodes = segmentOf.length;
	return {
		waiting: new Float64Array(nodes),
		ended: new Float64Array(nodes),
		touched: [],
		touchedCount: 0,
		full: [],
		fullCount: 0,
		round: [],
		masses: [],
	};
});
