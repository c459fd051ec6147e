import { z } from "zod";
import {
	isoDayField as dayField,
	GRAPH_TYPES,
	replyComponent,
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
		links: z.record(z.string(), z.string()),
	}),
);

export const graphListSchema = replyComponent(
	"GraphList",
	z.object({ items: z.array(graphItemSchema) }),
);

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
