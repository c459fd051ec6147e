import { z } from "zod";
import {
	DECISIONS,
	GRAPH_TYPES,
	graphTypesField,
	LIMITS,
	queryField,
	replyComponent,
	requestComponent,
	usdField,
} from "../contract/contract.js";
import { dataRoute } from "./define-route.js";
import type { DataRoute } from "./route.js";

const routingRequestSchema = requestComponent(
	"RoutingRequest",
	z.strictObject({
		query: queryField,
		limit: z
			.int("must be a whole number")
			.min(1, "must be at least 1")
			.max(LIMITS.routedGraphsMax, `must be at most ${LIMITS.routedGraphsMax}`)
			.default(LIMITS.routedGraphsDefault)
			.describe("Number of graphs wanted"),
		type: graphTypesField.describe("Kinds of graph to ask; all by default").optional(),
	}),
);

const routedGraphSchema = replyComponent(
	"RoutedGraph",
	z.object({
		graph_id: z.string(),
		slug: z.string(),
		title: z.string(),
		type: z.enum(GRAPH_TYPES),
		decision: z.enum(DECISIONS).describe("What a search of this graph would decide"),
		strength: z.number().describe("How well its best row answers, 0 to 1; comparable throughout"),
		covered: z.array(z.string()).describe("Words of the query that this graph covers"),
		missing: z.array(z.string()).describe("Words of the query that it does not cover"),
		rows_available: z
			.int()
			.describe("Rows found, near-duplicates counted; a search may find some more"),
		price_usd: usdField.describe("Price of that search"),
		operation: z.literal("graphs.search").describe("The paid operation that would answer"),
		resource: z.object({ method: z.literal("POST"), url: z.string() }),
	}),
);

const routingSchema = replyComponent(
	"Routing",
	z.object({
		query: z.string(),
		graphs: z.array(routedGraphSchema).describe("Strongest first; empty when none would answer"),
		missing: z.array(z.string()).describe("Words of the query that no asked graph covers"),
		mode: z.enum(["hybrid", "keyword"]).describe("keyword while no embedding model is at hand"),
		mode_reason: z.string().optional().describe("Why only keywords were searched"),
	}),
);

const QUERY = "Which standard lets a token holder sign a transfer that somebody else submits?";

/** Where to buy: which graphs would answer, before anybody pays. Additive to the contract. */
export const ROUTING_ROUTES: Readonly<Record<"search.route", DataRoute>> = {
	"search.route": dataRoute({
		operationId: "search.route",
		summary: "Find the graphs that would answer",
		description:
			"Says which graphs would answer a question, how well, and what the search that answers it costs. Gives none of their content away and keeps no query.",
		path: z.strictObject({}),
		query: z.strictObject({}),
		body: routingRequestSchema,
		isList: false,
		freshness: "live",
		callsPerMinute: LIMITS.routedQueriesPerMinute,
		data: routingSchema,
		answer: (free, { body, signal }) => free.searchRoute(body, signal),
		example: {
			body: { query: QUERY, limit: 3 },
			data: {
				query: QUERY,
				graphs: [
					{
						graph_id: "agent-payments",
						slug: "agent-payments",
						title: "Agent payments",
						type: "domain",
						decision: "ANSWER",
						strength: 0.87,
						covered: ["standard", "token", "holder", "sign", "transfer", "submits"],
						missing: [],
						rows_available: 12,
						price_usd: "0.50",
						operation: "graphs.search",
						resource: {
							method: "POST",
							url: "https://example.org/v1/graphs/agent-payments/search",
						},
					},
				],
				missing: [],
				mode: "hybrid",
			},
		},
	}),
};
