import { normalizeName, toArticleRef } from "../../../src/evidence/evidence.js";
import {
	type Concept,
	type Graph,
	runInTurns,
	type Steps,
} from "../../../src/knowledge/knowledge.js";
import { createGraphIndex, degreeAt, graphMaps, mapOf } from "./graph-map.js";

/** What two graphs have in common: nodes of one name, sources by their address, tags. */

/** What a graph is compared by. */
interface Contents {
	/** Place of the first node of each name. */
	readonly names: ReadonlyMap<string, number>;
	/** Address of one publication of each source, by its reference. */
	readonly sources: ReadonlyMap<string, { readonly title: string; readonly sourceUrl: string }>;
	/** How many nodes have each tag. */
	readonly tags: ReadonlyMap<string, number>;
}

const graphContents = createGraphIndex(toContents);

function* toContents(graph: Graph): Steps<Contents> {
	const names = new Map<string, number>();
	const sources = new Map<string, { title: string; sourceUrl: string }>();
	const tags = new Map<string, number>();
	for (const [place, concept] of graphMaps.of(graph).concepts.entries()) {
		addNames(names, concept, place);
		for (const { title, sourceUrl } of concept.evidence) {
			const ref = toArticleRef(sourceUrl) ?? sourceUrl;
			if (!sources.has(ref)) sources.set(ref, { title, sourceUrl });
		}
		for (const tag of new Set(concept.tags.map((one) => one.toLowerCase())))
			tags.set(tag, (tags.get(tag) ?? 0) + 1);
		yield;
	}
	return { names, sources, tags };
}

function addNames(names: Map<string, number>, { title, aliases }: Concept, place: number): void {
	for (const name of [title, ...aliases].map(normalizeName)) {
		if (name !== "" && !names.has(name)) names.set(name, place);
	}
}

export interface Comparison {
	/** Places of nodes that have a name in common, in the first graph and in the other; those with most edges first. */
	readonly nodes: readonly {
		readonly places: readonly [number, number];
		readonly degree: number;
	}[];
	readonly sources: readonly { readonly title: string; readonly sourceUrl: string }[];
	readonly tags: readonly string[];
	/** Shared ones among all of both, 0 to 1. */
	readonly likeness: { readonly sources: number; readonly tags: number };
	/** Of each graph: its tags and its nodes that the other has not, the most frequent and most linked first. */
	readonly own: readonly [OwnContents, OwnContents];
}

interface OwnContents {
	readonly tags: readonly string[];
	readonly places: readonly number[];
}

export async function compareGraphs(one: Graph, other: Graph): Promise<Comparison> {
	const [a, b] = [await graphContents.ready(one), await graphContents.ready(other)];
	return runInTurns(compareContents({ graph: one, ...a }, { graph: other, ...b }));
}

type Side = Contents & { readonly graph: Graph };

function* compareContents(one: Side, other: Side): Steps<Comparison> {
	const pairs = new Map<number, number>();
	for (const [name, place] of one.names) {
		const twin = other.names.get(name);
		if (twin !== undefined && !pairs.has(place)) pairs.set(place, twin);
	}
	yield;
	const [oneMap, otherMap] = [mapOf(one.graph), mapOf(other.graph)];
	const nodes = [...pairs].map(([place, twin]) => ({
		places: [place, twin] as const,
		degree: degreeAt(oneMap, place) + degreeAt(otherMap, twin),
	}));
	nodes.sort((a, b) => b.degree - a.degree || a.places[0] - b.places[0]);
	yield;
	const sources = [...one.sources].filter(([ref]) => other.sources.has(ref));
	const tags = [...one.tags.keys()].filter((tag) => other.tags.has(tag));
	const weightOf = (tag: string) => (one.tags.get(tag) ?? 0) + (other.tags.get(tag) ?? 0);
	yield;
	return {
		nodes,
		sources: sources.map(([, source]) => source),
		tags: tags.sort((a, b) => weightOf(b) - weightOf(a) || (a < b ? -1 : 1)),
		likeness: {
			sources: shareOf(sources.length, one.sources.size, other.sources.size),
			tags: shareOf(tags.length, one.tags.size, other.tags.size),
		},
		own: [ownOf(one, other, new Set(pairs.keys())), ownOf(other, one, new Set(pairs.values()))],
	};
}

function shareOf(shared: number, one: number, other: number): number {
	const all = one + other - shared;
	return all === 0 ? 0 : Math.round((shared / all) * 1e4) / 1e4;
}

function ownOf(side: Side, other: Side, paired: ReadonlySet<number>): OwnContents {
	const map = mapOf(side.graph);
	const tags = [...side.tags].filter(([tag]) => !other.tags.has(tag));
	const places = [...map.concepts.keys()].filter((place) => !paired.has(place));
	return {
		tags: tags.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([tag]) => tag),
		places: places.sort((a, b) => degreeAt(map, b) - degreeAt(map, a) || a - b),
	};
}
