import { z } from "zod";
import { BILLING_TYPES, replyComponent, usdField } from "../contract/contract.js";
import { ERROR_CODES } from "../kernel/kernel.js";
import { continuationSchema } from "../sales/sales.js";

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
