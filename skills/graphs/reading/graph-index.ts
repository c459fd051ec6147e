import { type Graph, runAtOnce, runInTurns, type Steps } from "../../../src/knowledge/knowledge.js";

/** Something derived from a graph: made once for each, kept as long as it. */
export interface GraphIndex<T> {
	/** Made at once where it is not made yet. */
	of(graph: Graph): T;
	/** Made while other work goes on: ask for this first, and `of` costs nothing. */
	ready(graph: Graph): Promise<T>;
}

export function createGraphIndex<T>(stepsOf: (graph: Graph) => Steps<T>): GraphIndex<T> {
	const made = new WeakMap<Graph, { readonly value: T }>();
	const making = new WeakMap<Graph, Promise<T>>();
	const keep = (graph: Graph, value: T): T => {
		const known = made.get(graph);
		if (known) return known.value;
		made.set(graph, { value });
		return value;
	};
	const make = async (graph: Graph): Promise<T> => {
		try {
			return keep(graph, await runInTurns(stepsOf(graph)));
		} finally {
			making.delete(graph);
		}
	};
	return {
		of: (graph) => made.get(graph)?.value ?? keep(graph, runAtOnce(stepsOf(graph))),
		async ready(graph) {
			const known = made.get(graph);
			if (known) return known.value;
			const underWay = making.get(graph) ?? make(graph);
			if (!made.has(graph)) making.set(graph, underWay);
			return underWay;
		},
	};
}
