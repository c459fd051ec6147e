import { z } from "zod";
import {
	DECISIONS,
	dataOperation,
	digitsField,
	GRAPH_TYPES,
	graphTypesField,
	LIMITS,
	queryField,
	replyComponent,
	replyList,
	requestComponent,
	type Services,
	usdField,
} from "../../src/contract/contract.js";
import { DOMAIN_EXAMPLE } from "./search-examples.js";

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

/** Where to buy: which graphs would answer, before anybody pays. Additive to the contract. */
export const queryRouting = dataOperation({
	id: "search.route",
	at: "POST /v1/search/route",
	summary: "Find the graphs that would answer",
	description:
		"Says which graphs would answer a question, how well, and what the search that answers it costs. Gives none of their content away and keeps no query.",
	body: routingRequestSchema,
	callsPerMinute: LIMITS.routedQueriesPerMinute,
	data: routingSchema,
	answer: ({ searchRoute }: Pick<Services, "searchRoute">, { body, signal }) =>
		searchRoute(body, signal),
	example: { body: { query: DOMAIN_EXAMPLE.query, limit: 3 } },
});

const TYPED_CHARS = 200;
const SUGGESTIONS_MAX = 50;

const suggestionListSchema = replyList(
	"SuggestionList",
	z.object({
		text: z.string(),
		kind: z.enum(["topic", "concept"]),
		graphs: z.array(z.string()).describe("Some graphs that have it"),
	}),
);

/** Names that begin with what was typed. Additive to the contract. */
export const nameSuggestions = dataOperation({
	id: "search.suggest",
	at: "GET /v1/search/suggest",
	summary: "Complete a name",
	description:
		"Topics and concepts whose name, or a word in it, begins with what was typed. Names are free; what a concept says, and its sources, are for sale.",
	callsPerMinute: LIMITS.suggestionsPerMinute,
	query: z.strictObject({
		q: z
			.string()
			.trim()
			.min(1, "must not be empty")
			.max(TYPED_CHARS)
			.min(2, "must have at least 2 characters")
			.describe("What was typed so far"),
		limit: digitsField(SUGGESTIONS_MAX).default(10).describe("Number of suggestions wanted"),
	}),
	isList: true,
	freshness: "catalog",
	data: suggestionListSchema,
	answer: async ({ suggest }: Pick<Services, "suggest">, { query }) => ({
		items: await suggest(query.q, query.limit),
	}),
	example: { query: { q: "idem", limit: "5" } },
});
