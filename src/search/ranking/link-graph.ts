import {
	createShardedMap,
	createTurns,
	nextTurn,
	type ShardedMap,
	type Spend,
} from "../../kernel/kernel.js";
import type { Concept } from "../../knowledge/knowledge.js";
import type { Part, Segment } from "../index/segment.js";

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

type LinkedPart = Pick<Part, "segment" | "concepts">;

/** The heaviest arcs that a node keeps: what hundreds refer to leads nowhere in particular. */
const MAX_ARCS = 32;
const NODE_UNITS = 20;
const MERGED_ARC_UNITS = 15;
const VISIT_UNITS = 8;

/** Gives way to other work while it runs. */
export async function buildLinkGraph(segments: readonly LinkedPart[]): Promise<LinkGraph> {
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
	const adjacency = await toAdjacency(await collectArcs(segments), nodes);
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
		if (spend(NODE_UNITS + (end - (ends[node] as number)) * MERGED_ARC_UNITS)) await nextTurn();
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

/** Arcs between documents, numbered on from the first segment to the last: arc `a` < `count` leads from `from[a]` to `to[a]`. */
interface Arcs {
	count: number;
	readonly from: Uint32Array;
	readonly to: Uint32Array;
	readonly weights: Float32Array;
}

/**
 * What ties two concepts together, and how much against a link of full weight. Something that `most` concepts have in common
 * says little, and what more of them share nothing. Chosen on one half of the labelled queries; near by, nothing changes.
 */
const SHARED = {
	source: { weight: 0.7, most: 20 },
	/** Many documents of one title are "Summary" or "Overview": that ties nothing together. */
	name: { weight: 1, most: 3 },
	tag: { weight: 0.5, most: 6 },
} as const;
type SharedKind = keyof typeof SHARED;

/** A node gets so many arcs of a kind, the rarest things first, and fewer where all nodes together would get more than memory is for. */
const NODE_ARCS_MAX = 128;
const NODE_ARCS_MIN = 16;
const KIND_ARCS_MAX = 16_000_000;

const CONCEPT_UNITS = 300;
const KEY_UNITS = 200;
const HOLDER_UNITS = 10;
const ARC_UNITS = 10;

/** Links in both directions, and arcs for every source, name and rare tag that two concepts of any graphs share. In turns. */
export async function collectArcs(segments: readonly LinkedPart[]): Promise<readonly Arcs[]> {
	const spend = createTurns();
	const all = [await collectLinks(segments, spend)];
	for (const kind of ["source", "name", "tag"] as const) {
		all.push(await collectShared(kind, segments, spend));
	}
	return all;
}

async function collectLinks(segments: readonly LinkedPart[], spend: Spend): Promise<Arcs> {
	const nodes = new Map<string, ShardedMap<number>>();
	let links = 0;
	await eachConcept(segments, spend, ({ id, edges }, node, graphId) => {
		const ofGraph = nodes.get(graphId) ?? createShardedMap<number>();
		nodes.set(graphId, ofGraph);
		ofGraph.set(id, node);
		links += edges.length;
		return 0;
	});
	const arcs = createArcs(2 * links);
	await eachConcept(segments, spend, ({ edges }, node, graphId) => {
		for (const { target, weight } of edges) {
			const other = nodes.get(graphId)?.get(target);
			if (other !== undefined && other !== node) addBoth(arcs, node, other, Math.min(1, weight));
		}
		return edges.length * KEY_UNITS;
	});
	return arcs;
}

async function collectShared(
	kind: SharedKind,
	segments: readonly LinkedPart[],
	spend: Spend,
): Promise<Arcs> {
	const { weight, most } = SHARED[kind];
	/** The node that has a key, or all of them once there are several; false when they are too many. */
	const holders = createShardedMap<number | number[] | false>();
	await eachConcept(segments, spend, (concept, node) => {
		const keys = keysOf(kind, concept);
		for (const key of keys) holders.set(key, joinHolders(holders.get(key), node, most));
		return keys.size * KEY_UNITS;
	});
	/** By how many nodes they tie together. */
	const groups: number[][][] = Array.from({ length: most + 1 }, () => []);
	let count = 0;
	for (const nodes of holders.values()) {
		if (spend(HOLDER_UNITS)) await nextTurn();
		if (!Array.isArray(nodes)) continue;
		groups[nodes.length]?.push(nodes);
		count += nodes.length * (nodes.length - 1);
	}
	const quotas = createQuotas(segments.reduce((sum, { concepts }) => sum + concepts.length, 0));
	const arcs = createArcs(Math.min(count, quotas.total));
	for (const nodes of groups.flat()) {
		addPairs({ arcs, quotas }, nodes, weight / Math.log2(1 + nodes.length));
		if (spend(nodes.length ** 2 * ARC_UNITS)) await nextTurn();
	}
	return arcs;
}

type Quotas = ReturnType<typeof createQuotas>;

function createQuotas(nodes: number) {
	const fair = Math.floor(KIND_ARCS_MAX / Math.max(1, nodes));
	const quota = Math.min(NODE_ARCS_MAX, Math.max(NODE_ARCS_MIN, fair));
	const taken = new Uint8Array(nodes);
	const countOf = (node: number) => taken[node] as number;
	return {
		/** Most arcs of all nodes. */
		total: nodes * quota,
		/** True, and counted, when both may have one more arc. */
		take(one: number, other: number): boolean {
			if (countOf(one) >= quota || countOf(other) >= quota) return false;
			taken[one] = countOf(one) + 1;
			taken[other] = countOf(other) + 1;
			return true;
		},
	};
}

function addPairs(
	{ arcs, quotas }: { readonly arcs: Arcs; readonly quotas: Quotas },
	nodes: readonly number[],
	weight: number,
): void {
	for (const [place, node] of nodes.entries()) {
		for (const other of nodes.slice(place + 1)) {
			if (quotas.take(node, other)) addBoth(arcs, node, other, weight);
		}
	}
}

function createArcs(most: number): Arcs {
	return {
		count: 0,
		from: new Uint32Array(most),
		to: new Uint32Array(most),
		weights: new Float32Array(most),
	};
}

function joinHolders(
	before: number | number[] | false | undefined,
	node: number,
	most: number,
): number | number[] | false {
	if (before === undefined) return node;
	if (before === false) return false;
	if (typeof before === "number") return [before, node];
	if (before.length === most) return false;
	before.push(node);
	return before;
}

function keysOf(kind: SharedKind, concept: Concept): ReadonlySet<string> {
	if (kind === "source") return new Set(concept.evidence.map(({ sourceUrl }) => sourceUrl));
	const texts = kind === "tag" ? concept.tags : [concept.title, ...concept.aliases];
	return new Set(texts.map((text) => text.toLowerCase()).filter((text) => text !== ""));
}

function addBoth(arcs: Arcs, one: number, other: number, weight: number): void {
	addArc(arcs, one, other, weight);
	addArc(arcs, other, one, weight);
}

function addArc(arcs: Arcs, from: number, to: number, weight: number): void {
	const at = arcs.count++;
	arcs.from[at] = from;
	arcs.to[at] = to;
	arcs.weights[at] = weight;
}

/** `visit` returns what it cost beside the visit itself. */
async function eachConcept(
	segments: readonly LinkedPart[],
	spend: Spend,
	visit: (concept: Concept, node: number, graphId: string) => number,
): Promise<void> {
	let first = 0;
	for (const { segment, concepts } of segments) {
		for (let document = 0; document < concepts.length; document++) {
			const concept = concepts[document];
			const units = concept ? visit(concept, first + document, segment.graphId) : 0;
			if (spend(CONCEPT_UNITS + units)) await nextTurn();
		}
		first += concepts.length;
	}
}
