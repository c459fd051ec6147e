import {
	dataOperation,
	LIMITS,
	parseCredential,
	type SentHeaders,
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

/** The token of a check; a check without one is a mistake of the request, not a question of identity. */
function readToken(headers: SentHeaders): string {
	const credential = readCredential(headers);
	if (credential?.scheme === "spt") return credential.token;
	throw new ServiceError(
		"INVALID_ARGUMENT",
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
