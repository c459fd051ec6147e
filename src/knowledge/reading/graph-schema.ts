import { compareText } from "../bundle-document.js";
import type { Concept, Edge, Graph } from "../graph.js";
import { conceptAt, type GraphMap, mapOf } from "./graph-map.js";

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

const known = new WeakMap<Graph, GraphSchema>();

/** Types of nodes and edges of a graph as they are used, not as somebody declared them; counted once. */
export function schemaOf(graph: Graph): GraphSchema {
	const before = known.get(graph);
	if (before) return before;
	const map = mapOf(graph);
	const tags = createTally();
	for (const concept of map.concepts) for (const tag of new Set(concept.tags)) tags.add(tag);
	const schema = {
		nodeTypes: toTypes(map.concepts, ({ type }) => type, NODE_PROPERTIES),
		edgeTypes: toEdgeTypes(map),
		tags: tags.sorted().map(([tag, count]) => ({ tag, count })),
	};
	known.set(graph, schema);
	return schema;
}

function toTypes<T>(
	items: readonly T[],
	typeOf: (item: T) => string,
	properties: Readonly<Record<string, (item: T) => boolean>>,
): readonly SchemaType[] {
	const types = createTally();
	const having = new Map<string, Record<string, number>>();
	const names = Object.entries(properties);
	for (const item of items) {
		const type = typeOf(item);
		types.add(type);
		const counts = having.get(type) ?? Object.fromEntries(names.map(([name]) => [name, 0]));
		having.set(type, counts);
		for (const [name, has] of names) if (has(item)) counts[name] = (counts[name] ?? 0) + 1;
	}
	return types
		.sorted()
		.map(([type, count]) => ({ type, count, properties: having.get(type) ?? {} }));
}

function toEdgeTypes(map: GraphMap): readonly SchemaEdgeType[] {
	const ends = new Map<string, { from: Tally; to: Tally }>();
	for (const [at, edge] of map.edges.entries()) {
		const tallies = ends.get(edge.type) ?? { from: createTally(), to: createTally() };
		ends.set(edge.type, tallies);
		tallies.from.add(conceptAt(map, map.sources[at] ?? -1).type);
		tallies.to.add(conceptAt(map, map.targets[at] ?? -1).type);
	}
	const namesIn = (tally: Tally | undefined) => tally?.sorted().map(([name]) => name) ?? [];
	return toTypes(map.edges, ({ type }) => type, EDGE_PROPERTIES).map((type) => ({
		...type,
		from: namesIn(ends.get(type.type)?.from),
		to: namesIn(ends.get(type.type)?.to),
	}));
}

interface Tally {
	add(name: string): void;
	/** Most frequent first, then by name. */
	sorted(): readonly (readonly [name: string, count: number])[];
}

function createTally(): Tally {
	const counts = new Map<string, number>();
	return {
		add: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
		sorted: () => [...counts].sort(([a, x], [b, y]) => y - x || compareText(a, b)),
	};
}
