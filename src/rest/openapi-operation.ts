import type { z } from "zod";
import type { Operation } from "../contract/contract.js";
import {
	LIMITS,
	type Price,
	type PricedBy,
	type PriceList,
	requestComponents,
} from "../contract/contract.js";
import { toUsdNumber } from "../kernel/kernel.js";
import { referTo, toInlineSchema } from "../service/service.js";
import { toResponses } from "./openapi-responses.js";

const TAG_OF = {
	paid: "Paid",
	purchase: "Paid",
	owner: "Owner",
	data: "Free",
	document: "Free",
} as const;

const SCHEMES = { account: { apiKey: [] }, spt: { paymentSPT: [] } } as const;

/** One operation of the OpenAPI document, made from its route and its price. */
export function toOperation(route: Operation, prices: PriceList): object {
	const body = "body" in route ? route.body : undefined;
	return {
		operationId: route.id.replaceAll(".", "_"),
		summary: route.summary,
		description: route.description,
		tags: [TAG_OF[route.kind]],
		...priceOf(route, prices),
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
function priceOf(route: Operation, prices: PriceList): object {
	if (route.kind === "purchase") {
		return {
			"x-svc-price-usd": toUsdNumber(LIMITS.sptMinMicros),
			"x-svc-billing-type": "prepaid",
			"x-payment-info": { price: { mode: "dynamic", currency: "USD" } },
		};
	}
	if (route.kind === "owner" && route.statedPrice)
		return toPrice(prices.priceOf(route.statedPrice));
	if (route.kind !== "paid") return { "x-svc-price-usd": 0, "x-svc-billing-type": "free" };
	return {
		...toPrice(prices.priceOf(route.id)),
		...(route.pricedBy && {
			"x-svc-prices": toKinds(route.pricedBy, prices),
			"x-payment-info": { price: { mode: "dynamic", currency: "USD" } },
		}),
		...(route.units && {
			"x-svc-price-per": route.units.name,
			"x-payment-info": { price: { mode: "dynamic", currency: "USD" } },
		}),
	};
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
