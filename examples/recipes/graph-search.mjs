// One paid search as a tool for a model; the recipes beside this give it to their frameworks.
import { ClientError } from "@tollgraph/client";
import { z } from "zod";

export const SEARCH_TOOL = {
	name: "search_graph",
	description:
		"Searches a curated knowledge graph. Each answer comes with dated sources and costs money; one without rows is free.",
	input: z.object({
		graph_id: z.string().describe("Which graph, e.g. agent-payments"),
		query: z.string().describe("The question, in plain language"),
	}),
};

/** The client's limits bound what the model can spend: it chooses the question, never the price. */
export function createGraphSearch(client) {
	return async ({ graph_id, query }) => {
		try {
			const { rows, meta } = await client.search(graph_id, { query, limit: 3 });
			return {
				cost_usd: meta.cost.amount_usd,
				rows: rows.map(({ name, summary, evidence }) => ({
					name,
					summary,
					sources: evidence.map(({ source_url, published_at }) => ({ source_url, published_at })),
				})),
			};
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			// The model reads why, and answers without it or asks something else.
			return { error: error.code, message: error.message };
		}
	};
}
