import { z } from "zod";
import { LIMITS, READING_LIMITS } from "./limits.js";

/** A text of at least one character. */
export const textUpTo = (chars: number) =>
	z.string().min(1, "must not be empty").max(chars, `must have at most ${chars} characters`);

/** The same, without the spaces around it. */
export const trimmedUpTo = (chars: number) =>
	z.string().trim().min(1, "must not be empty").max(chars, `must have at most ${chars} characters`);

/** Shapes that travel: the contract's fields first, ours added behind them. */

/** Decision D1: the contract shows ANSWER and TREND_MATCH only; the rest of both lists is ours. */
export const DECISIONS = ["ANSWER", "PARTIAL", "CLARIFY", "ABSTAIN"] as const;
export type Decision = (typeof DECISIONS)[number];

/** Whether a decision may be sold: CLARIFY asks back and ABSTAIN has nothing, so both cost nothing. */
export function isAnswered(decision: Decision): boolean {
	return decision === "ANSWER" || decision === "PARTIAL";
}

/** Words of a topic that is as wide as it is meant to be: to ask back what it leaves open would help no one. */
const WIDE_TOPIC_WORDS = 2;

/** The same of a topic: one of a word or two may be sold where a question would be asked back. */
export function isTopicAnswered(decision: Decision, topic: string): boolean {
	const isWide = topic.trim().split(/\s+/).length <= WIDE_TOPIC_WORDS;
	return isAnswered(decision) || (decision === "CLARIFY" && isWide);
}

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

export const queryField = trimmedUpTo(LIMITS.queryChars).describe(
	"What to look for, in plain language",
);

export const limitField = z
	.int("must be a whole number")
	.min(1, "must be at least 1")
	.max(LIMITS.rowsMax, `must be at most ${LIMITS.rowsMax}`)
	.describe("Number of rows wanted");

/** How much of a date is known, the most first. */
export const DATE_PRECISIONS = ["day", "month", "year"] as const;
export type DatePrecision = (typeof DATE_PRECISIONS)[number];

export const TRUST_TIERS = ["human-reviewed", "machine-confirmed", "unverified"] as const;
export type TrustTier = (typeof TRUST_TIERS)[number];

/** What a source is; docs/source-kinds.md has the rules. */
export const SOURCE_KINDS = [
	"standard",
	"law",
	"regulator",
	"peer-reviewed",
	"reference",
	"vendor",
	"press",
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

const namesField = z
	.array(trimmedUpTo(LIMITS.filterChars))
	.min(1, "must not be an empty list")
	.max(LIMITS.filterValues, `must list at most ${LIMITS.filterValues} values`);
export const dayField = z.iso.date("must be a day of the calendar, written YYYY-MM-DD");

/** Kinds of graph, any of them. */
export const graphTypesField = z
	.array(z.enum(GRAPH_TYPES, `must be one of ${GRAPH_TYPES.join(", ")}`))
	.min(1, "must not be an empty list")
	.max(LIMITS.filterValues, `must list at most ${LIMITS.filterValues} values`);

const conditions = {
	type: namesField.describe("Types of concept, any of them, in either case").optional(),
	tags: namesField.describe("Tags, at least one of them, in either case").optional(),
	published_after: dayField
		.describe("A source was published on this day or later; undated sources do not count")
		.optional(),
	published_before: dayField
		.describe("A source was published on this day or earlier; undated sources do not count")
		.optional(),
	trust_tier: z
		.enum(TRUST_TIERS, `must be one of ${TRUST_TIERS.join(", ")}`)
		.describe("The least trust that is enough: unverified, machine-confirmed, human-reviewed")
		.optional(),
};

interface Days {
	readonly published_after?: string | undefined;
	readonly published_before?: string | undefined;
}
const isRange = ({ published_after: after, published_before: before }: Days) =>
	after === undefined || before === undefined || after <= before;
const noRange = {
	path: ["published_before"],
	message: 'must not be earlier than "filters.published_after"',
};

/** Narrows a search of one graph; a row meets every condition that is given. */
export const conceptFiltersSchema = z.strictObject(conditions).refine(isRange, noRange);

/** Narrows a search of several graphs. */
export const graphFiltersSchema = z
	.strictObject({
		kind: graphTypesField.describe("Kinds of graph, any of them").optional(),
		...conditions,
	})
	.refine(isRange, noRange);
export type FiltersWire = z.infer<typeof graphFiltersSchema>;

export const explainField = z
	.boolean()
	.default(false)
	.describe("Says for each row what its score is made of; changes neither ranking nor price");

const EFFORTS = ["fast", "best"] as const;

export const effortField = z
	.enum(EFFORTS)
	.default("best")
	.describe(
		"best has the judge read the first rows, which orders and decides better and takes longer; fast goes by words and vectors alone",
	);

export const evidenceSchema = z.object({
	article_id: z.string(),
	title: z.string(),
	source_url: z.string(),
	published_at: z.string().nullable().describe("ISO 8601 date; null when the source is undated"),
	date_precision: z.enum(DATE_PRECISIONS).optional(),
	source_kind: z
		.enum(SOURCE_KINDS)
		.optional()
		.describe("What the source is: by its host, or as the graph declares it; absent when unknown"),
});
export type EvidenceWire = z.infer<typeof evidenceSchema>;

/** The parts of one row's score. Numbers have four decimals. */
export const explanationSchema = z.object({
	bm25: z.number().describe("Keyword score as computed (BM25)"),
	lexical_share: z.number().describe("The same as a share of the best candidate's, 0 to 1"),
	cosine: z
		.number()
		.nullable()
		.describe("Nearness in meaning; null while only keywords are searched"),
	dense_share: z
		.number()
		.nullable()
		.describe("The same as a share of the best candidate's, 0 to 1"),
	dense_weight: z.number().describe("Share of meaning in the sum of both, 0 to 1"),
	graph: z.number().describe("What links, shared sources and entities added, 0 to 1"),
	prior: z.number().describe("Factor for how much builds on the concept and for its status"),
	answers: z
		.number()
		.nullable()
		.describe(
			"How likely the row answers, as the judge reads it, 0 to 1; null when it was not read",
		),
	coverage: z.number().describe("Weighted share of the query's words that the concept holds"),
	is_named: z.boolean().describe("True when the query is a name of the concept"),
	terms: z
		.array(z.object({ term: z.string(), score: z.number() }))
		.describe("Index terms that matched, and what each added to bm25"),
});
export type ExplanationWire = z.infer<typeof explanationSchema>;

export const rowSchema = z.object({
	trend_id: z.string(),
	name: z.string(),
	summary: z.string(),
	evidence: z.array(evidenceSchema),
	graph_id: z.string(),
	type: z.string(),
	score: z.number(),
	trust_tier: z.enum(TRUST_TIERS),
	duplicates: z
		.array(z.string())
		.optional()
		.describe("Trend ids of near-duplicates that this row stands for"),
	explanation: explanationSchema.optional().describe("Present when asked for with explain"),
});
export type RowWire = z.infer<typeof rowSchema>;

export const searchMetaSchema = z.object({
	query: z.string(),
	graph_id: z.string().nullable(),
	decision: z.enum(DECISIONS),
	execution_time_ms: z.int(),
	mode: z.enum(["hybrid", "keyword"]).describe("keyword while no embedding model is at hand"),
	mode_reason: z.string().optional().describe("Why only keywords were searched"),
	language: z
		.string()
		.optional()
		.describe(
			"ISO 639-1 code of the query's language where it is surely not English: the models read English, so that less is found",
		),
	effort: z.enum(EFFORTS).describe("fast also where best was asked for and no judge was at hand"),
	missing: z.array(z.string()).describe("Words of the query that no concept covers"),
	suggestions: z
		.array(z.string())
		.optional()
		.describe("With the decision CLARIFY: titles of concepts that the query may mean"),
	graphs_used: z.array(z.string()),
	graph_versions: z
		.record(z.string(), z.int())
		.optional()
		.describe(
			"Version of each graph used and of the one named, where several processes sell the same graphs",
		),
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
	/** Present for work that outlives its call: whether its price is reserved, to be taken when it ends. */
	readonly held?: boolean;
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

export const cursorField = textUpTo(READING_LIMITS.cursorChars).describe(
	"next_cursor of the page before, as it was",
);
