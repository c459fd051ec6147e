import { z } from "zod";
import {
	ANALYST_EXAMPLE,
	DOMAIN_EXAMPLE,
	EXPERT_EXAMPLE,
	REPORT_EXAMPLE,
	type SearchExample,
	toExampleReply,
} from "../../skills/search/search.js";
import {
	conceptFiltersSchema,
	explainField,
	graphFiltersSchema,
	graphIdField,
	LIMITS,
	limitField,
	type PaidOperationId,
	queryField,
	requestComponent,
	searchReplySchema,
	toDataReply,
} from "../contract/contract.js";
import { formatUsd } from "../kernel/kernel.js";
import { CHAT_ROUTES } from "./chat-routes.js";
import { EVIDENCE_READING_ROUTES } from "./evidence-routes.js";
import { batchBody, batchReply } from "./evidence-schemas.js";
import { GRAPH_READING_ROUTES } from "./graph-routes.js";
import { RESEARCH_STREAM_ROUTES } from "./research-stream-routes.js";
import type { PaidRoute } from "./route.js";

const asked = { query: queryField, limit: limitField.default(LIMITS.rowsDefault) };

const graphSearchBody = requestComponent(
	"GraphSearchRequest",
	z.strictObject({
		...asked,
		filters: requestComponent("ConceptFilters", conceptFiltersSchema).optional(),
		explain: explainField,
	}),
);

const searchBody = requestComponent(
	"SearchRequest",
	z.strictObject({
		...asked,
		filters: requestComponent("GraphFilters", graphFiltersSchema).optional(),
		explain: explainField,
	}),
);

const BILLING_NOTE =
	"Filters are exact; explain says what each score is made of. Paid per call. Without a credential the answer is 402 with the price and every way to pay it; an answer without rows costs nothing.";

const acrossGraphs = (
	operationId: PaidOperationId,
	summary: string,
	what: string,
	example: SearchExample,
): PaidRoute => ({
	kind: "paid",
	operationId,
	summary,
	description: `Ranks ${what} for a question; every row names its graph and carries its evidence. ${BILLING_NOTE}`,
	path: z.strictObject({}),
	query: z.strictObject({}),
	body: searchBody,
	reply: searchReplySchema,
	example: {
		body: { query: example.query, limit: 5, ...example.options },
		reply: toExampleReply(example, null),
	},
});

const { rows, meta, dataStatus } = toExampleReply(DOMAIN_EXAMPLE, null);
const BATCH_ITEM = {
	query: meta.query,
	graph_id: null,
	is_answered: true,
	decision: meta.decision,
	dataStatus,
	missing: meta.missing,
	rows,
};

/** Routes that cost money, one for each paid operation. Spec: Endpoints, paid operations. */
export const PAID_ROUTES: Readonly<Partial<Record<PaidOperationId, PaidRoute>>> = {
	...GRAPH_READING_ROUTES,
	...EVIDENCE_READING_ROUTES,
	...RESEARCH_STREAM_ROUTES,
	...CHAT_ROUTES,
	"graphs.search": {
		kind: "paid",
		operationId: "graphs.search",
		summary: "Search one graph",
		description: `Ranked rows of one graph, each with the evidence that carries it. ${BILLING_NOTE}`,
		path: z.strictObject({ graph_id: graphIdField }),
		query: z.strictObject({}),
		body: graphSearchBody,
		reply: searchReplySchema,
		example: {
			path: { graph_id: DOMAIN_EXAMPLE.graphId },
			body: { query: DOMAIN_EXAMPLE.query, limit: 5 },
			reply: toExampleReply(DOMAIN_EXAMPLE, DOMAIN_EXAMPLE.graphId),
		},
	},
	"search.domain": acrossGraphs(
		"search.domain",
		"Search all domain graphs",
		"concepts and trends of every domain graph",
		DOMAIN_EXAMPLE,
	),
	"search.report": acrossGraphs(
		"search.report",
		"Search all industry reports",
		"findings of every industry report",
		REPORT_EXAMPLE,
	),
	"search.expert": acrossGraphs(
		"search.expert",
		"Search all expert graphs",
		"what the expert desks have written",
		EXPERT_EXAMPLE,
	),
	"search.analyst": acrossGraphs(
		"search.analyst",
		"Search all analysts' graphs",
		"trends, signals and metrics of every synthetic analyst",
		ANALYST_EXAMPLE,
	),
	"search.all": acrossGraphs(
		"search.all",
		"Search every graph",
		"concepts of every graph on sale, whatever its kind,",
		DOMAIN_EXAMPLE,
	),
	"search.batch": {
		kind: "paid",
		operationId: "search.batch",
		summary: "Search several questions at once",
		description: `Up to ${LIMITS.batchQueriesMax} questions, each over one graph or all of them, priced by the question. From a balance (account or Shared Payment Token) only questions with rows are paid for; a payment on a chain is for all questions, and is given back only where none has rows. The free plan covers a batch as long as its whole price is within the plan's price per call, ${formatUsd(LIMITS.freeCallMaxMicros)} USD.`,
		pricePer: "query",
		path: z.strictObject({}),
		query: z.strictObject({}),
		body: batchBody,
		reply: batchReply,
		example: {
			body: { queries: [{ query: DOMAIN_EXAMPLE.query, limit: 5 }] },
			reply: toDataReply({ items: [BATCH_ITEM] }, { queries: 1, answered: 1, mode: "hybrid" }),
		},
	},
};
