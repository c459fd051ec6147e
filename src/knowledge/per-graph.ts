import type { Graph } from "./graph.js";
import { runInTurns, type Steps } from "./work-in-turns.js";

export interface PerGraphDeps<Part, Whole> {
	/** Changes whenever the graphs do. */
	readonly revision: () => string;
	/** Those that count, in their order. */
	readonly graphs: () => readonly Graph[];
	/** What one graph adds. */
	readonly make: (graph: Graph) => Steps<Part>;
	/** What all of them are together. */
	readonly combine: (parts: readonly Part[]) => Steps<Whole>;
}

/**
 * Makes what derives from the graphs when it is first asked for, step by step with everything else served in between. After a
 * change only graphs that are new are read again; whoever asked before it is answered as of then.
 */
export function createPerGraph<Part extends object, Whole>(
	deps: PerGraphDeps<Part, Whole>,
): () => Promise<Whole> {
	const { revision, graphs, make, combine } = deps;
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
