import type { GraphType } from "../contract/contract.js";
import { notFound } from "../kernel/kernel.js";
import type { Graph } from "./graph.js";
import { runInTurns, type Steps } from "./work-in-turns.js";

export type GraphCatalog = ReturnType<typeof createGraphCatalog>;

/** All graphs on sale, found by id or slug. Replacing one is one assignment: readers see the old or the new one. */
export function createGraphCatalog(initial: readonly Graph[] = []) {
	const byId = new Map<string, Graph>();
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
	for (const graph of initial) byId.set(graph.record.id, graph);
	rebuild();

	/** Throws NOT_FOUND. Accepts the id only. */
	const get = (id: string): Graph => {
		const graph = byId.get(id);
		if (graph) return graph;
		throw notFound(
			`No graph is called "${id.slice(0, 80)}"; GET /v1/graphs/catalog lists those on sale.`,
		);
	};
	return {
		list: (filter?: { type?: GraphType }): readonly Graph[] =>
			filter?.type ? sorted.filter((graph) => graph.record.type === filter.type) : sorted,
		find: (idOrSlug: string): Graph | undefined => byId.get(idOrSlug) ?? bySlug.get(idOrSlug),
		get,
		assertKnown: (id: string): void => void get(id),
		put(graph: Graph): void {
			byId.set(graph.record.id, graph);
			rebuild();
		},
		remove(id: string): void {
			byId.delete(id);
			rebuild();
		},
		/** Changes whenever a graph is put or removed. */
		get revision(): string {
			return revision;
		},
	};
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
