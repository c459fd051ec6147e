import type { Concept, Graph, Steps } from "../../../src/knowledge/knowledge.js";
import { tokenize } from "../../../src/search/search.js";
import { findCommunities, type Ties } from "./communities.js";
import { createGraphIndex, degreeAt, type GraphMap, graphMaps } from "./graph-map.js";

/** What a graph is about, by what hangs together in it: nodes that are linked, or cite the same source. */

export interface Topic {
	/** Words that set it apart from the other topics, the best first. */
	readonly terms: readonly string[];
	/** Places of its nodes, those with most edges first. */
	readonly places: readonly number[];
	/** Distinct sources of its nodes. */
	readonly sources: number;
}

export interface GraphTopics {
	/** The largest first. */
	readonly topics: readonly Topic[];
	/** Nodes that nothing is linked with. */
	readonly unlinked: number;
}

/** Two nodes that cite one source have this much of an edge; a source that more cite says nothing of any two. */
const SHARED_SOURCE = 0.5;
const SHARED_BY_MAX = 8;
const TERMS = 5;
const TAG_WEIGHT = 2;

export const topicIndex = createGraphIndex(toTopics);

function* toTopics(graph: Graph): Steps<GraphTopics> {
	const map = graphMaps.of(graph);
	const parts = yield* findCommunities(yield* toTies(map));
	const linked = parts.filter(({ length }) => length > 1);
	const counts = linked.map((places) => countTerms(map, places));
	const spread = new Map<string, number>();
	for (const terms of counts) {
		for (const term of terms.keys()) spread.set(term, (spread.get(term) ?? 0) + 1);
	}
	const topics = linked.map((places, at): Topic => {
		const byDegree = [...places].sort((a, b) => degreeAt(map, b) - degreeAt(map, a) || a - b);
		const addresses = conceptsAt(map, places).flatMap(({ evidence }) =>
			evidence.map(({ sourceUrl }) => sourceUrl),
		);
		const terms = bestTerms(counts[at] ?? new Map(), (term) =>
			Math.log((1 + linked.length) / (spread.get(term) ?? 1)),
		);
		return { terms, places: byDegree, sources: new Set(addresses).size };
	});
	topics.sort(
		(a, b) => b.places.length - a.places.length || (a.places[0] ?? 0) - (b.places[0] ?? 0),
	);
	const unlinked = parts.reduce((sum, { length }) => sum + (length === 1 ? 1 : 0), 0);
	return { topics, unlinked };
}

function* toTies(map: GraphMap): Steps<Ties> {
	const ties = map.concepts.map(() => new Map<number, number>());
	const add = (from: number, to: number, weight: number) =>
		ties[from]?.set(to, (ties[from].get(to) ?? 0) + weight);
	const tie = (a: number, b: number, weight: number) => {
		if (a === b) return;
		add(a, b, weight);
		add(b, a, weight);
	};
	for (const [at, { weight }] of map.edges.entries()) {
		tie(map.sources[at] ?? 0, map.targets[at] ?? 0, weight > 0 ? weight : 1);
	}
	yield;
	for (const places of (yield* citedBy(map)).values()) {
		if (places.length <= SHARED_BY_MAX) tieAll(places, (a, b) => tie(a, b, SHARED_SOURCE));
	}
	return ties;
}

function tieAll(places: readonly number[], tie: (a: number, b: number) => void): void {
	for (const [index, one] of places.entries()) {
		for (const other of places.slice(index + 1)) tie(one, other);
	}
}

function* citedBy({ concepts }: GraphMap): Steps<ReadonlyMap<string, readonly number[]>> {
	const cited = new Map<string, number[]>();
	for (const [place, { evidence }] of concepts.entries()) {
		for (const address of new Set(evidence.map(({ sourceUrl }) => sourceUrl))) {
			const places = cited.get(address);
			if (places) places.push(place);
			else cited.set(address, [place]);
		}
		yield;
	}
	return cited;
}

function conceptsAt({ concepts }: GraphMap, places: readonly number[]): readonly Concept[] {
	return places.flatMap((place) => concepts[place] ?? []);
}

/** How many of the nodes have a word in their title, or as a tag. */
function countTerms(map: GraphMap, places: readonly number[]): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	const count = (term: string, weight: number) =>
		counts.set(term, (counts.get(term) ?? 0) + weight);
	for (const { title, tags } of conceptsAt(map, places)) {
		const own = new Set(tags.map((tag) => tag.toLowerCase()));
		for (const tag of own) count(tag, TAG_WEIGHT);
		const words = tokenize(title).filter(({ isStopWord }) => !isStopWord);
		for (const word of new Set(words.map(({ surface }) => surface))) {
			if (!own.has(word) && word.length > 1) count(word, 1);
		}
	}
	return counts;
}

function bestTerms(
	counts: ReadonlyMap<string, number>,
	rarityOf: (term: string) => number,
): readonly string[] {
	return [...counts]
		.map(([term, count]) => ({ term, score: count * rarityOf(term) }))
		.sort((a, b) => b.score - a.score || (a.term < b.term ? -1 : 1))
		.slice(0, TERMS)
		.map(({ term }) => term);
}
