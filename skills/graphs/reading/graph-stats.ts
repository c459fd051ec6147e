import type { TrustTier } from "../../../src/contract/contract.js";
import {
	type Concept,
	compareText,
	type Edge,
	type Graph,
	type Steps,
} from "../../../src/knowledge/knowledge.js";
import { conceptAt, createGraphIndex, degreeAt, type GraphMap, mapOf } from "./graph-map.js";

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

export const graphStats = createGraphIndex(countGraph);

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

/** One kind of node or edge: how many there are, and how many of them have each property. */
export interface SchemaType {
	readonly type: string;
	readonly count: number;
	readonly properties: Readonly<Record<string, number>>;
}

export interface SchemaEdgeType extends SchemaType {
	/** Types of nodes it leads from and to, most frequent first. */
	readonly from: readonly string[];
	readonly to: readonly string[];
}

export interface GraphSchema {
	/** Most frequent first, then by name. */
	readonly nodeTypes: readonly SchemaType[];
	readonly edgeTypes: readonly SchemaEdgeType[];
	readonly tags: readonly { readonly tag: string; readonly count: number }[];
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

function* readSchema(graph: Graph): Steps<GraphSchema> {
	const map = mapOf(graph);
	const tags = createTally();
	for (const concept of map.concepts) {
		for (const tag of new Set(concept.tags)) tags.add(tag);
		yield;
	}
	return {
		nodeTypes: yield* toTypes(map.concepts, ({ type }) => type, NODE_PROPERTIES),
		edgeTypes: yield* toEdgeTypes(map),
		tags: tags.sorted().map(([tag, count]) => ({ tag, count })),
	};
}

function* toTypes<T>(
	items: readonly T[],
	typeOf: (item: T) => string,
	properties: Readonly<Record<string, (item: T) => boolean>>,
): Steps<readonly SchemaType[]> {
	const types = createTally();
	const having = new Map<string, Record<string, number>>();
	const names = Object.entries(properties);
	for (const [at, item] of items.entries()) {
		const type = typeOf(item);
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

function* toEdgeTypes(map: GraphMap): Steps<readonly SchemaEdgeType[]> {
	const ends = new Map<string, { from: Tally; to: Tally }>();
	for (const [at, edge] of map.edges.entries()) {
		const tallies = ends.get(edge.type) ?? { from: createTally(), to: createTally() };
		ends.set(edge.type, tallies);
		tallies.from.add(conceptAt(map, map.sources[at] ?? -1).type);
		tallies.to.add(conceptAt(map, map.targets[at] ?? -1).type);
		if (at % ITEMS_PER_STEP === 0) yield;
	}
	const namesIn = (tally: Tally | undefined) => tally?.sorted().map(([name]) => name) ?? [];
	const types = yield* toTypes(map.edges, ({ type }) => type, EDGE_PROPERTIES);
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
