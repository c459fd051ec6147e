import type { Concept } from "../knowledge/graph.js";
import { createTurns, nextTurn, type Spend } from "./turns.js";

/** Documents of one segment with the graph they belong to; undefined for tombstones. */
export interface LinkedDocuments {
	readonly graphId: string;
	readonly concepts: readonly (Concept | undefined)[];
}

/** Arcs between documents, numbered on from the first segment to the last: arc `a` leads from `from[a]` to `to[a]`. */
export interface Arcs {
	readonly from: number[];
	readonly to: number[];
	readonly weights: number[];
}

/**
 * What ties two concepts together, and how much against a link of full weight. Something that `most` concepts have in common
 * says little, and what more of them share nothing. Chosen on one half of the labelled queries; near by, nothing changes.
 */
const SHARED = {
	source: { weight: 0.7, most: 20 },
	name: { weight: 1, most: 20 },
	tag: { weight: 0.5, most: 6 },
} as const;
type SharedKind = keyof typeof SHARED;

const CONCEPT_UNITS = 300;
const KEY_UNITS = 40;
const ARC_UNITS = 10;

/** Links in both directions, and an arc for every source, name and rare tag that two concepts of any graphs share. In turns. */
export async function collectArcs(segments: readonly LinkedDocuments[]): Promise<Arcs> {
	const spend = createTurns();
	const arcs: Arcs = { from: [], to: [], weights: [] };
	await addLinks(segments, arcs, spend);
	for (const kind of ["source", "name", "tag"] as const) {
		await addShared(kind, segments, arcs, spend);
	}
	return arcs;
}

async function addLinks(
	segments: readonly LinkedDocuments[],
	arcs: Arcs,
	spend: Spend,
): Promise<void> {
	const nodes = new Map<string, Map<string, number>>();
	await eachConcept(segments, spend, (concept, node, graphId) => {
		const ofGraph = nodes.get(graphId) ?? new Map<string, number>();
		nodes.set(graphId, ofGraph.set(concept.id, node));
		return 0;
	});
	await eachConcept(segments, spend, ({ edges }, node, graphId) => {
		for (const { target, weight } of edges) {
			const other = nodes.get(graphId)?.get(target);
			if (other !== undefined && other !== node) addBoth(arcs, node, other, Math.min(1, weight));
		}
		return edges.length * KEY_UNITS;
	});
}

async function addShared(
	kind: SharedKind,
	segments: readonly LinkedDocuments[],
	arcs: Arcs,
	spend: Spend,
): Promise<void> {
	const { weight, most } = SHARED[kind];
	/** The node that has a key, or all of them once there are several; false when they are too many. */
	const holders = new Map<string, number | number[] | false>();
	await eachConcept(segments, spend, (concept, node) => {
		const keys = keysOf(kind, concept);
		for (const key of keys) holders.set(key, joinHolders(holders.get(key), node, most));
		return keys.size * KEY_UNITS;
	});
	for (const nodes of holders.values()) {
		if (!Array.isArray(nodes)) continue;
		const arcWeight = weight / Math.log2(1 + nodes.length);
		for (const [place, node] of nodes.entries()) {
			for (const other of nodes.slice(place + 1)) addBoth(arcs, node, other, arcWeight);
		}
		if (spend(nodes.length ** 2 * ARC_UNITS)) await nextTurn();
	}
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

function addBoth({ from, to, weights }: Arcs, one: number, other: number, weight: number): void {
	from.push(one, other);
	to.push(other, one);
	weights.push(weight, weight);
}

/** `visit` tells what it cost beside the visit itself. */
async function eachConcept(
	segments: readonly LinkedDocuments[],
	spend: Spend,
	visit: (concept: Concept, node: number, graphId: string) => number,
): Promise<void> {
	let first = 0;
	for (const { graphId, concepts } of segments) {
		for (const [document, concept] of concepts.entries()) {
			const units = concept ? visit(concept, first + document, graphId) : 0;
			if (spend(CONCEPT_UNITS + units)) await nextTurn();
		}
		first += concepts.length;
	}
}
