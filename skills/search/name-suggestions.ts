import {
	createPerGraph,
	type Graph,
	type GraphCatalog,
	restOfTurn,
	type Steps,
} from "../../src/knowledge/knowledge.js";

export interface Suggestion {
	readonly text: string;
	readonly kind: "topic" | "concept";
	/** Graphs that have it, at most a few. */
	readonly graphs: readonly string[];
}

/** A name as one graph has it. */
interface Name {
	readonly key: string;
	readonly text: string;
	readonly graph: string;
	isTopic: boolean;
	/** How many links leave what it names. */
	links: number;
}

/** One way into a name: it begins at one of its words. */
interface Way {
	readonly text: string;
	readonly name: Name;
}

/** Ways in ascending order. */
type WayBlock = readonly Way[];

/** A name as all graphs have it that were looked at. */
interface Candidate {
	readonly text: string;
	readonly way: string;
	readonly graphs: string[];
	isTopic: boolean;
	isWhole: boolean;
	links: number;
}

const GRAPHS_TOLD = 5;
const WORD_START = /(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu;
const WORDS_MAX = 6;
/** Ways looked at for one prefix, as many in each block; a single letter begins thousands of names. */
const LOOKED_AT = 250;
/** Putting so many in order is a matter of some milliseconds. */
const BLOCK_WAYS = 9_000;

/** While names are put in order: so many that fit are looked at. */
const SCANNED_MOST = 2_000;
const NOT_YET = Promise.resolve(undefined);

/**
 * Completes what somebody began to type, from topics and from the names of concepts. Putting a hundred thousand names in order takes a
 * second; who asks before it is done gets what a look through all of them finds.
 */
export function createNameSuggestions({ catalog }: { readonly catalog: GraphCatalog }) {
	const blocks = createPerGraph({
		revision: () => catalog.revision,
		graphs: () => catalog.list(),
		make: toBlocks,
		combine: (parts) => uniteBlocks(parts.flat()),
	});
	return async (prefix: string, limit: number): Promise<readonly Suggestion[]> => {
		const wanted = normalize(prefix);
		if (wanted === "") return [];
		const ordered = await Promise.race([blocks(), NOT_YET]);
		const found = ordered ? findNames(ordered, wanted) : scanNames(catalog.list(), wanted);
		return bestOf(found, limit).map(toSuggestion);
	};
}

/** Without an order, name by name: in lower case alone, as a full normalization of all would take as long as the order. */
function scanNames(graphs: readonly Graph[], wanted: string): Iterable<Candidate> {
	const candidates = new Map<string, Candidate>();
	let left = SCANNED_MOST;
	for (const { record, concepts } of graphs) {
		const add = (written: string, isTopic: boolean, links: number) => {
			const at = left > 0 ? wordAt(written.toLowerCase(), wanted) : -1;
			if (at < 0) return;
			left -= 1;
			const key = normalize(written);
			const name = { key, text: written, graph: record.id, isTopic, links };
			// A normalized name may be shorter or longer than the one that was looked through.
			addTo(candidates, { text: key.slice(Math.max(0, wordAt(key, wanted))), name });
		};
		for (const topic of record.topics) add(topic, true, 1);
		for (const { title, edges } of concepts) add(title, false, edges.length);
	}
	return candidates.values();
}

/** Where a word begins with it; -1 where none does. */
function wordAt(text: string, wanted: string): number {
	for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
		if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return at;
	}
	return -1;
}

function findNames(blocks: readonly WayBlock[], wanted: string): Iterable<Candidate> {
	const candidates = new Map<string, Candidate>();
	const most = Math.max(1, Math.floor(LOOKED_AT / blocks.length));
	for (const ways of blocks) {
		const first = lowerBound(ways, wanted);
		const end = Math.min(ways.length, first + most);
		for (let at = first; at < end; at++) {
			const way = ways[at] as Way;
			if (!way.text.startsWith(wanted)) break;
			addTo(candidates, way);
		}
	}
	return candidates.values();
}

function addTo(candidates: Map<string, Candidate>, way: Way): void {
	const { key, text, graph, isTopic, links } = way.name;
	const isWhole = way.text.length === key.length;
	const known = candidates.get(key);
	if (!known) {
		candidates.set(key, { text, way: way.text, graphs: [graph], isTopic, isWhole, links });
		return;
	}
	known.isWhole ||= isWhole;
	// A name may be entered by several of its words.
	if (known.graphs.includes(graph)) return;
	known.graphs.push(graph);
	known.isTopic ||= isTopic;
	known.links += links;
}

/** Best first. Few are wanted of many: those are kept in order, the others are only held against the last of them. */
function bestOf(candidates: Iterable<Candidate>, limit: number): readonly Candidate[] {
	const best: Candidate[] = [];
	for (const candidate of candidates) {
		const last = best.at(-1);
		if (best.length >= limit && last && byRank(candidate, last) >= 0) continue;
		let at = best.length;
		while (at > 0 && byRank(candidate, best[at - 1] as Candidate) < 0) at--;
		best.splice(at, 0, candidate);
		if (best.length > limit) best.pop();
	}
	return best;
}

/** What begins with the prefix itself, then what many graphs and links mean. */
function byRank(a: Candidate, b: Candidate): number {
	if (a.isWhole !== b.isWhole) return a.isWhole ? -1 : 1;
	return weightOf(b) - weightOf(a) || (a.way < b.way ? -1 : 1);
}

function weightOf({ graphs, links }: Candidate): number {
	return graphs.length * 10 + links;
}

function toSuggestion({ text, isTopic, graphs }: Candidate): Suggestion {
	return { text, kind: isTopic ? "topic" : "concept", graphs: graphs.slice(0, GRAPHS_TOLD) };
}

function* toBlocks({ record, concepts }: Graph): Steps<readonly WayBlock[]> {
	const byKey = new Map<string, Name>();
	const add = (text: string, isTopic: boolean, links: number) => {
		const key = normalize(text);
		if (key === "") return;
		const known = byKey.get(key) ?? { key, text, graph: record.id, isTopic, links: 0 };
		known.isTopic ||= isTopic;
		known.links += links;
		byKey.set(key, known);
	};
	for (const topic of record.topics) add(topic, true, 1);
	for (const { title, edges } of concepts) {
		add(title, false, edges.length);
		yield;
	}
	const names = [...byKey.values()];
	const blocks: WayBlock[] = [];
	for (let from = 0; from < names.length; from += BLOCK_WAYS / WORDS_MAX) {
		const ways = names.slice(from, from + BLOCK_WAYS / WORDS_MAX).flatMap(waysInto);
		blocks.push(ways.sort(byText));
		yield* restOfTurn();
	}
	return blocks;
}

/** Few blocks are looked through faster than many. */
function* uniteBlocks(blocks: readonly WayBlock[]): Steps<readonly WayBlock[]> {
	const united: WayBlock[] = [];
	let waiting: WayBlock[] = [];
	let ways = 0;
	for (const block of blocks) {
		waiting.push(block);
		ways += block.length;
		if (ways < BLOCK_WAYS) continue;
		united.push(waiting.flat().sort(byText));
		[waiting, ways] = [[], 0];
		yield* restOfTurn();
	}
	return [...united, waiting.flat().sort(byText)];
}

function waysInto(name: Name): readonly Way[] {
	return wordStarts(name.key).map((start) => ({ text: name.key.slice(start), name }));
}

function byText(a: Way, b: Way): number {
	return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}

function wordStarts(key: string): readonly number[] {
	return [...key.matchAll(WORD_START)].slice(0, WORDS_MAX).map(({ index }) => index);
}

function normalize(text: string): string {
	return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

function lowerBound(ways: WayBlock, wanted: string): number {
	let [low, high] = [0, ways.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((ways[middle] as Way).text < wanted) low = middle + 1;
		else high = middle;
	}
	return low;
}
