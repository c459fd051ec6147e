import { z } from "zod";
import {
	DECISIONS,
	isoDayField as dayField,
	GRAPH_TYPES,
	graphPricesSchema,
	replyComponent,
	replyList,
	rowSchema,
	usdField,
} from "../../src/contract/contract.js";

/** What the catalog of graphs and the roster of experts answer with. */

const graphItemSchema = replyComponent(
	"GraphItem",
	z.object({
		id: z.string(),
		slug: z.string().describe("Name of the detail page; may differ from the id"),
		title: z.string(),
		type: z.enum(GRAPH_TYPES),
		version: z.string(),
		updated: dayField,
		description: z.string(),
		topics: z.array(z.string()),
		nodes: z.int(),
		evidence: z.int().describe("How many sources carry the nodes"),
		price_usd: usdField.describe("Price of one search in this graph"),
		prices: graphPricesSchema.optional().describe("Where the graph has prices of its own"),
		links: z.record(z.string(), z.string()),
	}),
);

export const graphListSchema = replyList("GraphList", graphItemSchema);

export const graphDetailSchema = replyComponent(
	"GraphDetail",
	graphItemSchema.extend({
		example_queries: z.array(z.string()),
		curator: z.object({ name: z.string(), note: z.string() }).nullable(),
		expert: z
			.object({
				agent_id: z.string(),
				name: z.string(),
				headline: z.string(),
				is_ai_twin: z.boolean(),
				disclosure: z.string(),
			})
			.optional()
			.describe("Graphs of type expert only"),
		analyst: z
			.object({ name: z.string(), domain: z.string(), method: z.string() })
			.optional()
			.describe("Graphs of type analyst only"),
		trust: z.object({
			"human-reviewed": z.int(),
			"machine-confirmed": z.int(),
			unverified: z.int(),
		}),
		freshness: z.object({
			updated: dayField,
			newest_evidence: dayField.nullable(),
			oldest_evidence: dayField.nullable(),
			stale_nodes: z.int().describe("Nodes whose own date of expiry has passed"),
		}),
	}),
);

export const graphParams = z.strictObject({
	graph_id_or_slug: z.string().min(1).max(200).describe("Id of the graph, or its slug"),
});

/** What is returned of one graph for free. */

const counts = z.record(z.string(), z.int());

export const previewSchema = replyComponent(
	"GraphPreview",
	z.object({
		graph_id: z.string(),
		query: z.string().nullable().describe("The example question; null when none finds anything"),
		decision: z.enum(DECISIONS),
		rows: z.array(rowSchema).describe("Two rows as a search of this graph would sell them"),
	}),
);

export const statsSchema = replyComponent(
	"GraphStats",
	z.object({
		graph_id: z.string(),
		version: z.string(),
		revision: z.string().describe("Changes with any file of the graph"),
		nodes: z.int(),
		edges: z.int(),
		evidence: z.int().describe("Sources, each as often as a node names it"),
		sources: z.int().describe("Distinct sources"),
		cited_nodes: z.int().describe("Nodes that name at least one source"),
		trust: counts.describe("Nodes by trust tier"),
		status: counts.describe("Nodes by status"),
		degree: z.object({
			mean: z.number(),
			median: z.int(),
			max: z.int(),
			isolated: z.int().describe("Nodes without any edge"),
		}),
		components: z.object({
			count: z.int().describe("Parts that hang together"),
			largest: z.int().describe("Nodes of the largest"),
		}),
		freshness: z.object({
			updated: dayField,
			newest_evidence: dayField.nullable(),
			oldest_evidence: dayField.nullable(),
			dated_evidence: z.int(),
			stale_nodes: z.int().describe("Nodes whose own date of expiry has passed"),
		}),
	}),
);

const typeSchema = z.object({
	type: z.string(),
	count: z.int(),
	properties: counts.describe("How many of them have each property"),
});

export const schemaSchema = replyComponent(
	"GraphSchema",
	z.object({
		graph_id: z.string(),
		node_types: z.array(typeSchema).describe("Most frequent first"),
		edge_types: z.array(
			typeSchema.extend({
				from: z.array(z.string()).describe("Types of nodes it leads from"),
				to: z.array(z.string()).describe("Types of nodes it leads to"),
			}),
		),
		tags: z.array(z.object({ tag: z.string(), count: z.int() })),
	}),
);

export const versionsSchema = replyComponent(
	"GraphVersions",
	z.object({
		items: z
			.array(
				z.object({
					version: z.string(),
					updated: dayField,
					revision: z.string(),
					nodes: z.int(),
					evidence: z.int(),
				}),
			)
			.describe("The version on sale; earlier ones are not kept"),
		log: z
			.array(z.object({ day: dayField, lines: z.array(z.string()) }))
			.describe("What the graph's own log says of each day, as it is written"),
	}),
);
