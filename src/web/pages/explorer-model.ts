/** A graph as the explorer knows it: what is free, what was bought meanwhile, and how much lies beyond. It runs in the pages, too. */

/** Everything that the server gives the explorer; each part of it is what a free operation answers. */
export interface ExplorerData {
	readonly graph: {
		readonly id: string;
		readonly slug: string;
		readonly title: string;
		/** Another one whenever a file of the graph changes. */
		readonly revision: string;
	};
	readonly totals: { readonly nodes: number; readonly edges: number; readonly sources: number };
	/** Kinds of concepts, and tags, each with how many concepts have it; the most frequent first. */
	readonly kinds: readonly Counted[];
	readonly tags: readonly Counted[];
	/** Hosts of sources with how many documents each has; the most first. */
	readonly hosts: readonly Counted[];
	readonly concepts: readonly FreeConcept[];
	/** Amounts in USD of the operations that show more, such as "0.50". */
	readonly prices: Readonly<Record<SoldOperation, string>>;
	/** Where a concept has a price of its own, by its id. */
	readonly nodePrices: Readonly<Record<string, string>>;
	/** Whether more have one than are listed. */
	readonly hasMorePrices: boolean;
}

export const SOLD_OPERATIONS = [
	"graphs.search",
	"graphs.nodes.list",
	"graphs.node",
	"graphs.neighbors",
	"graphs.subgraph",
	"graphs.timeline",
] as const;
export type SoldOperation = (typeof SOLD_OPERATIONS)[number];

export interface Counted {
	readonly name: string;
	readonly count: number;
}

export interface FreeConcept {
	readonly id: string;
	readonly title: string;
	readonly type: string;
	readonly summary: string;
	readonly sources: readonly SourceLink[];
	/** Ids of other free concepts. */
	readonly mentions: readonly string[];
}

export interface SourceLink {
	readonly title: string;
	readonly url: string;
	/** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; null where it is undated. */
	readonly date: string | null;
}

export const MARKS = ["concept", "kind", "topic", "source", "host", "paid"] as const;
/** What is drawn alike; "paid" are the rings of concepts without a name. */
export type Mark = "graph" | (typeof MARKS)[number];

export interface Item {
	readonly id: string;
	readonly mark: Exclude<Mark, "paid">;
	readonly name: string;
	/** Kind of a concept. */
	kind: string;
	tags: readonly string[];
	summary: string;
	/** Text of a concept that was bought. */
	body: string;
	readonly url: string;
	/** Of a kind, a tag or a host: how many there are in the whole graph. */
	readonly count: number;
	/** What is dated of it: days, months or years. */
	readonly dates: Set<string>;
	/** Neighbors, each with what leads there. */
	readonly links: Map<string, string>;
	readonly isBought: boolean;
}

export interface Happening {
	readonly date: string;
	readonly what: string;
	readonly item: string;
	readonly detail: string;
	readonly url: string;
}

export interface Model {
	readonly data: ExplorerData;
	readonly items: Map<string, Item>;
	/** By what they say, so that nothing is listed twice. */
	readonly happenings: Map<string, Happening>;
}

export const GRAPH_ITEM = "graph";
const kindItem = (kind: string) => `kind ${kind}`;
export const conceptItem = (id: string) => `concept ${id}`;
export const conceptIdOf = ({ id }: Item): string => id.slice("concept ".length);

/** What is free of a graph, linked. */
export function createModel(data: ExplorerData, hostOf: (address: string) => string): Model {
	const model: Model = { data, items: new Map(), happenings: new Map() };
	addItem(model, { id: GRAPH_ITEM, mark: "graph", name: data.graph.title });
	for (const { name, count } of data.kinds) {
		addItem(model, { id: kindItem(name), mark: "kind", name, count });
		addLink(model, GRAPH_ITEM, kindItem(name), "has the kind");
	}
	for (const { name, count } of data.tags) {
		addItem(model, { id: `topic ${name}`, mark: "topic", name, count });
		addLink(model, GRAPH_ITEM, `topic ${name}`, "has the topic");
	}
	for (const { name, count } of data.hosts) {
		addItem(model, { id: `host ${name}`, mark: "host", name, count });
		addLink(model, GRAPH_ITEM, `host ${name}`, "cites");
	}
	for (const concept of data.concepts) addConcept(model, concept);
	for (const { id, mentions, sources } of data.concepts) {
		for (const other of mentions) addLink(model, conceptItem(id), conceptItem(other), "links to");
		for (const source of sources) addSource(model, conceptItem(id), source, hostOf);
	}
	return model;
}

type NewItem = Pick<Item, "id" | "mark" | "name"> & Partial<Item>;

/** Adds what is not there yet; what is known already learns what is new of it. */
function addItem({ items }: Model, fresh: NewItem): Item {
	const known = items.get(fresh.id);
	if (!known) {
		const item = { ...UNSAID, ...fresh, dates: new Set<string>(), links: new Map() };
		items.set(item.id, item);
		return item;
	}
	known.kind = fresh.kind || known.kind;
	known.tags = fresh.tags ?? known.tags;
	known.summary = fresh.summary ?? known.summary;
	known.body = fresh.body ?? known.body;
	return known;
}

const UNSAID = {
	...{ kind: "", tags: [], summary: "", body: "", url: "" },
	...{ count: 0, isBought: false },
};

export function addConcept(
	model: Model,
	{
		id,
		title,
		type,
		...more
	}: Pick<FreeConcept, "id" | "title" | "type"> &
		Partial<Pick<Item, "summary" | "body" | "tags" | "isBought">>,
): Item {
	const { summary, body, tags, isBought } = more;
	const item = addItem(model, {
		...{ id: conceptItem(id), mark: "concept", name: title, kind: type },
		...(summary !== undefined && { summary }),
		...(body !== undefined && { body }),
		...(tags !== undefined && { tags }),
		...(isBought !== undefined && { isBought }),
	});
	addLink(model, item.id, kindItem(type), "is of the kind");
	for (const tag of tags ?? []) addLink(model, item.id, `topic ${tag}`, "has the topic");
	return item;
}

/** Both ways; leads nowhere where one of them is not known. */
export function addLink({ items }: Model, from: string, to: string, what: string): boolean {
	const [one, other] = [items.get(from), items.get(to)];
	if (!one || !other || one === other || one.links.has(to)) return false;
	one.links.set(to, what);
	other.links.set(from, what);
	return true;
}

export function addSource(
	model: Model,
	citing: string,
	{ title, url, date }: SourceLink,
	hostOf: (address: string) => string,
): void {
	const host = hostOf(url);
	const source = addItem(model, { id: `source ${url}`, mark: "source", name: title, url });
	addLink(model, citing, source.id, "cites");
	addLink(model, source.id, `host ${host}`, "is published by");
	if (date === null) return;
	source.dates.add(date);
	model.items.get(citing)?.dates.add(date);
	addHappening(model, { date, what: "Source published", item: citing, detail: title, url });
}

export function addHappening({ happenings }: Model, happening: Happening): void {
	const { date, what, item, detail } = happening;
	happenings.set([date, what, item, detail].join("\n"), happening);
}

/** How many concepts have no name yet. */
export function countAllPaid({ items, data }: Model): number {
	let named = 0;
	for (const { mark } of items.values()) if (mark === "concept") named += 1;
	return Math.max(0, data.totals.nodes - named);
}

/** How many marks of each sort there are. */
export function countMarks(model: Model): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const { mark } of model.items.values()) counts.set(mark, (counts.get(mark) ?? 0) + 1);
	return counts.set("paid", countAllPaid(model));
}

/** How many concepts of each kind have no name yet, by the item of the kind. */
export function countPaid({ items }: Model): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const { id, mark, count } of items.values()) if (mark === "kind") counts.set(id, count);
	for (const { mark, kind } of items.values()) {
		const left = counts.get(kindItem(kind));
		if (mark === "concept" && left !== undefined) counts.set(kindItem(kind), left - 1);
	}
	return new Map([...counts].map(([id, count]) => [id, Math.max(0, count)]));
}

export interface Filter {
	/** Lower case; each must be in the name or the summary. */
	readonly words: readonly string[];
	readonly marks: ReadonlySet<string>;
	/** Empty for all. */
	readonly kind: string;
	readonly tag: string;
	/** Years; what is undated fits any. */
	readonly from: number;
	readonly to: number;
}

/** Each word is looked for in all items, and anybody may ask. */
const QUERY_MAX = 200;
const WORDS_MAX = 8;

/** What the filters of the page hold, as a browser sends them. */
export function readFilter(sent: URLSearchParams): Filter {
	const marks = sent.getAll("show");
	const words = (sent.get("q") ?? "").slice(0, QUERY_MAX).toLowerCase().split(/\s+/);
	return {
		words: [...new Set(words)].filter(Boolean).slice(0, WORDS_MAX),
		marks: new Set(marks.length === 0 ? MARKS : marks),
		kind: sent.get("kind") ?? "",
		tag: sent.get("tag") ?? "",
		from: yearIn(sent.get("from")) ?? Number.NEGATIVE_INFINITY,
		to: yearIn(sent.get("to")) ?? Number.POSITIVE_INFINITY,
	};
}

const yearIn = (text: string | null): number | undefined =>
	text !== null && /^\d{4}$/.test(text.trim()) ? Number(text) : undefined;

export const yearOf = (date: string): number => Number(date.slice(0, 4));

/** What fits; what belongs to concepts is left out where a kind or a tag is asked for and none of these has it. */
export function selectItems({ items }: Model, filter: Filter): ReadonlySet<Item> {
	const isNarrowed = filter.kind !== "" || filter.tag !== "";
	const concepts = new Set<string>();
	for (const item of items.values()) {
		if (item.mark === "concept" && isOfKindAndTag(item, filter)) concepts.add(item.id);
	}
	const isLinked = ({ links }: Item) => [...links.keys()].some((id) => concepts.has(id));
	const belongs: Readonly<Record<Item["mark"], (item: Item) => boolean>> = {
		graph: () => true,
		concept: ({ id }) => concepts.has(id),
		kind: (item) => (filter.kind === "" ? isLinked(item) : item.name === filter.kind),
		topic: (item) => item.name === filter.tag || isLinked(item),
		source: isLinked,
		// Concepts name sources, and only these name hosts.
		host: ({ links }) =>
			[...links.keys()].some((id) => id !== GRAPH_ITEM && isLinked(items.get(id) ?? NOWHERE)),
	};
	return new Set(
		[...items.values()].filter(
			(item) =>
				isShown(item, filter) &&
				(!isNarrowed || belongs[item.mark](item)) &&
				hasWords(item, filter.words),
		),
	);
}

const NOWHERE: Item = {
	...UNSAID,
	id: "",
	mark: "host",
	name: "",
	dates: new Set(),
	links: new Map(),
};

function isShown({ mark, dates }: Item, { marks, from, to }: Filter): boolean {
	if (mark === "graph") return true;
	// Rings stand round their kind.
	if (!marks.has(mark) && !(mark === "kind" && marks.has("paid"))) return false;
	if (dates.size === 0) return true;
	return [...dates].some((date) => yearOf(date) >= from && yearOf(date) <= to);
}

const isOfKindAndTag = (item: Item, { kind, tag }: Filter): boolean =>
	(kind === "" || item.kind === kind) && (tag === "" || item.tags.includes(tag));

function hasWords({ mark, name, summary }: Item, words: readonly string[]): boolean {
	if (mark === "graph") return true;
	const text = `${name} ${summary}`.toLowerCase();
	return words.every((word) => text.includes(word));
}

export interface Drawn {
	readonly items: readonly Item[];
	/** How many rings stand round each kind, by its item. */
	readonly rings: ReadonlyMap<string, number>;
	readonly total: number;
}

/**
 * At most so many marks: all of them, or those nearest to one, link by link. Rings take what room the others leave, those of
 * the kind in focus first.
 */
export function chooseDrawn(
	model: Model,
	selected: ReadonlySet<Item>,
	{ focus, isWithPaid, most }: { focus: string; isWithPaid: boolean; most: number },
): Drawn {
	const items = nearest(model, selected, focus).slice(0, most);
	const counts = isWithPaid ? countPaid(model) : new Map<string, number>();
	const paidRound = (some: Iterable<Item>) =>
		[...some].flatMap(({ id }) => {
			const count = counts.get(id) ?? 0;
			return count > 0 ? [[id, count] as const] : [];
		});
	return {
		items,
		rings: shareOut(paidRound(items), { focus, room: most - items.length }),
		total: paidRound(selected).reduce((sum, [, count]) => sum + count, selected.size),
	};
}

/** As many rings for each as there is room, the one in focus before all others. */
function shareOut(
	counts: readonly (readonly [string, number])[],
	{ focus, room }: { readonly focus: string; readonly room: number },
): ReadonlyMap<string, number> {
	const first = Math.min(new Map(counts).get(focus) ?? 0, room);
	const others = counts.filter(([id]) => id !== focus);
	const wanted = others.reduce((sum, [, count]) => sum + count, 0);
	const share = Math.min(1, (room - first) / Math.max(1, wanted));
	return new Map([
		...(first > 0 ? [[focus, first] as const] : []),
		...others.map(([id, count]) => [id, Math.floor(count * share)] as const),
	]);
}

/** Breadth first from one item; what is linked with nothing of these comes last. */
function nearest({ items }: Model, selected: ReadonlySet<Item>, focus: string): readonly Item[] {
	const seen = new Set<Item>();
	const start = items.get(focus);
	const queue = start && selected.has(start) ? [start] : [];
	for (const one of queue) seen.add(one);
	for (let at = 0; at < queue.length; at++) {
		for (const id of queue[at]?.links.keys() ?? []) {
			const near = items.get(id);
			if (!near || seen.has(near) || !selected.has(near)) continue;
			seen.add(near);
			queue.push(near);
		}
	}
	return [...queue, ...[...selected].filter((item) => !seen.has(item))];
}
