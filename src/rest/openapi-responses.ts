import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
	DataOperation,
	DocumentOperation,
	Operation,
	OwnerOperation,
	PaidOperation,
	PurchaseOperation,
} from "../contract/contract.js";
import { replyComponents } from "../contract/contract.js";
import { PACKAGE_ROOT } from "../kernel/kernel.js";
import { referTo } from "../service/service.js";
import type { ErrorResponseName } from "./openapi-errors.js";

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

const REQUEST_ID = "req_01kg9yz3v0f6x2m8q4t7w1ab2c";

let generated: Readonly<Record<string, unknown>> | undefined;

/** What an operation answers to its example: as its definition says, else as `npm run docs` had it from the sample catalog. */
export function exampleReplyOf(operation: Operation): unknown {
	generated ??= JSON.parse(readFileSync(join(PACKAGE_ROOT, "examples", "replies.json"), "utf8"));
	const { example, id } = operation;
	if ("reply" in example) return example.reply;
	if (!("data" in example)) return generated?.[id];
	if ("sends" in operation && operation.sends) return example.data;
	const isList = "isList" in operation && operation.isList;
	const meta = { request_id: REQUEST_ID, ...(isList && { next_cursor: null }) };
	return { ok: true, data: example.data, meta };
}
