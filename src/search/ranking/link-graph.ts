import { createTurns, nextTurn } from "../../kernel/kernel.js";
import type { Segment } from "../index/segment.js";
import { type Arcs, collectArcs, type LinkedDocuments } from "./link-arcs.js";

/** What ties the concepts of all graphs together, as arcs between the documents of segments. Immutable. */
export interface LinkGraph {
	/** Node `n` has the arcs from `starts[n]` to `starts[n + 1]`. */
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
const NODE_UNITS = 20;
const ARC_UNITS = 15;
const VISIT_UNITS = 8;

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
async function toAdjacency(lists: readonly Arcs[], nodes: number): Promise<Adjacency> {
	const { ends, to, weights } = await sortArcs(lists, nodes);
	const spend = createTurns();
	const starts = new Uint32Array(nodes + 1);
	const merger = createMerger(nodes);
	let count = 0;
	for (let node = 0; node < nodes; node++) {
		const end = ends[node + 1] as number;
		for (let arc = ends[node] as number; arc < end; arc++) {
			merger.add(to[arc] as number, weights[arc] as number);
		}
		// What is merged takes no more room than what it came from, which is read by now.
		for (const target of merger.heaviest()) {
			weights[count] = merger.weightOf(target);
			to[count++] = target;
		}
		merger.clear();
		starts[node + 1] = count;
		if (spend(NODE_UNITS + (end - (ends[node] as number)) * ARC_UNITS)) await nextTurn();
	}
	return { starts, targets: to.slice(0, count), weights: weights.slice(0, count) };
}

/** All arcs by their node: node `n` has those from `ends[n]` to `ends[n + 1]`. */
async function sortArcs(lists: readonly Arcs[], nodes: number) {
	const ends = new Uint32Array(nodes + 1);
	await eachArc(lists, ({ from }, arc) => {
		const after = (from[arc] as number) + 1;
		ends[after] = (ends[after] as number) + 1;
	});
	for (let node = 0; node < nodes; node++) {
		ends[node + 1] = (ends[node + 1] as number) + (ends[node] as number);
	}
	const next = ends.slice(0, nodes);
	const to = new Uint32Array(ends[nodes] ?? 0);
	const weights = new Float32Array(to.length);
	await eachArc(lists, (arcs, arc) => {
		const node = arcs.from[arc] as number;
		const at = next[node] as number;
		to[at] = arcs.to[arc] as number;
		weights[at] = arcs.weights[arc] as number;
		next[node] = at + 1;
	});
	return { ends, to, weights };
}

async function eachArc(
	lists: readonly Arcs[],
	visit: (arcs: Arcs, arc: number) => void,
): Promise<void> {
	const spend = createTurns();
	for (const arcs of lists) {
		for (let arc = 0; arc < arcs.count; arc++) {
			visit(arcs, arc);
			if (spend(VISIT_UNITS)) await nextTurn();
		}
	}
}

/** Adds up the arcs of one node after the other. */
function createMerger(nodes: number) {
	const sums = new Float32Array(nodes);
	let targets: number[] = [];
	return {
		add(target: number, weight: number): void {
			if (sums[target] === 0) targets.push(target);
			sums[target] = (sums[target] as number) + weight;
		},
		weightOf: (target: number) => sums[target] as number,
		heaviest(): readonly number[] {
			if (targets.length <= MAX_ARCS) return targets;
			return targets
				.toSorted((a, b) => (sums[b] as number) - (sums[a] as number) || a - b)
				.slice(0, MAX_ARCS);
		},
		clear(): void {
			for (const target of targets) sums[target] = 0;
			targets = [];
		},
	};
}
