import type { Graph } from "../src/knowledge/model/graph.js";

/** A graph that is only searched: its own description is empty. */
export function measuredGraph({
	id,
	concepts,
	contentHash,
}: Pick<Graph, "concepts" | "contentHash"> & { readonly id: string }): Graph {
	const record = {
		id,
		slug: id,
		title: id,
		type: "domain" as const,
		version: "1.0.0",
		updated: "2020-01-01",
		description: "",
		about: "",
		topics: [],
		exampleQueries: [],
		curator: undefined,
		expert: undefined,
		analyst: undefined,
	};
	return { record, concepts, folder: "", contentHash };
}
