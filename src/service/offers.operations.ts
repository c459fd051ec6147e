import { z } from "zod";
import {
	BILLING_TYPES,
	dataOperation,
	graphPricesSchema,
	LIMITS,
	parseCredential,
	replyComponent,
	type SentHeaders,
	type Services,
	usdField,
} from "../contract/contract.js";
import { invalidArgument, ServiceError } from "../kernel/kernel.js";

/** What health, token check, offerings and prices answer with. */

const healthSchema = replyComponent(
	"Health",
	z.object({
		status: z.enum(["ok", "degraded", "unavailable"]),
		version: z.string(),
		store: z.object({
			kind: z.string().describe("What keeps the ledger: journal, files of this server"),
			status: z.enum(["ok", "stopped"]),
			state: z
				.enum(["serving", "full", "stopped"])
				.describe(
					"full: it takes changes again once there is room on the disk; stopped: once it is started again",
				),
			since: z.string().describe("When it was opened, or when it stopped"),
			reason: z.string().optional().describe("Why it stopped"),
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
		judge: z.object({
			status: z.enum(["ready", "none"]),
			reason: z.string().optional().describe("Why there is none"),
		}),
		graphs: z
			.object({
				version: z.int().describe("The newest version of a graph that this process has looked at"),
				newest: z.int().describe("The newest that any process on the database has published"),
				checked_at: z.string().nullable(),
				refused: z
					.array(z.string())
					.describe("Graphs whose newest version is damaged: an earlier one is on sale"),
			})
			.optional()
			.describe("Where several processes sell the same graphs"),
		writer: z.string().describe("extractive: answers are made of the graphs' own sentences"),
		rails: z.array(z.string()),
		payments: z
			.object({
				unknown: z.int().describe("Sent, and not known yet how that ended"),
				undelivered: z.int().describe("Settled, and waiting for their callers to come back"),
				reconciliation: z
					.object({
						status: z.enum(["ok", "differs", "failed"]),
						checked_at: z.string(),
						ledger_only: z.int(),
						chain_only: z.int(),
						differing: z.int(),
					})
					.nullable()
					.describe("How the ledger was last held against the chain; null before the first time"),
			})
			.optional()
			.describe("Payments on a chain that are not at an end; absent without a chain"),
		housekeeping: z.object({
			status: z
				.enum(["running", "waiting"])
				.describe(
					"waiting: the clock is more than a day ahead of where it should be, so nothing is deleted and no schedule runs until the operator says that it is right",
				),
		}),
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

/** What spt/validate returns of a token. Unknown, expired and revoked ones look alike. */
export type SptValidation = z.output<typeof sptValidationSchema>;

const billingTypeField = z.enum(BILLING_TYPES);
const pricePerField = z
	.string()
	.optional()
	.describe("What the price is for, where that is not the call, e.g. query");

const described = { id: z.string(), title: z.string(), description: z.string() };
const address = { method: z.string(), path: z.string() };

const graphPricesField = z
	.record(z.string(), usdField)
	.optional()
	.describe("Price of a call that names this graph alone, where the graph has one of its own");

const offeringSchema = replyComponent(
	"Offering",
	z.object({
		...described,
		price_usd: usdField,
		price_per: pricePerField,
		billing_type: billingTypeField,
		graph_prices: graphPricesField,
		...address,
	}),
);

const toolSchema = replyComponent(
	"Tool",
	z.object({
		...described,
		operation: z.string(),
		price_usd: usdField,
		billing_type: billingTypeField,
		graph_prices: graphPricesField,
		...address,
		input_schema: z.looseObject({}).describe("JSON Schema of the tool's input"),
		example_input: z.looseObject({}),
	}),
);

const planSchema = replyComponent(
	"Plan",
	z.object({
		...described,
		price_usd: usdField,
		available: z.boolean(),
		calls_per_month: z.int().optional(),
		calls_per_day: z.int().optional().describe("While the account has no payment method"),
		max_price_per_call_usd: usdField.optional(),
	}),
);

const offeringsSchema = replyComponent(
	"Offerings",
	z.object({
		offerings: z.array(offeringSchema),
		tools: z.array(toolSchema),
		plans: z.array(planSchema),
	}),
);

const pricingSchema = replyComponent(
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
		graphs: z
			.record(z.string(), graphPricesSchema)
			.optional()
			.describe(
				"Graphs with prices of their own, by id: those of a node go first, then operations, then price_usd",
			),
	}),
);

const toolListSchema = replyComponent("ToolList", z.object({ items: z.array(toolSchema) }));

/** The token of a check; a check without one is a mistake of the request, not a question of identity. */
function readToken(headers: SentHeaders): string {
	const credential = readCredential(headers);
	if (credential?.scheme === "spt") return credential.token;
	throw invalidArgument(
		'Send the Shared Payment Token to check as "Authorization: Bearer spt_…" or in the header "X-Pay-SPT".',
	);
}

function readCredential(headers: SentHeaders) {
	try {
		return parseCredential(headers);
	} catch (error) {
		if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") return undefined;
		throw error;
	}
}

/** State of the service, tokens, offerings and prices. Spec: Endpoints, free operations. */
export const health = dataOperation({
	id: "health",
	at: "GET /v1/health",
	summary: "Service availability",
	description:
		"How store, ledger and search are doing. The status is 200 as long as the service can answer at all; read data.status.",
	data: healthSchema,
	answer: ({ health }: Pick<Services, "health">) => health(),
});

export const sptValidate = dataOperation({
	id: "spt.validate",
	at: "GET /v1/spt/validate",
	summary: "Check a Shared Payment Token",
	description:
		"Tells whether the token in the Authorization or X-Pay-SPT header is active and what it has left. Unknown, expired and revoked tokens look alike.",
	freshness: "secret",
	callsPerMinute: LIMITS.sptChecksPerMinute,
	data: sptValidationSchema,
	answer: ({ sptValidate }: Pick<Services, "sptValidate">, { headers }) =>
		sptValidate(readToken(headers)),
});

export const offerings = dataOperation({
	id: "offerings",
	at: "GET /v1/offerings",
	summary: "Offerings, tools and plans",
	description: "Everything that can be bought today; nothing is listed before it answers.",
	freshness: "catalog",
	data: offeringsSchema,
	answer: ({ offerings }: Pick<Services, "offerings">) => offerings(),
});

export const researchPricing = dataOperation({
	id: "research.pricing",
	at: "GET /v1/research/pricing",
	summary: "Price map",
	description: "The whole price book by operation, with what is available today.",
	freshness: "catalog",
	data: pricingSchema,
	answer: ({ researchPricing }: Pick<Services, "researchPricing">) => researchPricing(),
});

export const researchOfferings = dataOperation({
	id: "research.offerings",
	at: "GET /v1/research/offerings",
	summary: "Research tools",
	description: "Tools an agent can choose by name, with their input schemas and prices.",
	isList: true,
	freshness: "catalog",
	data: toolListSchema,
	answer: ({ researchOfferings }: Pick<Services, "researchOfferings">) => researchOfferings(),
});
