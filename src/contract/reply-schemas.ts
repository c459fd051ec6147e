import { z } from "zod";
import { replyComponent } from "./named-schemas.js";
import { BILLING_TYPES } from "./prices.js";
import {
	type CostWire,
	evidenceSchema,
	explanationSchema,
	rowSchema,
	SOURCE_KINDS,
	searchMetaSchema,
	searchResponseSchema,
	TRUST_TIERS,
} from "./wire.js";

replyComponent("Evidence", evidenceSchema);
replyComponent("ScoreExplanation", explanationSchema);
replyComponent("Row", rowSchema);

export const usdField = z
	.string()
	.regex(/^\d+\.\d{2,6}$/)
	.describe("Decimal amount in USD");
export const isoDayField = z.iso.date().describe("ISO 8601 date");

const costSchema: z.ZodType<CostWire> = replyComponent(
	"Cost",
	z.object({
		amount_usd: usdField,
		billing_type: z.enum(BILLING_TYPES),
		rail: z.string().describe("How the call was paid, e.g. spt or plan"),
		balance_after_usd: usdField.nullable().describe("Null where the rail keeps no balance here"),
		receipt_id: z.string().nullable().describe("Null when nothing was charged"),
		charged: z.boolean(),
		held: z
			.boolean()
			.optional()
			.describe("Of work that outlives its call: true while its price is reserved"),
		replayed: z
			.boolean()
			.optional()
			.describe("True when an idempotency key found an earlier payment"),
	}) as z.ZodType<CostWire>,
);

/** A search reply as it travels: the skill's answer with request id and cost in its meta. */
export const searchReplySchema = replyComponent(
	"SearchReply",
	searchResponseSchema.extend({
		meta: searchMetaSchema.extend({ request_id: z.string(), cost: costSchema }),
	}),
);

/** The reply of a paid operation that is no search: `data` in the envelope, request id and cost in its meta. */
const paidReplySchema = <Data extends z.ZodType>(data: Data) =>
	z.object({
		ok: z.literal(true),
		data,
		meta: z.looseObject({ request_id: z.string(), cost: costSchema }),
	});

replyComponent("Meta", z.object({ request_id: z.string() }));
replyComponent(
	"ListMeta",
	z.object({
		request_id: z.string(),
		next_cursor: z.string().nullable().describe("Null when the list is complete"),
	}),
);

/** A skill's answer as it travels: with request id and cost in its meta. */
export const toReply = <Data extends z.ZodType, Meta extends z.ZodRawShape>(
	id: string,
	{ shape }: z.ZodObject<{ ok: z.ZodLiteral<true>; data: Data; meta: z.ZodObject<Meta> }>,
) => {
	const paid = paidReplySchema(shape.data);
	return replyComponent(
		id,
		paid.extend({ meta: z.object({ ...shape.meta.shape, ...paid.shape.meta.shape }) }),
	);
};

/** One numbered reference of an answer: what is quoted, and where it comes from. */
export const citationSchema = replyComponent(
	"Citation",
	z.object({
		n: z.int().positive().describe("Number it has in the text"),
		evidence_id: z.string().describe("The sentence of a graph that is cited"),
		trend_id: z.string(),
		article_id: z.string(),
		title: z.string(),
		source_url: z.string(),
		published_at: z.string().nullable(),
		publisher: z.string().describe("Host of the source"),
		source_kind: z
			.enum(SOURCE_KINDS)
			.nullable()
			.describe("What the source is: by its host, or as the graph declares it; null when unknown"),
		excerpt: z.string().describe("What the curated graph says, citing the source"),
		trust_tier: z.enum(TRUST_TIERS),
		graph_id: z.string(),
	}),
);
export type CitationWire = z.infer<typeof citationSchema>;

/** A sentence of an answer and the numbers of what carries it. */
export const citedTextSchema = replyComponent(
	"CitedText",
	z.object({
		text: z.string(),
		citation_ids: z.array(z.int().positive()).min(1),
	}),
);
export type CitedTextWire = z.infer<typeof citedTextSchema>;
