import type { SearchScope } from "../index/index-state.js";
import type { LinkGraph } from "./link-graph.js";
import { type Admits, type Reached, type Seed, spreadFrom } from "./page-rank.js";

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
function mostRelated(reached: readonly Reached[], seeds: readonly Seed[]): number {
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
): readonly Seed[] {
	const best = matches[0]?.score ?? 0;
	if (best <= 0) return [];
	const seeds = matches.slice(0, SEEDS).flatMap(({ slot, score }) => {
		const node = nodeOf(slot);
		return node === undefined ? [] : { node, mass: (score / best) ** SEED_SHARPNESS };
	});
	const total = seeds.reduce((sum, { mass }) => sum + mass, 0);
	return seeds.map(({ node, mass }) => ({ node, mass: mass / total }));
}

interface Places {
	nodeOf(slot: number): number | undefined;
	slotOf(node: number): number;
	readonly admits: Admits;
}

/** Nodes are numbered by the segments that were there when the graph was built, slots by those that are there now. */
function toPlaces(graph: LinkGraph, scopes: readonly SearchScope[]): Places {
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
		nodeOf(slot) {
			const scope = scopes.findLast(({ base }) => base <= slot);
			const place = scope && graph.find(scope.segment);
			return place && slot - scope.base + place.first;
		},
		slotOf: (node) => node + (shifts[graph.segmentOf[node] as number] ?? 0),
		admits: isWhole ? undefined : admits,
	};
}
