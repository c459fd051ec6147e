import { z } from "zod";
import {
	conceptFiltersSchema,
	effortField,
	explainField,
	type GraphType,
	graphFiltersSchema,
	graphIdField,
	LIMITS,
	limitField,
	paidOperation,
	queryField,
	requestComponent,
	type SearchResponse,
	type SkillServices,
	searchReplySchema,
	searchResponseSchema,
	type ToolTerms,
} from "../../src/contract/contract.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { searchAndAnswer, toSearchText } from "./search-answer.js";
import { DOMAIN_EXAMPLE, type SearchExample } from "./search-examples.js";

const EXAMPLE_GRAPH = "agent-payments";
const EXAMPLE_QUERY = "Which HTTP status code asks for payment?";

const asked = { query: queryField, limit: limitField.default(LIMITS.rowsDefault) };

const graphSearchBody = requestComponent(
	"GraphSearchRequest",
	z.strictObject({
		...asked,
		filters: requestComponent("ConceptFilters", conceptFiltersSchema).optional(),
		effort: effortField,
		explain: explainField,
	}),
);

const searchBody = requestComponent(
	"SearchRequest",
	z.strictObject({
		...asked,
		filters: requestComponent("GraphFilters", graphFiltersSchema).optional(),
		effort: effortField,
		explain: explainField,
	}),
);
type SearchInput = z.output<typeof searchBody>;

const BILLING =
	"Filters are exact; explain says what each score is made of. Paid per call. Without a credential the answer is 402 with the price and every way to pay it; an answer without rows costs nothing.";

const FIELDS = {
	query: "Question in plain language",
	limit: "Rows wanted; 5 if left out",
} satisfies ToolTerms["fields"];
/** Few rows: a model reads every one of them. */
const DEFAULTS = { limit: 5 } satisfies ToolTerms["defaults"];

type Needed = Pick<SkillServices, "catalog" | "search" | "clock">;

/** Ranked rows of one graph for a query, each with the evidence that carries it. Spec: Endpoints, paid operations. */
export const graphSearch = paidOperation({
	id: "graphs.search",
	at: "POST /v1/graphs/{graph_id}/search",
	agent: {
		name: "search_graph",
		aliases: ["graph_search"],
		tool: {
			title: "Search one graph",
			description: "Ranked, cited rows from one graph, with the decision whether they answer.",
			fields: { graph_id: "Graph id; list_graphs and route_query name them", ...FIELDS },
			defaults: DEFAULTS,
		},
	},
	summary: "Search one graph",
	description: `Ranked rows of one graph, each with the evidence that carries it. ${BILLING}`,
	params: z.strictObject({ graph_id: graphIdField }),
	body: graphSearchBody,
	reply: searchReplySchema,
	title: "Search a knowledge graph",
	about:
		"Ranked, cited rows of one curated knowledge graph for a question in plain language. Graph ids are listed by /v1/graphs/catalog. Not charged when the graph has no answer.",
	tags: ["search", "knowledge-graph", "evidence"],
	examples: ["How does HTTP 402 let an agent pay for a single call?"],
	input: z.strictObject({ graph_id: graphIdField, ...graphSearchBody.shape }),
	output: searchResponseSchema,
	toText: toSearchText,
	create: ({ catalog, search, clock }: Needed) => ({
		exampleInput: () => ({ graph_id: exampleGraph(catalog), query: EXAMPLE_QUERY, limit: 3 }),
		prepare: ({ graph_id }) => catalog.assertKnown(graph_id), // NOT_FOUND before anybody pays
		run: ({ graph_id, ...request }, { signal }) =>
			searchAndAnswer(
				{ search, clock },
				{ ...request, graphs: [catalog.get(graph_id)], graphId: graph_id, signal },
			),
	}),
	example: {
		params: { graph_id: EXAMPLE_GRAPH },
		body: { query: DOMAIN_EXAMPLE.query, limit: 5 },
	},
});

function exampleGraph(catalog: GraphCatalog): string {
	const [first] = catalog.list();
	const graph = catalog.find(EXAMPLE_GRAPH) ?? first;
	return graph?.record.id ?? EXAMPLE_GRAPH;
}

type Written = Parameters<
	typeof paidOperation<z.ZodObject, z.ZodObject, SearchInput, SearchResponse, Needed>
>[0];

interface SearchAcross
	extends Pick<Written, "id" | "at" | "agent" | "summary" | "title" | "about" | "tags"> {
	/** Undefined for graphs of every kind. */
	readonly type?: GraphType;
	/** What it ranks. */
	readonly ranked: string;
	readonly question: string;
	readonly example: SearchExample;
}

/** One search over every graph of a kind; each row says which graph it is from. Spec: Endpoints, paid operations. */
function searchAcross({ type, ranked, question, example, ...operation }: SearchAcross): Written {
	return {
		...operation,
		description: `Ranks ${ranked} for a question; every row names its graph and carries its evidence. ${BILLING}`,
		body: searchBody,
		reply: searchReplySchema,
		examples: [question],
		output: searchResponseSchema,
		toText: toSearchText,
		create: ({ catalog, search, clock }) => ({
			exampleInput: () => ({ query: question, limit: 3 }),
			run: (request, { signal }) =>
				searchAndAnswer(
					{ search, clock },
					{ ...request, graphs: catalog.list(type && { type }), graphId: null, signal },
				),
		}),
		example: { body: { query: example.query, limit: 5, ...example.options } },
	};
}

/** Trends and evidence over every domain graph. */
export const domainSearch = paidOperation(
	searchAcross({
		id: "search.domain",
		at: "POST /v1/search/domain",
		type: "domain",
		agent: {
			name: "search_domain",
			aliases: ["domain_search"],
			tool: {
				title: "Search domain trends",
				description: "Rows from the graphs of trends and their evidence.",
				fields: FIELDS,
				defaults: DEFAULTS,
			},
		},
		summary: "Search all domain graphs",
		ranked: "concepts and trends of every domain graph",
		about:
			"Ranked, cited rows over all domain graphs of the catalog: trends, standards and mechanisms with dated evidence. Not charged when nothing answers.",
		tags: ["search", "domain", "evidence"],
		question: EXAMPLE_QUERY,
		example: DOMAIN_EXAMPLE,
	}),
);

/** Rows over every industry report. */
export const reportSearch = paidOperation(
	searchAcross({
		id: "search.report",
		at: "POST /v1/search/report",
		type: "industry report",
		agent: {
			name: "search_reports",
			aliases: ["report_search"],
			tool: {
				title: "Search reports",
				description: "Rows from the graphs of industry and corporate reports.",
				fields: FIELDS,
				defaults: DEFAULTS,
			},
		},
		summary: "Search all industry reports",
		ranked: "findings of every industry report",
		about:
			"Ranked, cited rows over all industry reports of the catalog. Not charged when nothing answers.",
		tags: ["search", "report", "evidence"],
		question: "Which vulnerabilities in version control software were exploited?",
		example: {
			query: "How does a logged string lead to remote code execution?",
			options: {
				filters: {
					type: ["Event"],
					published_after: "2021-01-01",
					trust_tier: "machine-confirmed",
				},
				explain: true,
			},
		},
	}),
);

/** Rows over the notes of every expert. */
export const expertSearch = paidOperation(
	searchAcross({
		id: "search.expert",
		at: "POST /v1/search/expert",
		type: "expert",
		agent: {
			name: "search_experts",
			aliases: ["expert_search"],
			tool: {
				title: "Search experts' notes",
				description: "Rows from what the experts have written.",
				fields: FIELDS,
				defaults: DEFAULTS,
			},
		},
		summary: "Search all expert graphs",
		ranked: "what the expert desks have written",
		title: "Search the experts' notes",
		about:
			"Ranked, cited rows over the notes of all expert desks of the catalog. Not charged when nothing answers.",
		tags: ["search", "expert", "evidence"],
		question: "How should a server roll out HSTS?",
		example: { query: "How do I roll out HSTS without locking users out?" },
	}),
);

/** Rows over the findings of every synthetic analyst. */
export const analystSearch = paidOperation(
	searchAcross({
		id: "search.analyst",
		at: "POST /v1/search/analyst",
		type: "analyst",
		agent: {
			name: "search_analysts",
			aliases: ["analyst_search"],
			tool: {
				title: "Search analysts' notes",
				description: "Rows from what the analysts have written.",
				fields: FIELDS,
				defaults: DEFAULTS,
			},
		},
		summary: "Search all analysts' graphs",
		ranked: "trends, signals and metrics of every synthetic analyst",
		title: "Search the analysts' findings",
		about:
			"Ranked, cited rows over the graphs of all synthetic analysts: trends, signals and metrics of their domains. Not charged when nothing answers.",
		tags: ["search", "analyst", "evidence"],
		question: "Which typing syntax was refused for Python?",
		example: { query: "Which typing syntax was refused for Python?" },
	}),
);

/** Rows over every graph on sale. */
export const allSearch = paidOperation(
	searchAcross({
		id: "search.all",
		at: "POST /v1/search",
		agent: {
			name: "search",
			tool: {
				title: "Search all graphs",
				description: "Ranked, cited rows from every graph for a question.",
				fields: FIELDS,
				defaults: DEFAULTS,
			},
		},
		summary: "Search every graph",
		ranked: "concepts of every graph on sale, whatever its kind,",
		about:
			"Ranked, cited rows over all graphs of the catalog, whatever their kind; for a question whose graph is not known. Not charged when nothing answers.",
		tags: ["search", "knowledge-graph", "evidence"],
		question: EXAMPLE_QUERY,
		example: DOMAIN_EXAMPLE,
	}),
);
