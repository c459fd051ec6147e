import { z } from "zod";
import { LIMITS } from "../core/limits.js";
import type { PaidOperationId, SkillId } from "../core/operations.js";
import { graphIdField, limitField, queryField } from "../core/wire.js";
import { requestComponent } from "./components.js";
import { searchReplySchema } from "./reply-schemas.js";
import type { PaidRoute } from "./route.js";

const searchBody = requestComponent(
	"SearchRequest",
	z.strictObject({ query: queryField, limit: limitField.default(LIMITS.rowsDefault) }),
);

const BILLING_NOTE =
	"Paid per call. Without a credential the answer is 402 with the price and every way to pay it; an answer without rows costs nothing.";

interface SearchExample {
	readonly query: string;
	/** Graph the example's row comes from. */
	readonly graphId: string;
	readonly concept: { readonly id: string; readonly name: string; readonly summary: string };
	readonly source: { readonly title: string; readonly url: string; readonly day: string };
	readonly type: string;
}

const LIFECYCLE: SearchExample = {
	query: "Which standard describes a payment that an agent can authorise by signature?",
	graphId: "agent-payments",
	concept: {
		id: "concepts.transfer-with-authorization",
		name: "Transfer with authorization",
		summary: "A token holder signs a transfer that somebody else may submit.",
	},
	source: {
		title: "ERC-3009: Transfer With Authorization",
		url: "https://eips.ethereum.org/EIPS/eip-3009",
		day: "2020-09-28",
	},
	type: "Standard",
};

function searchReply(example: SearchExample, graphId: string | null) {
	return {
		ok: true,
		dataStatus: "TREND_MATCH",
		meta: {
			query: example.query,
			graph_id: graphId,
			decision: "ANSWER",
			execution_time_ms: 3,
			mode: "hybrid",
			missing: [],
			graphs_used: [example.graphId],
			as_of: "2026-01-31T12:00:00.000Z",
			request_id: "req_01kg9yz3v0f6x2m8q4t7w1ab2c",
			cost: {
				amount_usd: "0.50",
				billing_type: "per_call",
				rail: "spt",
				balance_after_usd: "24.50",
				receipt_id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
				charged: true,
			},
		},
		rows: [
			{
				trend_id: `${example.graphId}:${example.concept.id}`,
				name: example.concept.name,
				summary: example.concept.summary,
				evidence: [
					{
						article_id: "source-1",
						title: example.source.title,
						source_url: example.source.url,
						published_at: example.source.day,
						date_precision: "day",
					},
				],
				graph_id: example.graphId,
				type: example.type,
				score: 0.91,
				trust_tier: "machine-confirmed",
			},
		],
	};
}

const acrossGraphs = (
	operationId: PaidOperationId,
	skillId: SkillId,
	summary: string,
	what: string,
): PaidRoute => ({
	kind: "paid",
	operationId,
	skillId,
	summary,
	description: `Ranks ${what} for a question; every row names its graph and carries its evidence. ${BILLING_NOTE}`,
	path: z.strictObject({}),
	query: z.strictObject({}),
	body: searchBody,
	reply: searchReplySchema,
	example: {
		body: { query: LIFECYCLE.query, limit: 5 },
		reply: searchReply(LIFECYCLE, null),
	},
});

/** Routes that cost money, one for each paid operation. Spec: Endpoints, paid operations. */
export const PAID_ROUTES: Readonly<Record<PaidOperationId, PaidRoute>> = {
	"graphs.search": {
		kind: "paid",
		operationId: "graphs.search",
		skillId: "graph_search",
		summary: "Search one graph",
		description: `Ranked rows of one graph, each with the evidence that carries it. ${BILLING_NOTE}`,
		path: z.strictObject({ graph_id: graphIdField }),
		query: z.strictObject({}),
		body: searchBody,
		reply: searchReplySchema,
		example: {
			path: { graph_id: LIFECYCLE.graphId },
			body: { query: LIFECYCLE.query, limit: 5 },
			reply: searchReply(LIFECYCLE, LIFECYCLE.graphId),
		},
	},
	"search.domain": acrossGraphs(
		"search.domain",
		"domain_search",
		"Search all domain graphs",
		"concepts and trends of every domain graph",
	),
	"search.report": acrossGraphs(
		"search.report",
		"report_search",
		"Search all industry reports",
		"findings of every industry report",
	),
	"search.expert": acrossGraphs(
		"search.expert",
		"expert_search",
		"Search all expert graphs",
		"what the expert desks have written",
	),
};
