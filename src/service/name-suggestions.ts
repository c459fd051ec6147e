import type { GraphCatalog } from "../knowledge/catalog.js";
import { createPerRevision } from "./per-revision.js";

export interface Suggestion {
	readonly text: string;
	readonly kind: "topic" | "concept";
	/** Graphs that have it, at most a few. */
	readonly graphs: readonly string[];
}

/** One way into a name: it begins at one of the name's words. */
interface Entry {
	readonly key: string;
	readonly suggestion: Suggestion;
	/** How many graphs and links lead to it: what many mean comes first. */
	readonly weight: number;
	readonly isWhole: boolean;
}

const GRAPHS_TOLD = 5;
const WORD_START = /(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu;
const WORDS_MAX = 6;
/** Entries looked at for one prefix; a single letter begins thousands of names. */
const LOOKED_AT = 2_000;

/** Completes what somebody began to type, from topics and from the names of concepts. */
export function createNameSuggestions({ catalog }: { readonly catalog: GraphCatalog }) {
	const index = createPerRevision(
		() => [catalog.revision],
		() => buildEntries(catalog),
	);
	return (prefix: string, limit: number): readonly Suggestion[] => {
		const wanted = normalise(prefix);
		if (wanted === "") return [];
		const entries = index("names");
		const first = lowerBound(entries, wanted);
		const found: Entry[] = [];
		for (let at = first; at < entries.length && at < first + LOOKED_AT; at++) {
			const entry = entries[at] as Entry;
			if (!entry.key.startsWith(wanted)) break;
			found.push(entry);
		}
		found.sort(byRank);
		const chosen = new Map(found.map(({ suggestion }) => [suggestion, true]));
		return [...chosen.keys()].slice(0, limit);
	};
}

function byRank(a: Entry, b: Entry): number {
	if (a.isWhole !== b.isWhole) return a.isWhole ? -1 : 1;
	return b.weight - a.weight || (a.key < b.key ? -1 : 1);
}

function buildEntries(catalog: GraphCatalog): readonly Entry[] {
	const names = new Map<
		string,
		{ text: string; isTopic: boolean; graphs: Set<string>; links: number }
	>();
	const add = (text: string, graph: string, isTopic: boolean, links: number) => {
		const key = normalise(text);
		if (key === "") return;
		const known = names.get(key) ?? { text, isTopic, graphs: new Set(), links: 0 };
		known.isTopic ||= isTopic;
		known.graphs.add(graph);
		known.links += links;
		names.set(key, known);
	};
	for (const { record, concepts } of catalog.list()) {
		for (const topic of record.topics) add(topic, record.id, true, 1);
		for (const { title, edges } of concepts) add(title, record.id, false, edges.length);
	}
	return [...names]
		.flatMap(([key, { text, isTopic, graphs, links }]) => {
			const suggestion: Suggestion = {
				text,
				kind: isTopic ? "topic" : "concept",
				graphs: [...graphs].slice(0, GRAPHS_TOLD),
			};
			const weight = graphs.size * 10 + links;
			return wordStarts(key).map((start) => ({
				key: key.slice(start),
				suggestion,
				weight,
				isWhole: start === 0,
			}));
		})
		.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function wordStarts(key: string): readonly number[] {
	return [...key.matchAll(WORD_START)].slice(0, WORDS_MAX).map(({ index }) => index);
}

function normalise(text: string): string {
	return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

function lowerBound(entries: readonly Entry[], wanted: string): number {
	let [low, high] = [0, entries.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((entries[middle] as Entry).key < wanted) low = middle + 1;
		else high = middle;
	}
	return low;
}
