import type { z } from "zod";
import { toKeyPart } from "../../../src/contract/contract.js";
import {
	type Concept,
	compareText,
	firstWhere,
	type Graph,
	type Steps,
} from "../../../src/knowledge/knowledge.js";
import type { edgeListInput, nodeListInput } from "../graph-wire.js";
import { conceptAt, createGraphIndex, type GraphMap, mapOf, placeOf } from "./graph-map.js";
import { firstBehind, sortInSteps } from "./sorting.js";
import { type Step, toEdgeTest, toStep } from "./walk.js";

/** Types, tags and days outside of which nothing is wanted spare looking at the rest. */
interface NodeQuery
	extends Pick<
		z.infer<typeof nodeListInput>,
		"type" | "tags" | "published_after" | "published_before" | "prefix" | "limit"
	> {
	readonly isWanted: (concept: Concept) => boolean;
	/** Id the list goes on behind; it need not exist any more. */
	readonly after?: string | undefined;
}

export interface Page<T> {
	readonly items: readonly T[];
	readonly hasMore: boolean;
}

/** Concepts by id. */
export function listNodes(graph: Graph, query: NodeQuery): Page<Concept> {
	const map = mapOf(graph);
	const index = nodeIndexes.of(graph);
	const { after, limit, isWanted } = query;
	const startsWith = toPrefixTest(query.prefix);
	const candidates = narrowest(index, query);
	const placeAt = (at: number) => (candidates ? (candidates[at] ?? 0) : at);
	const count = candidates ? candidates.length : map.concepts.length;
	const start =
		after === undefined
			? 0
			: firstWhere(count, (at) => compareText(conceptAt(map, placeAt(at)).id, after) > 0);
	const items: Concept[] = [];
	for (let at = start; at < count; at++) {
		const concept = conceptAt(map, placeAt(at));
		if (!mayBePublished(index.published[placeAt(at)], query)) continue;
		if (!isWanted(concept) || !startsWith(concept)) continue;
		if (items.length === limit) return { items, hasMore: true };
		items.push(concept);
	}
	return { items, hasMore: false };
}

/** Places by type and by tag (both lower case), ascending; names in order, each with the place it belongs to. */
interface NodeIndex {
	readonly byType: ReadonlyMap<string, readonly number[]>;
	readonly byTag: ReadonlyMap<string, readonly number[]>;
	readonly names: readonly (readonly [name: string, place: number])[];
	/** By place; undefined where every source is undated. */
	readonly published: readonly (PublishedDays | undefined)[];
}

/** Days of a concept's oldest and newest dated source. */
interface PublishedDays {
	readonly first: string;
	readonly last: string;
}

export const nodeIndexes = createGraphIndex(toNodeIndex);

function* toNodeIndex(graph: Graph): Steps<NodeIndex> {
	const map = mapOf(graph);
	const byType = new Map<string, number[]>();
	const byTag = new Map<string, number[]>();
	const names: [name: string, place: number][] = [];
	const published: (PublishedDays | undefined)[] = [];
	for (const [place, concept] of map.concepts.entries()) {
		put(byType, concept.type.toLowerCase(), place);
		for (const tag of new Set(concept.tags.map((tag) => tag.toLowerCase()))) put(byTag, tag, place);
		for (const name of namesOf(concept)) names.push([name, place]);
		published.push(publishedDaysOf(concept));
		yield;
	}
	const inOrder = yield* sortInSteps(names, ([a], [b]) => compareText(a, b));
	return { byType, byTag, names: inOrder, published };
}

function publishedDaysOf({ evidence }: Concept): PublishedDays | undefined {
	const days = evidence.flatMap(({ publishedAt }) => publishedAt ?? []).sort();
	const [first, last] = [days[0], days.at(-1)];
	return first === undefined || last === undefined ? undefined : { first, last };
}

function mayBePublished(
	days: PublishedDays | undefined,
	{ published_after: publishedAfter, published_before: publishedBefore }: NodeQuery,
): boolean {
	if (publishedAfter !== undefined && (!days || days.last < publishedAfter)) return false;
	return publishedBefore === undefined || (days !== undefined && days.first <= publishedBefore);
}

function put(lists: Map<string, number[]>, key: string, place: number): void {
	const list = lists.get(key);
	if (list) list.push(place);
	else lists.set(key, [place]);
}

function namesOf({ id, title, aliases }: Concept): readonly string[] {
	return [...new Set([id, title, ...aliases].map((name) => name.toLowerCase()))];
}

function toPrefixTest(prefix: string | undefined): (concept: Concept) => boolean {
	if (prefix === undefined) return () => true;
	const wanted = prefix.toLowerCase();
	return (concept) => namesOf(concept).some((name) => name.startsWith(wanted));
}

/** A list so long is not worth gathering: most of what one looks at is wanted anyway. */
const SELECTIVE_SHARE = 0.25;

/** The fewest places, ascending, outside of which nothing is wanted; undefined when that would be most of the graph. */
function narrowest(
	index: NodeIndex,
	{ type: types, tags, prefix }: NodeQuery,
): readonly number[] | undefined {
	const sources = [
		types && placesUnder(index.byType, types),
		tags && placesUnder(index.byTag, tags),
		prefix === undefined ? undefined : placesNamed(index.names, prefix.toLowerCase()),
	].filter((source) => source !== undefined);
	const [best] = sources.sort((a, b) => a.count - b.count);
	if (!best || best.count > index.names.length * SELECTIVE_SHARE) return undefined;
	return [...new Set(best.gather())].sort((a, b) => a - b);
}

/** How many places there are, some perhaps twice, and the way to gather them. */
function placesUnder(lists: ReadonlyMap<string, readonly number[]>, keys: readonly string[]) {
	const found = keys.map((key) => lists.get(key.toLowerCase()) ?? []);
	return {
		count: found.reduce((sum, { length }) => sum + length, 0),
		gather: () => found.flat(),
	};
}

function placesNamed(names: NodeIndex["names"], prefix: string) {
	const nameAt = (at: number) => names[at]?.[0] ?? "";
	const start = firstWhere(names.length, (at) => compareText(nameAt(at), prefix) >= 0);
	const end = firstWhere(names.length, (at) => {
		const name = nameAt(at);
		return compareText(name, prefix) >= 0 && !name.startsWith(prefix);
	});
	return {
		count: end - start,
		gather: () => names.slice(start, end).map(([, place]) => place),
	};
}

/** The last day on which each concept was written or verified, by its place; empty where nothing is known. */
export const writtenDays = createGraphIndex(toWrittenDays);

/** Concepts written or verified on this day or later, by id, behind the one that is named. */
export function* writtenSince(graph: Graph, day: string, after: string): Generator<Concept> {
	const { concepts } = mapOf(graph);
	const days = writtenDays.of(graph);
	for (let place = firstBehind(concepts, ({ id }) => id, after); place < concepts.length; place++) {
		const concept = concepts[place];
		const written = days[place] ?? "";
		if (concept && written !== "" && written >= day) yield concept;
	}
}

function* toWrittenDays(graph: Graph): Steps<readonly string[]> {
	const days: string[] = [];
	for (const { generatedAt = "", verified = [] } of mapOf(graph).concepts) {
		days.push(verified.reduce((last, { at = "" }) => (at > last ? at : last), generatedAt));
		yield;
	}
	return days;
}

interface EdgeQuery extends Omit<z.infer<typeof edgeListInput>, "graph_id" | "cursor"> {
	/** Source, type and target of the edge the list goes on behind; it need not exist any more. */
	readonly after?: readonly string[] | undefined;
}

/** Edges by source, type and target; every step goes "out". Throws NOT_FOUND for a source or target that does not exist. */
export function listEdges(graph: Graph, query: EdgeQuery): Page<Step> {
	const map = mapOf(graph);
	const { source, target, limit } = query;
	const from = source === undefined ? undefined : placeOf(graph, source);
	const into = target === undefined ? undefined : placeOf(graph, target);
	const isWanted = toEdgeTest(query);
	const candidates = candidatesOf(map, { from, into });
	const start = startBehind(map, candidates, query.after);
	const items: Step[] = [];
	for (let at = start; at < candidates.count; at++) {
		const edge = candidates.edgeAt(at);
		const known = map.edges[edge];
		if (!known || !isWanted(known)) continue;
		if (into !== undefined && map.targets[edge] !== into) continue;
		if (items.length === limit) return { items, hasMore: true };
		items.push(toStep(map, edge, "out"));
	}
	return { items, hasMore: false };
}

export function keyOfEdge({ from, edge, to }: Step): readonly string[] {
	return [from.id, toKeyPart(edge.type), to.id];
}

/** Edges to look at, ascending: they are in the order of the list already. */
function candidatesOf(
	map: GraphMap,
	{ from, into }: { readonly from: number | undefined; readonly into: number | undefined },
): { readonly count: number; readonly edgeAt: (at: number) => number } {
	if (from !== undefined) {
		const start = map.outStart[from] ?? 0;
		return { count: (map.outStart[from + 1] ?? 0) - start, edgeAt: (at) => start + at };
	}
	if (into !== undefined) {
		const start = map.inStart[into] ?? 0;
		const count = (map.inStart[into + 1] ?? 0) - start;
		return { count, edgeAt: (at) => map.inEdges[start + at] ?? 0 };
	}
	return { count: map.edges.length, edgeAt: (at) => at };
}

function startBehind(
	map: GraphMap,
	{ count, edgeAt }: ReturnType<typeof candidatesOf>,
	after: EdgeQuery["after"],
): number {
	if (!after) return 0;
	const [source = "", type = "", target = ""] = after;
	return firstWhere(count, (at) => {
		const edge = edgeAt(at);
		const known = map.edges[edge];
		const order =
			compareText(conceptAt(map, map.sources[edge] ?? 0).id, source) ||
			compareText(toKeyPart(known?.type ?? ""), type) ||
			compareText(known?.target ?? "", target);
		return order > 0;
	});
}
