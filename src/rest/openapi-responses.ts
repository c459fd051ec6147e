import { z } from "zod";
import { createChallenge } from "../../payments/payments.js";
import {
	BILLING_TYPES,
	type DataOperation,
	type DocumentOperation,
	LIMITS,
	type Operation,
	type OwnerOperation,
	type PaidOperation,
	type PurchaseOperation,
	replyComponent,
	replyComponents,
	usdField,
} from "../contract/contract.js";
import { toErrorReply } from "../http/http.js";
import {
	ERROR_CODES,
	invalidArgument,
	notFound,
	parseUsd,
	ServiceError,
	unavailable,
} from "../kernel/kernel.js";
import { continuationSchema } from "../sales/sales.js";
import { EXAMPLE_REQUEST_ID, exampleReplyOf, referTo } from "../service/service.js";

const PAID_HEADERS = ["X-Cost-USD", "X-Balance-After-USD", "X-Receipt-Id", "X-Request-Id"];

/** Every reply of one operation: the answer, and each refusal its route can give. */
export function toResponses(route: Operation): Record<string, object> {
	switch (route.kind) {
		case "paid":
			return route.streams
				? { "200": toStreamResponse(route), "204": NOTHING_LEFT, ...refusals(PAID_REFUSALS) }
				: { [route.accepted ? 202 : 200]: toPaidResponse(route), ...refusals(PAID_REFUSALS) };
		case "owner":
			return { ...toOwnedResponse(route), ...ownerRefusals(route) };
		case "purchase":
			return {
				[route.status ?? 200]: { ...toDataResponse(route), headers: RECEIPT_HEADERS },
				...refusals(PAID_REFUSALS),
			};
		case "data":
			return { "200": toDataResponse(route), ...freeReplies(route) };
		case "document":
			return { "200": toDocumentResponse(route), ...freeReplies(route) };
	}
}

const RECEIPT_HEADERS = {
	"PAYMENT-RESPONSE": { schema: { type: "string" } },
	"X-Request-Id": { schema: { type: "string" } },
};

const PAID_REFUSALS = {
	400: "BadRequest",
	401: "Unauthenticated",
	402: "PaymentRequired",
	403: "Forbidden",
	404: "NotFound",
	409: "InFlight",
	422: "Mismatch",
	429: "TooManyRequests",
	500: "Internal",
	503: "Unavailable",
} as const;

function freeReplies(route: DataOperation | DocumentOperation): Record<string, object> {
	const isNamed = Object.keys({ ...route.params.shape, ...route.query.shape }).some(
		(name) => name.startsWith("graph_id") || name === "token",
	);
	const isCacheable = route.kind === "document" || route.freshness === "catalog";
	return {
		...(isCacheable && { "304": { description: "The caller's copy is still good." } }),
		...refusals({ 400: "BadRequest" }),
		...("mayBeClosed" in route && refusals({ 403: "Forbidden" })),
		...((isNamed || isLookUp(route)) && refusals({ 404: "NotFound" })),
		...refusals({ 429: "TooManyRequests", 500: "Internal", 503: "Unavailable" }),
	};
}

function ownerRefusals(route: OwnerOperation): Record<string, object> {
	return {
		...refusals({ 400: "BadRequest", 401: "Unauthenticated" }),
		...(route.body && refusals({ 402: "PaymentRequired" })),
		...((route.body || route.scheme) && refusals({ 403: "Forbidden" })),
		...((isLookUp(route) || route.body || route.scheme !== "spt") && refusals({ 404: "NotFound" })),
		...refusals({ 429: "TooManyRequests", 500: "Internal", 503: "Unavailable" }),
	};
}

/** What a path names may not exist. */
function isLookUp({ params }: Operation): boolean {
	return Object.keys(params.shape).length > 0;
}

function refusals(names: Readonly<Record<number, ErrorResponseName>>): Record<string, object> {
	return Object.fromEntries(
		Object.entries(names).map(([status, name]) => [
			status,
			{ $ref: `#/components/responses/${name}` },
		]),
	);
}

const NOTHING_LEFT = { description: "The stream has ended, and nothing is behind that event." };

/** Events as they come; the cost headers go with a stream that begins, not with one that goes on. */
function toStreamResponse(route: PaidOperation): object {
	return {
		description:
			"Server-Sent Events, in order: research.created, plan, search, evidence, progress, output.delta, output.done and usage, then exactly one of research.completed, research.failed and research.cancelled.",
		headers: paidHeaders(),
		content: {
			"text/event-stream": { schema: { type: "string" }, example: exampleReplyOf(route) },
		},
	};
}

function paidHeaders() {
	return Object.fromEntries(PAID_HEADERS.map((name) => [name, { schema: { type: "string" } }]));
}

function toPaidResponse(route: PaidOperation): object {
	return {
		description: "The answer, with what it cost.",
		headers: paidHeaders(),
		content: {
			"application/json": {
				schema: referTo(replyComponents, route.reply),
				example: exampleReplyOf(route),
			},
		},
	};
}

function toDataResponse(route: DataOperation | OwnerOperation | PurchaseOperation): object {
	const { data, isList } = route;
	return {
		description: "The answer in the shared envelope.",
		content: {
			"application/json": {
				schema: {
					type: "object",
					required: ["ok", "data", "meta"],
					properties: {
						ok: { const: true },
						data: referTo(replyComponents, data),
						meta: { $ref: `#/components/schemas/${isList ? "ListMeta" : "Meta"}` },
					},
				},
				example: exampleReplyOf(route),
			},
		},
	};
}

function toOwnedResponse(route: OwnerOperation): Record<string, object> {
	const { sends, status = 200 } = route;
	const text = { schema: { type: "string" }, example: exampleReplyOf(route) };
	switch (sends?.kind) {
		case undefined:
			return { [status]: toDataResponse(route) };
		case "events":
			return {
				"200": { description: "Server-Sent Events.", content: { "text/event-stream": text } },
				"204": NOTHING_LEFT,
			};
		case "document": {
			const [first = "", ...others] = sends.mediaTypes;
			const plain = { schema: { type: "string" } };
			const content = { [first]: text, ...Object.fromEntries(others.map((type) => [type, plain])) };
			return { "200": { description: "The document as it stands.", content } };
		}
	}
}

function toDocumentResponse({ mediaType, example }: DocumentOperation): object {
	const schema = mediaType.startsWith("application/ld+json")
		? { type: "object" }
		: { type: "string", ...(mediaType === "application/zip" && { format: "binary" }) };
	return {
		description: "The document as it stands.",
		content: {
			[mediaType]: {
				schema,
				...(example.document !== undefined && { example: example.document }),
			},
		},
	};
}

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
const errorReplySchema = replyComponent("ErrorReply", z.object({ error: errorSchema }));

/** A 402: the error envelope, the price, and every way to pay it. */
const paymentRequiredSchema = replyComponent(
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
const tooManySchema = replyComponent(
	"TooManyRequests",
	z.object({ error: errorSchema, continuations: z.array(continuationSchema).optional() }),
);

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
	BadRequest: invalidArgument('The request is not valid: "query" is required.', {
		details: [{ path: "query", message: "is required" }],
	}),
	Unauthenticated: new ServiceError("UNAUTHENTICATED", "The API key is unknown or was revoked."),
	PaymentRequired: EXAMPLE_CHALLENGE,
	Forbidden: new ServiceError(
		"SCOPE_FORBIDDEN",
		'This token may not pay for the skill "expert_search".',
	),
	NotFound: notFound('No graph is called "no-such-graph".'),
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
	Unavailable: unavailable("The service is stopping; try again shortly."),
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
				example: toErrorReply(error, EXAMPLE_REQUEST_ID).body,
			},
		},
	};
}

function schemaOf(name: ErrorResponseName) {
	if (name === "PaymentRequired") return paymentRequiredSchema;
	return name === "TooManyRequests" ? tooManySchema : errorReplySchema;
}
