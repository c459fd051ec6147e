import { z } from "zod";
import { CONTINUATION_TYPES } from "../../payments/payments.js";
import {
	BILLING_TYPES,
	PAID_OPERATION_IDS,
	replyComponent,
	requestComponent,
	SKILL_ALIASES,
	SKILL_IDS,
	usdField,
} from "../contract/contract.js";
import { signedReceiptSchema } from "./signed-receipts.js";

export const continuationSchema = replyComponent(
	"Continuation",
	z.looseObject({
		type: z.enum(CONTINUATION_TYPES),
		instructions: z.string(),
	}),
);

const timeField = z.iso.datetime().describe("ISO 8601, UTC");

/** What to quote: a concrete call, as it would be sent. */
export const quoteRequestSchema = requestComponent(
	"QuoteRequest",
	z.strictObject({
		operation: z.enum(PAID_OPERATION_IDS).optional(),
		skill: z
			.enum([...SKILL_IDS, ...SKILL_ALIASES])
			.optional()
			.describe("Instead of operation: the tool an agent chose"),
		input: z
			.record(z.string(), z.unknown())
			.describe("Path parameters and body of the call, in one object"),
	}),
);

export const quoteSchema = replyComponent(
	"Quote",
	z.object({
		quote_id: z.string().describe("Send it as X-Quote-Id with the call"),
		status: z.enum(["valid", "expired"]),
		operation: z.enum(PAID_OPERATION_IDS),
		amount_usd: usdField,
		billing_type: z.enum(BILLING_TYPES),
		request_hash: z.string().describe("sha256 of operation and canonical input, in base64url"),
		expires_at: timeField,
		resource: z.object({ method: z.enum(["GET", "POST", "DELETE"]), url: z.string() }),
		pay: z.array(continuationSchema).describe("Ways to pay, as the 402 would list them"),
	}),
);

export const receiptReplySchema = replyComponent(
	"SignedReceipt",
	z.object({
		receipt: signedReceiptSchema,
		jws: z
			.string()
			.describe("The same as compact JWS (ES256); verify it with /.well-known/jwks.json"),
	}),
);

export const receiptCheckRequestSchema = requestComponent(
	"ReceiptCheckRequest",
	z.strictObject({ jws: z.string().min(1).max(16_384) }),
);

export const paymentStateSchema = replyComponent(
	"PaymentState",
	z.object({
		payment_id: z.string(),
		state: z
			.string()
			.describe(
				"reserved, settling, unknown, refused, settled, captured, credited or released; unknown is looked up on the chain until it is known",
			),
		network: z.string().describe("CAIP-2"),
		transaction: z.string().nullable(),
		receipt_id: z
			.string()
			.nullable()
			.describe("Null unless request_hash fits; always for bought balance"),
		token_id: z.string().nullable().describe("Token bought with it, or crediting a failed call"),
		reason: z.string().nullable(),
		updated_at: timeField,
	}),
);

export const paymentMethodsSchema = replyComponent(
	"PaymentMethods",
	z.object({
		currency: z.literal("USD"),
		environment: z.enum(["live", "test"]),
		items: z.array(
			z.looseObject({
				rail: z.string(),
				title: z.string(),
				request_headers: z.array(z.string()),
				how_to_start: z.string(),
				limits: z.record(z.string(), z.union([z.string(), z.number()])),
			}),
		),
	}),
);
