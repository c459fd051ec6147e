import { z } from "zod";
import {
	DECISIONS,
	isoDayField as dayField,
	replyComponent,
	rowSchema,
} from "../../src/contract/contract.js";

/** What is told of one graph for nothing. */

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
