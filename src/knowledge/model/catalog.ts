import type { GraphType } from "../../contract/contract.js";
import { notFound } from "../../kernel/kernel.js";
import type { Graph } from "./graph.js";
import { runInTurns, type Steps } from "./work-in-turns.js";

export type GraphCatalog = ReturnType<typeof createGraphCatalog>;

/** Where a graph went that is not on sale under its id any more. */
export interface Departure {
	/** When it went, ISO 8601. */
	readonly at: string;
	/** The id that it has now; null where it was removed. */
	readonly moved_to: string | null;
}

/**
 * All graphs on sale, found by id or slug. Replacing one is one assignment: readers see the old or the new one. A graph without
 * concepts is a draft, which is held here and not sold.
 */
export function createGraphCatalog(
	initial: readonly Graph[] = [],
	/** Where graphs went that are not on sale any more, by the id they had. */
	departures: ReadonlyMap<string, Departure> = new Map(),
) {
	const gone = new Map(departures);
	const byId = new Map<string, Graph>();
	const drafts = new Map<string, Graph>();
	let bySlug = new Map<string, Graph>();
	let sorted: readonly Graph[] = [];
	let revision = "";

	const rebuild = () => {
		sorted = [...byId.values()].sort((a, b) => (a.record.id < b.record.id ? -1 : 1));
		bySlug = new Map(sorted.map((graph) => [graph.record.slug, graph]));
		revision = sorted
			.map((graph) => `${graph.record.id}@${graph.contentHash.slice(0, 16)}`)
			.join(",");
	};
	const hold = (graph: Graph) => {
		const { id } = graph.record;
		const [to, from] = graph.concepts.length > 0 ? [byId, drafts] : [drafts, byId];
		to.set(id, graph);
		from.delete(id);
	};
	for (const graph of initial) hold(graph);
	rebuild();

	/** Says that no graph has this id, and where the one went that had it. */
	const explain = (id: string) =>
		explainAbsence(id, { isDraft: drafts.has(id), departure: gone.get(id) });
	/** Throws NOT_FOUND. Accepts the id only. */
	const get = (id: string): Graph => {
		const graph = byId.get(id);
		if (graph) return graph;
		throw notFound(explain(id));
	};
	/** Also by the name of its detail page. Throws NOT_FOUND. */
	const getNamed = (idOrSlug: string): Graph =>
		byId.get(idOrSlug) ?? bySlug.get(idOrSlug) ?? get(idOrSlug);
	return {
		list: (filter?: { type?: GraphType }): readonly Graph[] =>
			filter?.type ? sorted.filter((graph) => graph.record.type === filter.type) : sorted,
		find: (idOrSlug: string): Graph | undefined => byId.get(idOrSlug) ?? bySlug.get(idOrSlug),
		get,
		/** Graphs without concepts. */
		drafts: (): readonly Graph[] => [...drafts.values()],
		/** On sale or a draft. */
		findHeld: (id: string): Graph | undefined => byId.get(id) ?? drafts.get(id),
		/** Like `findHeld`. Throws NOT_FOUND. */
		getHeld: (id: string): Graph => drafts.get(id) ?? get(id),
		getNamed,
		explain,
		assertKnown: (id: string): void => void get(id),
		put(graph: Graph): void {
			hold(graph);
			gone.delete(graph.record.id);
			rebuild();
		},
		/** Takes a graph off sale; `departure` says where it went. */
		remove(id: string, departure?: Departure): void {
			byId.delete(id);
			drafts.delete(id);
			if (departure) gone.set(id, departure);
			rebuild();
		},
		/** Changes whenever a graph is put or removed. */
		get revision(): string {
			return revision;
		},
	};
}

function explainAbsence(
	id: string,
	{ isDraft, departure }: { isDraft: boolean; departure: Departure | undefined },
): string {
	if (isDraft) return `The graph "${id}" is a draft: it is sold once it has a concept.`;
	if (!departure) {
		return `No graph is called "${id.slice(0, 80)}"; GET /v1/graphs/catalog lists those on sale.`;
	}
	const { moved_to: now, at } = departure;
	return now === null
		? `The graph "${id}" was taken off sale on ${at.slice(0, 10)}; GET /v1/graphs/catalog lists those on sale.`
		: `The graph "${id}" is called "${now}" now: ask for "${now}", at /v1/graphs/${now}.`;
}

/**
 * Derives a value from all graphs when it is first asked for; after a change only new graphs are
 * read again.
 */
export function createPerGraph<Part extends object, Whole>({
	revision,
	graphs,
	make,
	combine,
}: {
	readonly revision: () => string;
	readonly graphs: () => readonly Graph[];
	readonly make: (graph: Graph) => Steps<Part>;
	readonly combine: (parts: readonly Part[]) => Steps<Whole>;
}): () => Promise<Whole> {
	const partOf = new WeakMap<Graph, Part>();
	let latest: { readonly revision: string; readonly whole: Promise<Whole> } | undefined;

	function* wholeOf(all: readonly Graph[]): Steps<Whole> {
		const parts: Part[] = [];
		for (const graph of all) {
			const part = partOf.get(graph) ?? (yield* make(graph));
			partOf.set(graph, part);
			parts.push(part);
		}
		return yield* combine(parts);
	}

	return () => {
		const current = revision();
		if (latest?.revision !== current) {
			latest = { revision: current, whole: runInTurns(wholeOf(graphs())) };
		}
		return latest.whole;
	};
}
