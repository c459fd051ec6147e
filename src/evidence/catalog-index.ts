/** What the graphs say together: sources, articles, entities and brands, derived from all of them; no money, no transport. */

import { type Graph, type GraphCatalog, runInTurns, type Steps } from "../knowledge/knowledge.js";
/** The graphs there are, and what names their state. */
export type Graphs = Pick<GraphCatalog, "list" | "revision">;

/**
 * Something derived from all graphs of a catalog, memoized for its latest revision. It is made on first use, with everything
 * else served in between; callers meanwhile wait for the same one.
 */
export function createCatalogIndex<T>(stepsOf: (graphs: readonly Graph[]) => Steps<T>) {
	const latest = new WeakMap<Graphs, { readonly revision: string; readonly made: Promise<T> }>();
	return (catalog: Graphs): Promise<T> => {
		const { revision } = catalog;
		const known = latest.get(catalog);
		if (known?.revision === revision) return known.made;
		const made = runInTurns(stepsOf(catalog.list()));
		latest.set(catalog, { revision, made });
		return made;
	};
}
