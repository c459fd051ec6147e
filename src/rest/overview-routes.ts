import { z } from "zod";
import { NODE } from "../../skills/graphs/graphs.js";
import { DOMAIN_EXAMPLE, toExampleReply } from "../../skills/search/search.js";
import { type FreeOperationId, LIMITS } from "../contract/contract.js";
import { graphPath } from "./catalog-schemas.js";
import { dataRoute } from "./define-route.js";
import { previewSchema, schemaSchema, statsSchema, versionsSchema } from "./overview-schemas.js";
import type { DataRoute } from "./route.js";

type OverviewId = Extract<
	FreeOperationId,
	"graphs.preview" | "graphs.stats" | "graphs.schema" | "graphs.versions"
>;

const examplePath = { graph_id_or_slug: DOMAIN_EXAMPLE.graphId };
const common = { path: graphPath, query: z.strictObject({}), freshness: "catalog" } as const;
const revision = NODE.provenance.content_hash;

/** What a buyer may know of a graph before buying. Additive to the contract. */
export const OVERVIEW_ROUTES: Readonly<Record<OverviewId, DataRoute>> = {
	"graphs.preview": dataRoute({
		...common,
		operationId: "graphs.preview",
		summary: "Two rows of a graph",
		description:
			"Two real rows for a question the graph gives as an example: what a search of it would sell.",
		isList: false,
		callsPerMinute: LIMITS.previewsPerMinute,
		data: previewSchema,
		answer: (free, { path }) => free.graphPreview(path.graph_id_or_slug),
		example: {
			path: examplePath,
			data: {
				graph_id: DOMAIN_EXAMPLE.graphId,
				query: DOMAIN_EXAMPLE.query,
				decision: "ANSWER",
				rows: toExampleReply(DOMAIN_EXAMPLE, DOMAIN_EXAMPLE.graphId).rows,
			},
		},
	}),
	"graphs.stats": dataRoute({
		...common,
		operationId: "graphs.stats",
		summary: "Numbers of a graph",
		description:
			"How many nodes, edges and sources a graph has, how it hangs together, how far it can be trusted and how fresh it is.",
		isList: false,
		data: statsSchema,
		answer: (free, { path: { graph_id_or_slug } }) => free.graphStats(graph_id_or_slug),
		example: {
			path: examplePath,
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
	}),
	"graphs.schema": dataRoute({
		...common,
		operationId: "graphs.schema",
		summary: "Types of a graph",
		description:
			"Types of nodes and edges as they are used, how many there are of each, which properties they have, and the most frequent tags.",
		isList: false,
		data: schemaSchema,
		answer: (free, { path: { graph_id_or_slug } }) => free.graphSchema(graph_id_or_slug),
		example: {
			path: examplePath,
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
	}),
	"graphs.versions": dataRoute({
		...common,
		operationId: "graphs.versions",
		summary: "Versions of a graph",
		description:
			"The version on sale and what the graph's own log tells of earlier ones; these are not kept.",
		isList: false,
		data: versionsSchema,
		answer: (free, { path: { graph_id_or_slug } }) => free.graphVersions(graph_id_or_slug),
		example: {
			path: examplePath,
			data: {
				items: [{ version: "1.0.0", updated: "2026-11-20", revision, nodes: 42, evidence: 97 }],
				log: [{ day: "2026-11-20", lines: ["First edition."] }],
			},
		},
	}),
};
