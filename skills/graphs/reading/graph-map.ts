import { toKeyPart } from "../../../src/contract/contract.js";
import { notFound } from "../../../src/kernel/kernel.js";
import {
	type Concept,
	compareText,
	type Edge,
	findSuccessor,
	type Graph,
	runAtOnce,
	runInTurns,
	type Steps,
} from "../../../src/knowledge/knowledge.js";

/** Reading a graph: pure functions over what is loaded, indexed once per graph, without transport, money or clock. */

/** A graph's concepts by id and its edges in both directions. An edge is named by its two ends and its type. */
export interface GraphMap {
	/** In the order of their ids; places in this list stand for concepts everywhere below. */
	readonly concepts: readonly Concept[];
	readonly places: ReadonlyMap<string, number>;
	/** Edges between concepts of the graph, by source, then type, then target. */
	readonly edges: readonly Edge[];
	/** Place of each edge's source and target. */
	readonly sources: Int32Array;
	readonly targets: Int32Array;
	/** Edges out of place p are those from `outStart[p]` up to `outStart[p + 1]`. */
	readonly outStart: Int32Array;
	/** Edges into place p are `inEdges` from `inStart[p]` up to `inStart[p + 1]`. */
	readonly inStart: Int32Array;
	readonly inEdges: Int32Array;
}

export const graphMaps = createGraphIndex(toMap);

export const mapOf = graphMaps.of;

/** Throws NOT_FOUND for an id that names no concept of the graph. */
export function placeOf(graph: Graph, conceptId: string): number {
	const { places } = mapOf(graph);
	const place = places.get(conceptId) ?? places.get(findSuccessor(graph, conceptId)?.id ?? "");
	if (place !== undefined) return place;
	throw notFound(
		`No node of the graph "${graph.record.id}" is called "${conceptId.slice(0, 200)}"; GET /v1/graphs/${graph.record.id}/nodes lists them.`,
	);
}

export function getConcept(graph: Graph, conceptId: string): Concept {
	return conceptAt(mapOf(graph), placeOf(graph, conceptId));
}

export function conceptAt({ concepts }: GraphMap, place: number): Concept {
	const concept = concepts[place];
	if (!concept) throw new RangeError("A place beyond the graph.");
	return concept;
}

export function edgesOutOf({ edges, outStart }: GraphMap, place: number): readonly Edge[] {
	return edges.slice(outStart[place], outStart[place + 1]);
}

export function degreeAt({ outStart, inStart }: GraphMap, place: number): number {
	const countIn = (starts: Int32Array) => (starts[place + 1] ?? 0) - (starts[place] ?? 0);
	return countIn(outStart) + countIn(inStart);
}

function* toMap(graph: Graph): Steps<GraphMap> {
	const concepts = [...graph.concepts].sort((a, b) => compareText(a.id, b.id));
	const places = new Map(concepts.map(({ id }, place) => [id, place]));
	const edges: Edge[] = [];
	const sources: number[] = [];
	const targets: number[] = [];
	const outStart = new Int32Array(concepts.length + 1);
	for (const [place, concept] of concepts.entries()) {
		for (const edge of inOrder(concept.edges)) {
			const target = places.get(edge.target);
			if (target === undefined) continue;
			edges.push(edge);
			sources.push(place);
			targets.push(target);
		}
		outStart[place + 1] = edges.length;
		yield;
	}
	return {
		concepts,
		places,
		edges,
		sources: Int32Array.from(sources),
		targets: Int32Array.from(targets),
		outStart,
		...invertEdges(targets, concepts.length),
	};
}

/** By type and target; of two edges of one type to one concept the first counts. */
function inOrder(edges: readonly Edge[]): readonly Edge[] {
	if (edges.length < 2) return edges;
	return [...edges].sort(compareEdges).filter((edge, index, all) => {
		const before = all[index - 1];
		return !before || compareEdges(before, edge) !== 0;
	});
}

function compareEdges(a: Edge, b: Edge): number {
	return compareText(toKeyPart(a.type), toKeyPart(b.type)) || compareText(a.target, b.target);
}

/** The same edges by target: counted, then placed, in one pass each. */
function invertEdges(
	targets: readonly number[],
	places: number,
): Pick<GraphMap, "inStart" | "inEdges"> {
	const inStart = new Int32Array(places + 1);
	for (const target of targets) inStart[target + 1] = (inStart[target + 1] ?? 0) + 1;
	for (let place = 0; place < places; place++) {
		inStart[place + 1] = (inStart[place + 1] ?? 0) + (inStart[place] ?? 0);
	}
	const next = inStart.slice();
	const inEdges = new Int32Array(targets.length);
	for (const [edge, target] of targets.entries()) {
		const at = next[target] ?? 0;
		inEdges[at] = edge;
		next[target] = at + 1;
	}
	return { inStart, inEdges };
}

export type GraphIndex<T> = ReturnType<typeof createGraphIndex<T>>;

/** Something derived from a graph: memoized for each, kept as long as it. */
export function createGraphIndex<T>(stepsOf: (graph: Graph) => Steps<T>) {
	const made = new WeakMap<Graph, { readonly value: T }>();
	const making = new WeakMap<Graph, Promise<T>>();
	const keep = (graph: Graph, value: T): T => {
		const known = made.get(graph);
		if (known) return known.value;
		made.set(graph, { value });
		return value;
	};
	const make = async (graph: Graph): Promise<T> => {
		try {
			return keep(graph, await runInTurns(stepsOf(graph)));
		} finally {
			making.delete(graph);
		}
	};
	return {
		/** Made at once where it is not made yet. */
		of: (graph: Graph): T => made.get(graph)?.value ?? keep(graph, runAtOnce(stepsOf(graph))),
		/** Made while other work goes on: await this first, and `of` costs nothing. */
		async ready(graph: Graph): Promise<T> {
			const known = made.get(graph);
			if (known) return known.value;
			const underWay = making.get(graph) ?? make(graph);
			if (!made.has(graph)) making.set(graph, underWay);
			return underWay;
		},
	};
}
