import { z } from "zod";
import { CONTINUATION_TYPES } from "../../payments/payments.js";
import {
	BILLING_TYPES,
	type CostWire,
	evidenceSchema,
	explanationSchema,
	replyComponent,
	rowSchema,
	searchMetaSchema,
	searchResponseSchema,
} from "../contract/contract.js";
import { ERROR_CODES } from "../kernel/kernel.js";

replyComponent("Evidence", evidenceSchema);
replyComponent("ScoreExplanation", explanationSchema);
replyComponent("Row", rowSchema);

export const usdField = z
	.string()
	.regex(/^\d+\.\d{2,6}$/)
	.describe("Decimal amount in USD");
export const dayField = z.iso.date().describe("ISO 8601 date");

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
export const paidReplySchema = <Data extends z.ZodType>(data: Data) =>
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

const errorSchema = z.object({
	code: z.enum(ERROR_CODES),
	message: z.string().describe("A whole sentence a caller can act on"),
	request_id: z.string(),
	retryable: z.boolean(),
	details: z
		.array(z.object({ path: z.string(), message: z.string() }))
		.optional()
		.describe("One complaint about one place of the request"),
});

/** Spec: Errors. */
export const errorReplySchema = replyComponent("ErrorReply", z.object({ error: errorSchema }));

export const continuationSchema = replyComponent(
	"Continuation",
	z.looseObject({
		type: z.enum(CONTINUATION_TYPES),
		instructions: z.string(),
	}),
);

/** A 402: the error envelope, the price, and every way to pay it. */
export const paymentRequiredSchema = replyComponent(
	"PaymentRequired",
	z.object({
		error: errorSchema,
		x402Version: z.literal(1),
		accepts: z.array(z.looseObject({})).describe("x402 v1 payment requirements"),
		price: z.object({ amount_usd: usdField, billing_type: z.enum(BILLING_TYPES) }).optional(),
		continuations: z.array(continuationSchema),
	}),
);

/** A 429: the error envelope and, when a quota is used up, how to go on. */
export const tooManySchema = replyComponent(
	"TooManyRequests",
	z.object({ error: errorSchema, continuations: z.array(continuationSchema).optional() }),
);
