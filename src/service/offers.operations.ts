import {
	dataOperation,
	type HeaderReader,
	LIMITS,
	parseCredential,
	type Services,
} from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import {
	healthSchema,
	offeringsSchema,
	pricingSchema,
	sptValidationSchema,
	toolListSchema,
} from "./offer-wire.js";

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
export const health = dataOperation({
	id: "health",
	method: "GET",
	path: "/v1/health",
	summary: "Service availability",
	description:
		"How store, ledger and search are doing. The status is 200 as long as the service can answer at all; read data.status.",
	isList: false,
	freshness: "live",
	data: healthSchema,
	create:
		({ health }: Pick<Services, "health">) =>
		() =>
			health(),
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
});

export const sptValidate = dataOperation({
	id: "spt.validate",
	method: "GET",
	path: "/v1/spt/validate",
	summary: "Check a Shared Payment Token",
	description:
		"Tells whether the token in the Authorization or X-Pay-SPT header is active and what it has left. Unknown, expired and revoked tokens look alike.",
	isList: false,
	freshness: "secret",
	callsPerMinute: LIMITS.sptChecksPerMinute,
	data: sptValidationSchema,
	create:
		({ sptValidate }: Pick<Services, "sptValidate">) =>
		({ header }) =>
			sptValidate(readToken(header)),
	example: {
		data: {
			active: true,
			balance_usd: "24.50",
			held_usd: "0.00",
			expires_at: "2026-12-31T00:00:00.000Z",
			environment: "test",
		},
	},
});

export const offerings = dataOperation({
	id: "offerings",
	method: "GET",
	path: "/v1/offerings",
	summary: "Offerings, tools and plans",
	description: "Everything that can be bought today; nothing is listed before it answers.",
	isList: false,
	freshness: "catalog",
	data: offeringsSchema,
	create:
		({ offerings }: Pick<Services, "offerings">) =>
		() =>
			offerings(),
	example: { data: { offerings: [searchOffering], tools: [searchTool], plans: [payPerCall] } },
});

export const researchPricing = dataOperation({
	id: "research.pricing",
	method: "GET",
	path: "/v1/research/pricing",
	summary: "Price map",
	description: "The whole price book by operation, with what is available today.",
	isList: false,
	freshness: "catalog",
	data: pricingSchema,
	create:
		({ researchPricing }: Pick<Services, "researchPricing">) =>
		() =>
			researchPricing(),
	example: {
		data: {
			currency: "USD",
			version: "3f0c9a71d2be",
			prices: {
				"graphs.search": { price_usd: "0.50", billing_type: "per_call", available: true },
			},
		},
	},
});

export const researchOfferings = dataOperation({
	id: "research.offerings",
	method: "GET",
	path: "/v1/research/offerings",
	summary: "Research tools",
	description: "Tools an agent can choose by name, with their input schemas and prices.",
	isList: true,
	freshness: "catalog",
	data: toolListSchema,
	create:
		({ researchOfferings }: Pick<Services, "researchOfferings">) =>
		() =>
			researchOfferings(),
	example: { data: { items: [searchTool] } },
});
