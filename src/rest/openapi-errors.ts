import { z } from "zod";
import { createChallenge } from "../../payments/payments.js";
import {
	BILLING_TYPES,
	LIMITS,
	replyComponent,
	replyComponents,
	usdField,
} from "../contract/contract.js";
import { toErrorReply } from "../http/http.js";
import { ERROR_CODES, parseUsd, ServiceError } from "../kernel/kernel.js";
import { continuationSchema } from "../sales/sales.js";
import { referTo } from "../service/service.js";

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

const REQUEST_ID = "req_01kg9yz3v0f6x2m8q4t7w1ab2c";

const EXAMPLE_CHALLENGE = createChallenge(
	{
		operationId: "graphs.search",
		amountMicros: parseUsd("0.50"),
		billingType: "per_call",
		resourceUrl: "https://example.org/v1/graphs/agent-payments/search",
		description: "Search one graph",
	},
	[
		{
			continuation: {
				type: "spt",
				instructions:
					'Send a Shared Payment Token as "Authorization: Bearer spt_…" or in "X-Pay-SPT".',
			},
			accepts: [],
			headers: {},
		},
	],
);

const EXAMPLES = {
	BadRequest: new ServiceError(
		"INVALID_ARGUMENT",
		'The request is not valid: "query" is required.',
		{
			details: [{ path: "query", message: "is required" }],
		},
	),
	Unauthenticated: new ServiceError("UNAUTHENTICATED", "The API key is unknown or was revoked."),
	PaymentRequired: EXAMPLE_CHALLENGE,
	Forbidden: new ServiceError(
		"SCOPE_FORBIDDEN",
		'This token may not pay for the skill "expert_search".',
	),
	NotFound: new ServiceError("NOT_FOUND", 'No graph is called "no-such-graph".'),
	InFlight: new ServiceError(
		"IDEMPOTENCY_IN_FLIGHT",
		"A call with this idempotency key is still running.",
	),
	Mismatch: new ServiceError(
		"IDEMPOTENCY_MISMATCH",
		"This idempotency key was used with another request.",
	),
	TooManyRequests: new ServiceError(
		"QUOTA_EXCEEDED",
		`The free plan's ${LIMITS.freeCallsPerDay} calls of today are used up.`,
		{ retryAfterSeconds: 3600 },
	),
	Internal: new ServiceError("INTERNAL", "Something went wrong on our side; try again."),
	Unavailable: new ServiceError("UNAVAILABLE", "The service is stopping; try again shortly."),
} as const;

export type ErrorResponseName = keyof typeof EXAMPLES;

const DESCRIPTIONS: Readonly<Record<ErrorResponseName, string>> = {
	BadRequest: "Invalid parameter, malformed JSON or missing required field.",
	Unauthenticated: "Missing or invalid API key or token.",
	PaymentRequired: "Payment is needed: the price and the ways to pay it.",
	Forbidden: "The credential is valid, and not for this.",
	NotFound: "Nothing here has this name.",
	InFlight: "A call with the same idempotency key is still running.",
	Mismatch: "The idempotency key belongs to another request.",
	TooManyRequests: "A ceiling is reached; Retry-After says when to come back.",
	Internal: "Transient error; retry with exponential backoff and jitter.",
	Unavailable: "The service is stopping or took too long; retry later.",
};

const HEADERS_OF: Partial<Record<ErrorResponseName, readonly string[]>> = {
	Unauthenticated: ["WWW-Authenticate"],
	PaymentRequired: ["WWW-Authenticate"],
	InFlight: ["Retry-After"],
	TooManyRequests: ["Retry-After", "RateLimit", "RateLimit-Policy"],
	Unavailable: ["Retry-After"],
};

/** Every refusal as `components/responses` wants it; the examples are made by the code that answers. */
export function toErrorResponses(): Record<string, object> {
	return Object.fromEntries(
		Object.entries(EXAMPLES).map(([name, error]) => {
			const responseName = name as ErrorResponseName;
			return [name, toErrorResponse(responseName, error)];
		}),
	);
}

function toErrorResponse(name: ErrorResponseName, error: ServiceError): object {
	const headers = HEADERS_OF[name]?.map((header) => [header, { schema: { type: "string" } }]);
	return {
		description: DESCRIPTIONS[name],
		...(headers && { headers: Object.fromEntries(headers) }),
		content: {
			"application/json": {
				schema: referTo(replyComponents, schemaOf(name)),
				example: toErrorReply(error, REQUEST_ID).body,
			},
		},
	};
}

function schemaOf(name: ErrorResponseName) {
	if (name === "PaymentRequired") return paymentRequiredSchema;
	return name === "TooManyRequests" ? tooManySchema : errorReplySchema;
}
