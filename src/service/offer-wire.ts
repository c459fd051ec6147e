import { z } from "zod";
import { BILLING_TYPES, replyComponent, usdField } from "../contract/contract.js";

/** What health, token check, offerings and prices answer with. */

export const healthSchema = replyComponent(
	"Health",
	z.object({
		status: z.enum(["ok", "degraded", "unavailable"]),
		version: z.string(),
		store: z.object({
			status: z.enum(["ok", "stopped"]),
			sequence: z.int(),
			is_chain_intact: z.boolean(),
		}),
		invariants: z.object({
			status: z.enum(["ok", "breached"]),
			checked_at: z.string(),
			failures: z.int().describe("How many of the ledger's invariants do not hold"),
		}),
		model: z.object({
			id: z.string().nullable().describe("Null without an embedding model"),
			mode: z.enum(["hybrid", "keyword"]).describe("What the next search gets"),
			concepts: z.int(),
			pending_vectors: z.int().describe("Concepts that wait for their vectors"),
			reason: z
				.string()
				.optional()
				.describe("Why there is no model, what it failed with, or how far its vectors are"),
		}),
		writer: z.string().describe("extractive: answers are made of the graphs' own sentences"),
		rails: z.array(z.string()),
		payments: z
			.object({
				unknown: z.int().describe("Sent, and not known yet how that ended"),
				undelivered: z.int().describe("Settled, and waiting for their callers to come back"),
			})
			.optional()
			.describe("Payments on a chain that are not at an end; absent without a chain"),
		uptime_s: z.int(),
	}),
);

export const sptValidationSchema = replyComponent(
	"SptValidation",
	z.object({
		active: z.boolean(),
		balance_usd: usdField.nullable(),
		held_usd: usdField.nullable(),
		expires_at: z.string().nullable(),
		environment: z.enum(["live", "test"]).nullable(),
	}),
);

const billingTypeField = z.enum(BILLING_TYPES);
const pricePerField = z
	.string()
	.optional()
	.describe("What the price is for, where that is not the call, e.g. query");

const offeringSchema = replyComponent(
	"Offering",
	z.object({
		id: z.string(),
		title: z.string(),
		description: z.string(),
		price_usd: usdField,
		price_per: pricePerField,
		billing_type: billingTypeField,
		method: z.string(),
		path: z.string(),
	}),
);

const toolSchema = replyComponent(
	"Tool",
	z.object({
		id: z.string(),
		title: z.string(),
		description: z.string(),
		operation: z.string(),
		price_usd: usdField,
		billing_type: billingTypeField,
		method: z.string(),
		path: z.string(),
		input_schema: z.looseObject({}).describe("JSON Schema of the tool's input"),
		example_input: z.looseObject({}),
	}),
);

const planSchema = replyComponent(
	"Plan",
	z.object({
		id: z.string(),
		title: z.string(),
		description: z.string(),
		price_usd: usdField,
		available: z.boolean(),
		calls_per_month: z.int().optional(),
		calls_per_day: z.int().optional().describe("While the account has no payment method"),
		max_price_per_call_usd: usdField.optional(),
	}),
);

export const offeringsSchema = replyComponent(
	"Offerings",
	z.object({
		offerings: z.array(offeringSchema),
		tools: z.array(toolSchema),
		plans: z.array(planSchema),
	}),
);

export const pricingSchema = replyComponent(
	"Pricing",
	z.object({
		currency: z.literal("USD"),
		version: z.string().describe("Changes whenever a price does"),
		prices: z.record(
			z.string(),
			z.object({
				price_usd: usdField,
				price_per: pricePerField,
				billing_type: billingTypeField,
				available: z.boolean().describe("False for operations that are priced but not offered yet"),
			}),
		),
	}),
);

export const toolListSchema = replyComponent("ToolList", z.object({ items: z.array(toolSchema) }));
