import { z } from "zod";
import { type HeaderReader, LIMITS, parseCredential } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import { dataRoute } from "./define-route.js";
import {
	healthSchema,
	offeringsSchema,
	pricingSchema,
	sptValidationSchema,
	toolListSchema,
} from "./offer-schemas.js";
import type { DataRoute } from "./route.js";

type OfferOperationId =
	| "health"
	| "spt.validate"
	| "offerings"
	| "research.pricing"
	| "research.offerings";

const nothing = z.strictObject({});

const searchOffering = {
	id: "graphs.search",
	title: "Search a knowledge graph",
	description: "Ranked rows of one graph, each with the evidence that carries it.",
	price_usd: "0.50",
	billing_type: "per_call",
	method: "POST",
	path: "/v1/graphs/{graph_id}/search",
};

const searchTool = {
	...searchOffering,
	id: "graph_search",
	operation: "graphs.search",
	input_schema: { type: "object", required: ["graph_id", "query"] },
	example_input: { graph_id: "agent-payments", query: "How does an agent pay for a call?" },
};

const payPerCall = {
	id: "pay_per_call",
	title: "Pay per call",
	description: "No account: a Shared Payment Token pays each call by itself.",
	price_usd: "0.50",
	available: true,
};

/** The token of a check; a check without one is a mistake of the request, not a question of identity. */
function readToken(header: HeaderReader): string {
	const credential = readCredential(header);
	if (credential?.scheme === "spt") return credential.token;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		'Send the Shared Payment Token to check as "Authorization: Bearer spt_…" or in the header "X-Pay-SPT".',
	);
}

function readCredential(header: HeaderReader) {
	try {
		return parseCredential(header);
	} catch (error) {
		if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") return undefined;
		throw error;
	}
}

/** State of the service, tokens, offerings and prices. Spec: Endpoints, free operations. */
export const OFFER_ROUTES: Readonly<Record<OfferOperationId, DataRoute>> = {
	health: dataRoute({
		operationId: "health",
		summary: "Service availability",
		description:
			"How store, ledger and search are doing. The status is 200 as long as the service can answer at all; read data.status.",
		path: nothing,
		query: nothing,
		isList: false,
		freshness: "live",
		data: healthSchema,
		answer: (free) => free.health(),
		example: {
			data: {
				status: "ok",
				version: "0.1.0",
				store: { status: "ok", sequence: 128, is_chain_intact: true },
				invariants: { status: "ok", checked_at: "2026-01-31T12:00:00.000Z", failures: 0 },
				model: { id: "bundled", mode: "hybrid", concepts: 240, pending_vectors: 0 },
				writer: "extractive",
				rails: ["spt", "plan"],
				uptime_s: 3600,
			},
		},
	}),
	"spt.validate": dataRoute({
		operationId: "spt.validate",
		summary: "Check a Shared Payment Token",
		description:
			"Tells whether the token in the Authorization or X-Pay-SPT header is active and what it has left. Unknown, expired and revoked tokens look alike.",
		path: nothing,
		query: nothing,
		isList: false,
		freshness: "secret",
		callsPerMinute: LIMITS.sptChecksPerMinute,
		data: sptValidationSchema,
		answer: (free, { header }) => free.sptValidate(readToken(header)),
		example: {
			data: {
				active: true,
				balance_usd: "24.50",
				held_usd: "0.00",
				expires_at: "2026-12-31T00:00:00.000Z",
				environment: "test",
			},
		},
	}),
	offerings: dataRoute({
		operationId: "offerings",
		summary: "Offerings, tools and plans",
		description: "Everything that can be bought today; nothing is listed before it answers.",
		path: nothing,
		query: nothing,
		isList: false,
		freshness: "catalog",
		data: offeringsSchema,
		answer: (free) => free.offerings(),
		example: { data: { offerings: [searchOffering], tools: [searchTool], plans: [payPerCall] } },
	}),
	"research.pricing": dataRoute({
		operationId: "research.pricing",
		summary: "Price map",
		description: "The whole price book by operation, with what is available today.",
		path: nothing,
		query: nothing,
		isList: false,
		freshness: "catalog",
		data: pricingSchema,
		answer: (free) => free.researchPricing(),
		example: {
			data: {
				currency: "USD",
				version: "3f0c9a71d2be",
				prices: {
					"graphs.search": { price_usd: "0.50", billing_type: "per_call", available: true },
				},
			},
		},
	}),
	"research.offerings": dataRoute({
		operationId: "research.offerings",
		summary: "Research tools",
		description: "Tools an agent can choose by name, with their input schemas and prices.",
		path: nothing,
		query: nothing,
		isList: true,
		freshness: "catalog",
		data: toolListSchema,
		answer: (free) => free.researchOfferings(),
		example: { data: { items: [searchTool] } },
	}),
};
