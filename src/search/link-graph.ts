import { type Arcs, collectArcs, type LinkedDocuments } from "./link-arcs.js";
import type { Segment } from "./segment.js";
import { createTurns, nextTurn } from "./turns.js";

/** What ties the concepts of all graphs together, as arcs between the documents of segments. Immutable. */
export interface LinkGraph {
	/** Node `n` has the arcs from `starts[n]` to `starts[n + 1]`, the heaviest first. */
	readonly starts: Uint32Array;
	readonly targets: Uint32Array;
	readonly weights: Float32Array;
	/** The number of each node's segment. */
	readonly segmentOf: Uint32Array;
	/** Where a segment's nodes begin, and its number; undefined for one that is newer than the graph. */
	find(segment: Segment): { readonly number: number; readonly first: number } | undefined;
}

export interface LinkedSegment extends Omit<LinkedDocuments, "graphId"> {
	readonly segment: Segment;
}

/** The heaviest arcs that a node keeps: what hundreds refer to leads nowhere in particular. */
const MAX_ARCS = 32;
const ARC_UNITS = 30;

/** Gives way to other work while it runs. */
export async function buildLinkGraph(segments: readonly LinkedSegment[]): Promise<LinkGraph> {
	const places = new Map<Uint8Array, { number: number; first: number }>();
	let nodes = 0;
	for (const [number, { segment, concepts }] of segments.entries()) {
		places.set(segment.fingerprints, { number, first: nodes });
		nodes += concepts.length;
	}
	const segmentOf = new Uint32Array(nodes);
	for (const [number, { segment, concepts }] of segments.entries()) {
		const first = places.get(segment.fingerprints)?.first ?? 0;
		segmentOf.fill(number, first, first + concepts.length);
	}
	const documents = segments.map(({ segment, concepts }) => ({
		graphId: segment.graphId,
		concepts,
	}));
	const adjacency = await toAdjacency(await collectArcs(documents), nodes);
	return { ...adjacency, segmentOf, find: ({ fingerprints }) => places.get(fingerprints) };
}

type Adjacency = Pick<LinkGraph, "starts" | "targets" | "weights">;

/** Arcs by where they start (counting sort); parallel ones become one. */
async function toAdjacency({ from, to, weights }: Arcs, nodes: number): Promise<Adjacency> {
	const spend = createTurns();
	const ends = new Uint32Array(nodes + 1);
	for (const node of from) {
		ends[node + 1] = (ends[node + 1] as number) + 1;
		if (spend(1)) await nextTurn();
	}
	for (let node = 0; node < nodes; node++) {
		ends[node + 1] = (ends[node + 1] as number) + (ends[node] as number);
	}
	const order = new Uint32Array(from.length);
	const next = ends.slice(0, nodes);
	for (const [arc, node] of from.entries()) {
		const at = next[node] as number;
		order[at] = arc;
		next[node] = at + 1;
		if (spend(4)) await nextTurn();
	}
	const starts = new Uint32Array(nodes + 1);
	const targets = new Uint32Array(from.length);
	const merged = new Float32Array(from.length);
	let count = 0;
	for (let node = 0; node < nodes; node++) {
		const own = order.subarray(ends[node], ends[node + 1]);
		for (const [target, weight] of heaviest(own, to, weights)) {
			targets[count] = target;
			merged[count++] = weight;
		}
		starts[node + 1] = count;
		if (spend(1 + own.length * ARC_UNITS)) await nextTurn();
	}
	return { starts, targets: targets.slice(0, count), weights: merged.slice(0, count) };
}

function heaviest(
	arcs: Uint32Array,
	to: readonly number[],
	weights: readonly number[],
): readonly (readonly [number, number])[] {
	if (arcs.length === 0) return [];
	const byTarget = new Map<number, number>();
	for (const arc of arcs) {
		const target = to[arc] as number;
		byTarget.set(target, (byTarget.get(target) ?? 0) + (weights[arc] as number));
	}
	return [...byTarget].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_ARCS);
}
