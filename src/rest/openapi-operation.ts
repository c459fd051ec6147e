import type { z } from "zod";
import type { PriceList } from "../../payments/price-list.js";
import { toUsdNumber } from "../core/money.js";
import { replyComponents, requestComponents } from "./components.js";
import type { ErrorResponseName } from "./openapi-errors.js";
import { referTo, toInlineSchema } from "./openapi-schemas.js";
import type { DataRoute, DocumentRoute, PaidRoute, Route } from "./route.js";

const PAID_HEADERS = ["X-Cost-USD", "X-Balance-After-USD", "X-Receipt-Id", "X-Request-Id"];

/** One operation of the OpenAPI document, made from its route and its price. */
export function toOperation(route: Route, prices: PriceList): object {
	return {
		operationId: route.operationId.replaceAll(".", "_"),
		summary: route.summary,
		description: route.description,
		tags: [route.kind === "paid" ? "Paid" : "Free"],
		...priceOf(route, prices),
		// Free operations say so with an empty requirement. Spec: Authentication, rule 3.
		security: route.kind === "paid" ? [{ apiKey: [] }, { paymentSPT: [] }] : [],
		parameters: [
			...toParameters("path", route.path, route.example.path),
			...toParameters("query", route.query, route.example.query),
			...(route.kind === "paid" ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
			{ $ref: "#/components/parameters/RequestId" },
		],
		...(route.kind === "paid" && { requestBody: toRequestBody(route) }),
		responses: toResponses(route),
	};
}

function priceOf(route: Route, prices: PriceList): object {
	if (route.kind !== "paid") return { "x-svc-price-usd": 0, "x-svc-billing-type": "free" };
	const { amountMicros, billingType } = prices.priceOf(route.operationId);
	return { "x-svc-price-usd": toUsdNumber(amountMicros), "x-svc-billing-type": billingType };
}

function toParameters(
	place: "path" | "query",
	fields: z.ZodObject,
	example: Readonly<Record<string, string>> = {},
): object[] {
	return Object.entries(fields.shape).map(([name, field]) => {
		const { description, ...schema } = toInlineSchema(field);
		return {
			name,
			in: place,
			required: place === "path" || !(field as z.ZodType).safeParse(undefined).success,
			...(description !== undefined && { description }),
			schema,
			...(name in example && { example: toExample(schema["type"], example[name]) }),
		};
	});
}

function toExample(type: unknown, text: string | undefined): unknown {
	return type === "integer" || type === "number" ? Number(text) : text;
}

function toRequestBody({ body, example }: PaidRoute): object {
	return {
		required: true,
		content: {
			"application/json": { schema: referTo(requestComponents, body), example: example.body },
		},
	};
}

function toResponses(route: Route): Record<string, object> {
	if (route.kind === "paid") {
		return {
			"200": toPaidResponse(route),
			...refusals({
				400: "BadRequest",
				401: "Unauthenticated",
				402: "PaymentRequired",
				404: "NotFound",
				409: "InFlight",
				422: "Mismatch",
				429: "TooManyRequests",
				500: "Internal",
				503: "Unavailable",
			}),
		};
	}
	const isNamed = Object.keys({ ...route.path.shape, ...route.query.shape }).some((name) =>
		name.startsWith("graph_id"),
	);
	return {
		"200": route.kind === "data" ? toDataResponse(route) : toDocumentResponse(route),
		...(isCacheable(route) && { "304": { description: "The caller's copy is still good." } }),
		...refusals({ 400: "BadRequest" }),
		...(isNamed && refusals({ 404: "NotFound" })),
		...refusals({ 429: "TooManyRequests", 500: "Internal" }),
	};
}

function refusals(names: Readonly<Record<number, ErrorResponseName>>): Record<string, object> {
	return Object.fromEntries(
		Object.entries(names).map(([status, name]) => [
			status,
			{ $ref: `#/components/responses/${name}` },
		]),
	);
}

function isCacheable(route: DataRoute | DocumentRoute): boolean {
	return route.kind === "document" || route.freshness === "catalog";
}

function toPaidResponse({ reply, example }: PaidRoute): object {
	return {
		description: "The answer, with what it cost.",
		headers: Object.fromEntries(PAID_HEADERS.map((name) => [name, { schema: { type: "string" } }])),
		content: {
			"application/json": { schema: referTo(replyComponents, reply), example: example.reply },
		},
	};
}

function toDataResponse({ data, example, isList }: DataRoute): object {
	const meta = {
		request_id: "req_01kg9yz3v0f6x2m8q4t7w1ab2c",
		...(isList && { next_cursor: null }),
	};
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
				example: { ok: true, data: example.data, meta },
			},
		},
	};
}

function toDocumentResponse({ mediaType, example }: DocumentRoute): object {
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
