import type { TrustTier } from "../../../src/contract/contract.js";
import type { Concept, Graph, Steps } from "../../../src/knowledge/knowledge.js";
import { createGraphIndex } from "./graph-index.js";
import { degreeAt, type GraphMap, mapOf } from "./graph-map.js";

export interface GraphStats {
	readonly nodes: number;
	readonly edges: number;
	/** Sources named by nodes, each as often as it is named, and distinct addresses among them. */
	readonly evidence: number;
	readonly sources: number;
	/** Nodes that name at least one source. */
	readonly citedNodes: number;
	readonly trust: Readonly<Record<TrustTier, number>>;
	readonly status: Readonly<Record<Concept["status"], number>>;
	readonly degree: {
		readonly mean: number;
		readonly median: number;
		readonly max: number;
		/** Nodes without any edge. */
		readonly isolated: number;
	};
	/** Parts that hang together, and how many nodes the largest has. */
	readonly components: { readonly count: number; readonly largest: number };
	/** `YYYY-MM-DD`; undefined when no source is dated. */
	readonly newestEvidence: string | undefined;
	readonly oldestEvidence: string | undefined;
	readonly datedEvidence: number;
	/** Days after which nodes count as stale, ascending. */
	readonly staleDays: readonly string[];
}

/** What can be counted of a graph. */
export const graphStats = createGraphIndex(countGraph);

/** How many nodes are stale on a day. */
export function countStale({ staleDays }: GraphStats, today: string): number {
	const fresh = staleDays.findIndex((day) => day >= today);
	return fresh < 0 ? staleDays.length : fresh;
}

function* countGraph(graph: Graph): Steps<GraphStats> {
	const map = mapOf(graph);
	const trust = { "human-reviewed": 0, "machine-confirmed": 0, unverified: 0 };
	const status = { draft: 0, stable: 0, deprecated: 0 };
	const addresses = new Set<string>();
	const days: string[] = [];
	const staleDays: string[] = [];
	let evidence = 0;
	let citedNodes = 0;
	for (const concept of map.concepts) {
		trust[concept.trust] += 1;
		status[concept.status] += 1;
		evidence += concept.evidence.length;
		if (concept.evidence.length > 0) citedNodes += 1;
		if (concept.staleAfter !== undefined) staleDays.push(concept.staleAfter);
		for (const { sourceUrl, publishedAt } of concept.evidence) {
			addresses.add(sourceUrl);
			if (publishedAt !== undefined) days.push(publishedAt);
		}
		yield;
	}
	const [newestEvidence, oldestEvidence] = extremesOf(days);
	return {
		nodes: map.concepts.length,
		edges: map.edges.length,
		evidence,
		sources: addresses.size,
		citedNodes,
		trust,
		status,
		degree: countDegrees(map),
		components: countComponents(map),
		newestEvidence,
		oldestEvidence,
		datedEvidence: days.length,
		staleDays: staleDays.sort(),
	};
}

/** ISO dates compare as text. */
function extremesOf(
	days: readonly string[],
): [newest: string | undefined, oldest: string | undefined] {
	let [newest] = days;
	let [oldest] = days;
	for (const day of days) {
		if (newest === undefined || day > newest) newest = day;
		if (oldest === undefined || day < oldest) oldest = day;
	}
	return [newest, oldest];
}

function countDegrees(map: GraphMap): GraphStats["degree"] {
	const degrees = Int32Array.from(map.concepts, (_, place) => degreeAt(map, place)).sort();
	const count = degrees.length;
	return {
		mean: count === 0 ? 0 : (2 * map.edges.length) / count,
		median: degrees[Math.floor((count - 1) / 2)] ?? 0,
		max: degrees[count - 1] ?? 0,
		isolated: degrees.filter((degree) => degree === 0).length,
	};
}

/** Union and find with path halving, whatever way the edges point. */
function countComponents({ concepts, sources, targets }: GraphMap): GraphStats["components"] {
	const parents = Int32Array.from(concepts, (_, place) => place);
	const rootOf = (place: number): number => {
		let here = place;
		for (let up = parents[here] ?? here; up !== here; up = parents[here] ?? here) {
			const above = parents[up] ?? up;
			parents[here] = above;
			here = above;
		}
		return here;
	};
	for (const [edge, source] of sources.entries()) {
		parents[rootOf(source)] = rootOf(targets[edge] ?? source);
	}
	const sizes = new Map<number, number>();
	let largest = 0;
	for (const place of concepts.keys()) {
		const root = rootOf(place);
		const size = (sizes.get(root) ?? 0) + 1;
		sizes.set(root, size);
		largest = Math.max(largest, size);
	}
	return { count: sizes.size, largest };
}
