import type { RequestHandler } from "express";
import type { z } from "zod";
import {
	LIMITS,
	type Operation,
	PREPAID_METHOD,
	type Price,
	type PricedBy,
	type PriceList,
	pricesByGraph,
	requestComponents,
	toGraphPrices,
} from "../contract/contract.js";
import { formatUsd, toUsdNumber } from "../kernel/kernel.js";
import {
	INTERFACE_VERSION,
	OPERATIONS,
	referTo,
	type Service,
	toComponentSchemas,
	toInlineSchema,
} from "../service/service.js";
import { toErrorResponses, toResponses } from "./openapi-responses.js";
import { sendJsonDocument } from "./respond.js";

interface DocumentTerms {
	readonly baseUrl: string;
	readonly prices: PriceList;
	/** Where the operator can be reached, as a mailto or an https address. */
	readonly contact?: string | undefined;
	/** Payments on a chain are configured. */
	readonly takesChain?: boolean | undefined;
}

/** The machine-readable description of every route in the table, with prices of this deployment. */
export function toOpenApiDocument(terms: DocumentTerms) {
	const { baseUrl, contact = baseUrl } = terms;
	const paths: Record<string, Readonly<Record<string, unknown>>> = {};
	for (const route of OPERATIONS) {
		const { method, path } = route;
		paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(route, terms) };
	}
	return {
		openapi: "3.1.0",
		info: {
			title: "Knowledge-Graph Context and Research API",
			version: INTERFACE_VERSION,
			description:
				"Curated knowledge graphs, searched and paid for call by call. Free operations need no credential; a paid one without a credential answers 402 with every way to pay.",
			contact: { name: "The operator of this server", ...toContact(contact) },
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
			"x-guidance": GUIDANCE,
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

function toContact(address: string): { readonly email: string } | { readonly url: string } {
	const [, email] = /^mailto:([^?]+)/.exec(address) ?? [];
	return email === undefined ? { url: address } : { email };
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
		description: 'An account\'s API key (sk_…); also accepted as "Authorization: Bearer".',
	},
	paymentSPT: {
		type: "apiKey",
		in: "header",
		name: "X-Pay-SPT",
		description:
			'A Shared Payment Token (spt_…) that pays for the call; also accepted as "Authorization: Bearer".',
	},
};

/** Serves the description; memoized for an address and the prices of graphs. */
export function createOpenApiHandler({ info, prices, free }: Service): RequestHandler {
	let made: { readonly key: string; readonly document: object } | undefined;
	return (req, res) => {
		const baseUrl = info.baseUrl();
		const own = prices.graphs().map((graph) => [graph.graphId, toGraphPrices(graph)]);
		const key = JSON.stringify([baseUrl, own]);
		if (made?.key !== key) {
			const { resources } = free.payments.x402Listing() as {
				readonly resources: readonly string[];
			};
			const takesChain = resources.length > 0;
			made = { key, document: toOpenApiDocument({ ...info, baseUrl, prices, takesChain }) };
		}
		sendJsonDocument(req, res, made.document);
	};
}

const TAG_OF = {
	paid: "Paid",
	purchase: "Paid",
	owner: "Owner",
	data: "Free",
	document: "Free",
} as const;

const SCHEMES = { account: { apiKey: [] }, spt: { paymentSPT: [] } } as const;

/** One operation of the OpenAPI document, made from its route and its price. */
function toOperation(route: Operation, terms: DocumentTerms): object {
	const body = "body" in route ? route.body : undefined;
	return {
		operationId: route.id.replaceAll(".", "_"),
		summary: route.summary,
		description: route.description,
		tags: [TAG_OF[route.kind]],
		...priceOf(route, terms),
		security: securityOf(route),
		parameters: [
			...toParameters("path", route.params, route.example.params),
			...toParameters("query", route.query, route.example.query),
			...(takesMoney(route) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
			{ $ref: "#/components/parameters/RequestId" },
		],
		...(body && { requestBody: toRequestBody(body, route.example.body) }),
		responses: toResponses(route),
	};
}

/** What indexers hand to agents in place of the whole description. */
const GUIDANCE =
	"Begin with POST /v1/search/route (free): it says which graphs would answer a question, and what the search costs. Then POST /v1/graphs/{graph_id}/search, or POST /v1/search for all graphs. Every answer is cited, and one without rows costs nothing. Call a paid operation without a credential to be told every way to pay (402). POST /v1/quotes (free) gives the price of a call beforehand.";

/** Free operations say so with an empty requirement, as do those an id alone may open. Spec: Authentication, rule 3. */
function securityOf(route: Operation): readonly object[] {
	if (route.kind === "paid") return [SCHEMES.account, SCHEMES.spt];
	if (route.kind === "purchase") return route.scheme ? [SCHEMES[route.scheme]] : [];
	if (route.kind !== "owner" || route.isOpen) return [];
	const schemes = route.scheme ? [SCHEMES[route.scheme]] : [SCHEMES.account, SCHEMES.spt];
	return route.opensById ? [...schemes, {}] : schemes;
}

function takesMoney({ kind }: Operation): boolean {
	return kind === "paid" || kind === "purchase";
}

/** A purchase costs what its body names; the least of it is stated. */
function priceOf(route: Operation, { prices, takesChain }: DocumentTerms): object {
	const dynamic = { mode: "dynamic", currency: "USD" };
	if (route.kind === "purchase") {
		return {
			"x-svc-price-usd": toUsdNumber(LIMITS.sptMinMicros),
			"x-svc-billing-type": "prepaid",
			"x-payment-info": {
				price: {
					...dynamic,
					min: formatUsd(LIMITS.sptMinMicros),
					max: formatUsd(LIMITS.sptMaxMicros),
				},
				protocols: protocolsOf({ takesChain }),
			},
		};
	}
	if (route.kind !== "paid") return { "x-svc-price-usd": 0, "x-svc-billing-type": "free" };
	const byGraph = pricesByGraph(prices, { ...route, operationId: route.id });
	const listed = prices.priceOf(route.id);
	const isDynamic = byGraph || route.pricedBy || route.units;
	const fixed = { mode: "fixed", currency: "USD", amount: formatUsd(listed.amountMicros) };
	return {
		...toPrice(listed),
		...(byGraph && { "x-svc-graph-prices": byGraph }),
		...(route.pricedBy && { "x-svc-prices": toKinds(route.pricedBy, prices) }),
		...(route.units && { "x-svc-price-per": route.units.name }),
		...((isDynamic || listed.amountMicros > 0n) && {
			"x-payment-info": {
				price: isDynamic ? dynamic : fixed,
				protocols: protocolsOf({ takesChain }),
			},
		}),
	};
}

/** As indexers read them; the 402 itself has the terms. */
function protocolsOf({ takesChain }: Pick<DocumentTerms, "takesChain">): object[] {
	const mpp = (method: string) => ({ mpp: { method, intent: "charge", currency: "USD" } });
	return [...(takesChain ? [{ x402: {} }, mpp("evm")] : []), mpp(PREPAID_METHOD)];
}

function toPrice({ amountMicros, billingType }: Price): object {
	return { "x-svc-price-usd": toUsdNumber(amountMicros), "x-svc-billing-type": billingType };
}

/** The price of each kind, by the value of the field that names it. */
function toKinds({ field, as }: PricedBy, prices: PriceList): object {
	const kinds = Object.entries(as).map(([kind, id]) => [kind, toPrice(prices.priceOf(id))]);
	return { field, kinds: Object.fromEntries(kinds) };
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

function toRequestBody(body: z.ZodObject, example: unknown): object {
	return {
		required: !body.safeParse({}).success,
		content: {
			"application/json": {
				schema: referTo(requestComponents, body),
				...(example !== undefined && { example }),
			},
		},
	};
}
