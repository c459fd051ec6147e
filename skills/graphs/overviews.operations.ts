import { dataOperation, LIMITS, type Services } from "../../src/contract/contract.js";
import {
	graphParams,
	previewSchema,
	schemaSchema,
	statsSchema,
	versionsSchema,
} from "./catalog-wire.js";

const exampleParams = { graph_id_or_slug: "agent-payments" };
const common = { params: graphParams, freshness: "catalog" } as const;

/** Two rows before anybody buys. Additive to the contract. */
export const graphPreview = dataOperation({
	id: "graphs.preview",
	at: "GET /v1/graphs/{graph_id_or_slug}/preview",
	...common,
	summary: "Two rows of a graph",
	description:
		"Two real rows for a question the graph gives as an example: what a search of it would sell.",
	callsPerMinute: LIMITS.previewsPerMinute,
	data: previewSchema,
	answer: ({ graphPreview }: Pick<Services, "graphPreview">, { params }) =>
		graphPreview(params.graph_id_or_slug),
	example: { params: exampleParams },
});

/** A graph in numbers. Additive to the contract. */
export const graphStats = dataOperation({
	id: "graphs.stats",
	at: "GET /v1/graphs/{graph_id_or_slug}/stats",
	...common,
	summary: "Numbers of a graph",
	description:
		"How many nodes, edges and sources a graph has, how it hangs together, how far it can be trusted and how fresh it is.",
	data: statsSchema,
	answer: ({ graphStats }: Pick<Services, "graphStats">, { params }) =>
		graphStats(params.graph_id_or_slug),
	example: { params: exampleParams },
});

/** Which types a graph uses. Additive to the contract. */
export const graphSchema = dataOperation({
	id: "graphs.schema",
	at: "GET /v1/graphs/{graph_id_or_slug}/schema",
	...common,
	summary: "Types of a graph",
	description:
		"Types of nodes and edges as they are used, how many there are of each, which properties they have, and the most frequent tags.",
	data: schemaSchema,
	answer: ({ graphSchema }: Pick<Services, "graphSchema">, { params }) =>
		graphSchema(params.graph_id_or_slug),
	example: { params: exampleParams },
});

/** What is on sale and what was before. Additive to the contract. */
export const graphVersions = dataOperation({
	id: "graphs.versions",
	at: "GET /v1/graphs/{graph_id_or_slug}/versions",
	...common,
	summary: "Versions of a graph",
	description:
		"The version on sale and what the graph's own log tells of earlier ones; these are not kept.",
	data: versionsSchema,
	answer: ({ graphVersions }: Pick<Services, "graphVersions">, { params }) =>
		graphVersions(params.graph_id_or_slug),
	example: { params: exampleParams },
});
