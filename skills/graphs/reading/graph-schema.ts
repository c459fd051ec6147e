import {
	type Concept,
	compareText,
	type Edge,
	type Graph,
	type Steps,
} from "../../../src/knowledge/knowledge.js";
import { createGraphIndex } from "./graph-index.js";
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
