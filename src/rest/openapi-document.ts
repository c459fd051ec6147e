import type { RequestHandler } from "express";
import { LIMITS, type PriceList } from "../contract/contract.js";
import type { Service } from "../service/service.js";
import { INTERFACE_VERSION, OPERATIONS, toComponentSchemas } from "../service/service.js";
import { toErrorResponses } from "./openapi-errors.js";
import { toOperation } from "./openapi-operation.js";
import { sendJsonDocument } from "./respond.js";

/** The machine-readable description of every route in the table, with prices of this deployment. */
export function toOpenApiDocument({
	baseUrl,
	prices,
}: {
	readonly baseUrl: string;
	readonly prices: PriceList;
}) {
	const paths: Record<string, Readonly<Record<string, unknown>>> = {};
	for (const route of OPERATIONS) {
		const { method, path } = route;
		paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(route, prices) };
	}
	return {
		openapi: "3.1.0",
		info: {
			title: "Knowledge-Graph Context and Research API",
			version: INTERFACE_VERSION,
			description:
				"Curated knowledge graphs, searched and paid for call by call. Free operations need no credential; a paid one without a credential answers 402 with every way to pay.",
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
		},
		servers: [{ url: baseUrl }],
		tags: [
			{ name: "Paid", description: "Priced per call; an answer without a result costs nothing." },
			{ name: "Free", description: "No credential needed." },
			{ name: "Owner", description: "For whoever shows the credential; nothing is charged." },
		],
		paths,
		components: {
			schemas: toComponentSchemas(),
			responses: toErrorResponses(),
			parameters: PARAMETERS,
			securitySchemes: SECURITY_SCHEMES,
		} as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
	};
}

const PARAMETERS = {
	RequestId: {
		name: "X-Request-Id",
		in: "header",
		required: false,
		description: "Echoed when well formed; otherwise the reply carries one of ours.",
		schema: { type: "string", pattern: "^[A-Za-z0-9_-]{8,64}$" },
	},
	IdempotencyKey: {
		name: "Idempotency-Key",
		in: "header",
		required: false,
		description: "A retry with the same key and body, within 24 hours, is not charged again.",
		schema: { type: "string", minLength: 1, maxLength: LIMITS.idempotencyKeyChars },
	},
};

const SECURITY_SCHEMES = {
	apiKey: {
		type: "apiKey",
		in: "header",
		name: "X-API-Key",
		description: 'An account\'s API key (sk_live_…); also accepted as "Authorization: Bearer".',
	},
	paymentSPT: {
		type: "apiKey",
		in: "header",
		name: "X-Pay-SPT",
		description:
			'A Shared Payment Token (spt_…) that pays for the call; also accepted as "Authorization: Bearer".',
	},
};

/** Serves the description; memoized, at the first question, when the base address is known. */
export function createOpenApiHandler({ info, prices }: Service): RequestHandler {
	let made: { readonly baseUrl: string; readonly document: object } | undefined;
	return (req, res) => {
		const baseUrl = info.baseUrl();
		if (made?.baseUrl !== baseUrl) {
			made = { baseUrl, document: toOpenApiDocument({ baseUrl, prices }) };
		}
		sendJsonDocument(req, res, made.document);
	};
}
