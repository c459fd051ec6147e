import { dataOperation, LIMITS, type Services } from "../../src/contract/contract.js";
import { DOMAIN_EXAMPLE, toExampleReply } from "../search/search.js";
import { graphParams } from "./catalog-wire.js";
import { NODE } from "./graph-examples.js";
import { previewSchema, schemaSchema, statsSchema, versionsSchema } from "./overview-wire.js";

const exampleParams = { graph_id_or_slug: DOMAIN_EXAMPLE.graphId };
const common = { params: graphParams, isList: false, freshness: "catalog" } as const;
const revision = NODE.provenance.content_hash;

/** Two rows before anybody buys. Additive to the contract. */
export const graphPreview = dataOperation({
	id: "graphs.preview",
	method: "GET",
	path: "/v1/graphs/{graph_id_or_slug}/preview",
	...common,
	summary: "Two rows of a graph",
	description:
		"Two real rows for a question the graph gives as an example: what a search of it would sell.",
	callsPerMinute: LIMITS.previewsPerMinute,
	data: previewSchema,
	create:
		({ graphPreview }: Pick<Services, "graphPreview">) =>
		({ params }) =>
			graphPreview(params.graph_id_or_slug),
	example: {
		params: exampleParams,
		data: {
			graph_id: DOMAIN_EXAMPLE.graphId,
			query: DOMAIN_EXAMPLE.query,
			decision: "ANSWER",
			rows: toExampleReply(DOMAIN_EXAMPLE, DOMAIN_EXAMPLE.graphId).rows,
		},
	},
});

/** A graph in numbers. Additive to the contract. */
export const graphStats = dataOperation({
	id: "graphs.stats",
	method: "GET",
	path: "/v1/graphs/{graph_id_or_slug}/stats",
	...common,
	summary: "Numbers of a graph",
	description:
		"How many nodes, edges and sources a graph has, how it hangs together, how far it can be trusted and how fresh it is.",
	data: statsSchema,
	create:
		({ graphStats }: Pick<Services, "graphStats">) =>
		({ params }) =>
			graphStats(params.graph_id_or_slug),
	example: {
		params: exampleParams,
		data: {
			graph_id: DOMAIN_EXAMPLE.graphId,
			version: "1.0.0",
			revision,
			nodes: 42,
			edges: 131,
			evidence: 97,
			sources: 31,
			cited_nodes: 42,
			trust: { "human-reviewed": 0, "machine-confirmed": 0, unverified: 42 },
			status: { draft: 0, stable: 42, deprecated: 0 },
			degree: { mean: 6.24, median: 6, max: 17, isolated: 0 },
			components: { count: 1, largest: 42 },
			freshness: {
				updated: "2026-11-20",
				newest_evidence: "2025-11-12",
				oldest_evidence: "2015-11-19",
				dated_evidence: 97,
				stale_nodes: 0,
			},
		},
	},
});

/** Which types a graph uses. Additive to the contract. */
export const graphSchema = dataOperation({
	id: "graphs.schema",
	method: "GET",
	path: "/v1/graphs/{graph_id_or_slug}/schema",
	...common,
	summary: "Types of a graph",
	description:
		"Types of nodes and edges as they are used, how many there are of each, which properties they have, and the most frequent tags.",
	data: schemaSchema,
	create:
		({ graphSchema }: Pick<Services, "graphSchema">) =>
		({ params }) =>
			graphSchema(params.graph_id_or_slug),
	example: {
		params: exampleParams,
		data: {
			graph_id: DOMAIN_EXAMPLE.graphId,
			node_types: [{ type: "Standard", count: 9, properties: { summary: 9, evidence: 9 } }],
			edge_types: [
				{
					type: "builds-on",
					count: 5,
					properties: { weight: 0, valid_from: 0, valid_to: 0 },
					from: ["Standard"],
					to: ["Standard"],
				},
			],
			tags: [{ tag: "x402", count: 7 }],
		},
	},
});

/** What is on sale and what was before. Additive to the contract. */
export const graphVersions = dataOperation({
	id: "graphs.versions",
	method: "GET",
	path: "/v1/graphs/{graph_id_or_slug}/versions",
	...common,
	summary: "Versions of a graph",
	description:
		"The version on sale and what the graph's own log tells of earlier ones; these are not kept.",
	data: versionsSchema,
	create:
		({ graphVersions }: Pick<Services, "graphVersions">) =>
		({ params }) =>
			graphVersions(params.graph_id_or_slug),
	example: {
		params: exampleParams,
		data: {
			items: [{ version: "1.0.0", updated: "2026-11-20", revision, nodes: 42, evidence: 97 }],
			log: [{ day: "2026-11-20", lines: ["First edition."] }],
		},
	},
});
