import { z } from "zod";
import { LIMITS } from "./limits.js";

/** Shapes that travel: the contract's fields first, ours added behind them. */

/** Decision D1: the contract shows ANSWER and TREND_MATCH only; the rest of both lists is ours. */
export const DECISIONS = ["ANSWER", "PARTIAL", "CLARIFY", "ABSTAIN"] as const;
export type Decision = (typeof DECISIONS)[number];
export const DATA_STATUSES = [
	"TREND_MATCH",
	"EVIDENCE_MATCH",
	"ENTITY_MATCH",
	"WEAK_MATCH",
	"NO_MATCH",
] as const;
export type DataStatus = (typeof DATA_STATUSES)[number];

export const GRAPH_TYPES = ["expert", "analyst", "industry report", "domain"] as const;
export type GraphType = (typeof GRAPH_TYPES)[number];

export const graphIdField = z
	.string()
	.regex(/^[a-z0-9][a-z0-9-]{1,62}$/, "must be a graph id: lower-case letters, digits and hyphens")
	.describe("Id of the graph, as listed by /v1/graphs/catalog");

export const queryField = z
	.string()
	.trim()
	.min(1, "must not be empty")
	.max(LIMITS.queryChars, `must have at most ${LIMITS.queryChars} characters`)
	.describe("What to look for, in plain language");

export const limitField = z
	.int("must be a whole number")
	.min(1, "must be at least 1")
	.max(LIMITS.rowsMax, `must be at most ${LIMITS.rowsMax}`)
	.describe("Number of rows wanted");

export const evidenceSchema = z.object({
	article_id: z.string(),
	title: z.string(),
	source_url: z.string(),
	published_at: z.string().nullable().describe("ISO 8601 date; null when the source is undated"),
	date_precision: z.enum(["day", "month", "year"]).optional(),
});
export type EvidenceWire = z.infer<typeof evidenceSchema>;

export const rowSchema = z.object({
	trend_id: z.string(),
	name: z.string(),
	summary: z.string(),
	evidence: z.array(evidenceSchema),
	graph_id: z.string(),
	type: z.string(),
	score: z.number(),
	trust_tier: z.enum(["human-reviewed", "machine-confirmed", "unverified"]),
});
export type RowWire = z.infer<typeof rowSchema>;

export const searchMetaSchema = z.object({
	query: z.string(),
	graph_id: z.string().nullable(),
	decision: z.enum(DECISIONS),
	execution_time_ms: z.int(),
	mode: z.enum(["hybrid", "keyword"]).describe("keyword while no embedding model is at hand"),
	missing: z.array(z.string()).describe("Words of the query that no concept covers"),
	graphs_used: z.array(z.string()),
	as_of: z.string(),
});

/** The search answer as a skill returns it; transports add `meta.request_id` and `meta.cost`. */
export const searchResponseSchema = z.object({
	ok: z.literal(true),
	dataStatus: z.enum(DATA_STATUSES),
	meta: searchMetaSchema,
	rows: z.array(rowSchema),
});
export type SearchResponse = z.infer<typeof searchResponseSchema>;

/** What a call cost, on every paid reply; money as decimal strings. */
export interface CostWire {
	readonly amount_usd: string;
	readonly billing_type: string;
	readonly rail: string;
	/** Null where the rail keeps no balance with us. */
	readonly balance_after_usd: string | null;
	/** Null when nothing was charged. */
	readonly receipt_id: string | null;
	readonly charged: boolean;
	/** Present and true when an idempotency key answered with an earlier payment. */
	readonly replayed?: boolean;
	/** Present when the price had settled on a chain before it turned out that there is no answer. */
	readonly credit?: CreditWire;
}

/** A token that gives a payer back what had settled already; its secret is shown once. */
export interface CreditWire {
	readonly token: string;
	readonly id: string;
	readonly balance_usd: string;
	readonly instructions: string;
}
