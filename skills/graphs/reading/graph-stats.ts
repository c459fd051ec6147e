import type { TrustTier } from "../../../src/contract/contract.js";
import {
	type Concept,
	compareText,
	type Edge,
	type Graph,
} from "../../../src/knowledge/knowledge.js";
import { conceptAt, createGraphIndex, degreeAt, type GraphMap, mapOf } from "./graph-map.js";

/** Each graph in numbers, named as they travel. */
export const graphStats = createGraphIndex(countGraph);

/** How many of these days, which are ascending, have passed. */
export function countStale(staleDays: readonly string[], today: string): number {
	const fresh = staleDays.findIndex((day) => day >= today);
	return fresh < 0 ? staleDays.length : fresh;
}

function* countGraph(graph: Graph) {
	const map = mapOf(graph);
	const trust = countTrust(map.concepts);
	const status = { draft: 0, stable: 0, deprecated: 0 };
	const addresses = new Set<string>();
	const days: string[] = [];
	const staleDays: string[] = [];
	let evidence = 0;
	let citedNodes = 0;
	for (const concept of map.concepts) {
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
	return {
		totals: {
			nodes: map.concepts.length,
			edges: map.edges.length,
			/** Sources, each as often as a node names it, and distinct addresses among them. */
			evidence,
			sources: addresses.size,
			cited_nodes: citedNodes,
			trust,
			status,
			degree: countDegrees(map),
			components: countComponents(map),
		},
		evidence: { ...extremesOf(days), dated_evidence: days.length },
		/** Days after which nodes count as stale, ascending. */
		staleDays: staleDays.sort(),
	};
}

export function countTrust(concepts: readonly Concept[]): Record<TrustTier, number> {
	const counts = { "human-reviewed": 0, "machine-confirmed": 0, unverified: 0 };
	for (const { trust } of concepts) counts[trust]++;
	return counts;
}

/** Days of the newest and the oldest source; ISO dates compare as text. Null where none is dated. */
export function extremesOf(days: readonly string[]) {
	let [newest = null, oldest = null]: (string | null)[] = [days[0] ?? null, days[0] ?? null];
	for (const day of days) {
		if (newest === null || day > newest) newest = day;
		if (oldest === null || day < oldest) oldest = day;
	}
	return { newest_evidence: newest, oldest_evidence: oldest };
}

function countDegrees(map: GraphMap) {
	const degrees = Int32Array.from(map.concepts, (_, place) => degreeAt(map, place)).sort();
	const count = degrees.length;
	const mean = count === 0 ? 0 : (2 * map.edges.length) / count;
	return {
		mean: Math.round(mean * 100) / 100,
		median: degrees[Math.floor((count - 1) / 2)] ?? 0,
		max: degrees[count - 1] ?? 0,
		isolated: degrees.filter((degree) => degree === 0).length,
	};
}

/** Parts that hang together, by union and find with path halving, and how many nodes the largest has. */
function countComponents({ concepts, sources, targets }: GraphMap) {
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

const NODE_PROPERTIES: Readonly<Record<string, (concept: Concept) => boolean>> = {
	summary: ({ summary }) => summary !== "",
	body: ({ body }) => body !== "",
	tags: ({ tags }) => tags.length > 0,
	aliases: ({ aliases }) => aliases.length > 0,
	evidence: ({ evidence }) => evidence.length > 0,
	verified: ({ verified }) => verified !== undefined && verified.length > 0,
	generated_at: ({ generatedAt }) => generatedAt !== undefined,
	stale_after: ({ staleAfter }) => staleAfter !== undefined,
};

const EDGE_PROPERTIES: Readonly<Record<string, (edge: Edge) => boolean>> = {
	weight: ({ weight }) => weight !== 1,
	valid_from: ({ validFrom }) => validFrom !== undefined,
	valid_to: ({ validTo }) => validTo !== undefined,
};

/** Counting one is so little work that it is no step of its own. */
const ITEMS_PER_STEP = 16;

/** Types of nodes and edges of a graph as they are used, not as somebody declared them. */
export const graphSchemas = createGraphIndex(readSchema);

function* readSchema(graph: Graph) {
	const map = mapOf(graph);
	const tags = createTally();
	for (const concept of map.concepts) {
		for (const tag of new Set(concept.tags)) tags.add(tag);
		yield;
	}
	return {
		node_types: yield* toTypes(map.concepts, NODE_PROPERTIES),
		edge_types: yield* toEdgeTypes(map),
		tags: tags.sorted().map(([tag, count]) => ({ tag, count })),
	};
}

/** Each type with how many items there are of it and how many of them have each property, most frequent first. */
function* toTypes<T extends { readonly type: string }>(
	items: readonly T[],
	properties: Readonly<Record<string, (item: T) => boolean>>,
) {
	const types = createTally();
	const having = new Map<string, Record<string, number>>();
	const names = Object.entries(properties);
	for (const [at, item] of items.entries()) {
		const { type } = item;
		types.add(type);
		const counts = having.get(type) ?? Object.fromEntries(names.map(([name]) => [name, 0]));
		having.set(type, counts);
		for (const [name, has] of names) if (has(item)) counts[name] = (counts[name] ?? 0) + 1;
		if (at % ITEMS_PER_STEP === 0) yield;
	}
	return types
		.sorted()
		.map(([type, count]) => ({ type, count, properties: having.get(type) ?? {} }));
}

/** Types of edges, each also with the types of nodes it leads from and to, most frequent first. */
function* toEdgeTypes(map: GraphMap) {
	const ends = new Map<string, { from: Tally; to: Tally }>();
	for (const [at, edge] of map.edges.entries()) {
		const tallies = ends.get(edge.type) ?? { from: createTally(), to: createTally() };
		ends.set(edge.type, tallies);
		tallies.from.add(conceptAt(map, map.sources[at] ?? -1).type);
		tallies.to.add(conceptAt(map, map.targets[at] ?? -1).type);
		if (at % ITEMS_PER_STEP === 0) yield;
	}
	const namesIn = (tally: Tally | undefined) => tally?.sorted().map(([name]) => name) ?? [];
	const types = yield* toTypes(map.edges, EDGE_PROPERTIES);
	return types.map((type) => ({
		...type,
		from: namesIn(ends.get(type.type)?.from),
		to: namesIn(ends.get(type.type)?.to),
	}));
}

type Tally = ReturnType<typeof createTally>;

function createTally() {
	const counts = new Map<string, number>();
	return {
		add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1),
		/** Most frequent first, then by name. */
		sorted: () => [...counts].sort(([a, x], [b, y]) => y - x || compareText(a, b)),
	};
}
