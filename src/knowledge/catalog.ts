import type { GraphType } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import type { Graph } from "./graph.js";
import { runInTurns, type Steps } from "./work-in-turns.js";

/** All graphs on sale, found by id or slug. Replacing a graph is one assignment: readers see the old or the new one. */
export interface GraphCatalog {
	list(filter?: { type?: GraphType }): readonly Graph[];
	find(idOrSlug: string): Graph | undefined;
	/** Throws NOT_FOUND. Accepts the id only. */
	get(id: string): Graph;
	assertKnown(id: string): void;
	put(graph: Graph): void;
	remove(id: string): void;
	/** Changes whenever a graph is put or removed; names what derived documents were made from. */
	readonly revision: string;
}

export function createGraphCatalog(initial: readonly Graph[] = []): GraphCatalog {
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

	const get = (id: string): Graph => {
		const graph = byId.get(id);
		if (graph) return graph;
		throw new ServiceError(
			"NOT_FOUND",
			`No graph is called "${id.slice(0, 80)}"; GET /v1/graphs/catalog lists those on sale.`,
		);
	};
	return {
		list: (filter) =>
			filter?.type ? sorted.filter((graph) => graph.record.type === filter.type) : sorted,
		find: (idOrSlug) => byId.get(idOrSlug) ?? bySlug.get(idOrSlug),
		get,
		assertKnown: (id) => void get(id),
		put(graph) {
			byId.set(graph.record.id, graph);
			rebuild();
		},
		remove(id) {
			byId.delete(id);
			rebuild();
		},
		get revision() {
			return revision;
		},
	};
}

/**
 * Makes what derives from the graphs when it is first asked for, step by step. After a change only
 * new graphs are read again.
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
