import t from "tap";
import { z } from "zod";
import { createPriceList } from "../../payments/price-list.js";
import type { Operation as Route } from "../../src/contract/operation.js";
import {
	FREE_OPERATION_IDS,
	OPERATION_ADDRESSES,
	OWNER_OPERATION_IDS,
	PAID_OPERATION_IDS,
	PURCHASE_OPERATION_IDS,
} from "../../src/contract/operations.js";
import { parseUsd, toUsdNumber } from "../../src/kernel/money.js";
import { toOpenApiDocument } from "../../src/rest/openapi-document.js";
import { exampleReplyOf } from "../../src/service/example-replies.js";
import { ROUTES } from "../support/routes.js";
import { startRest } from "./start-rest.js";

const OPERATION_IDS = [
	...PAID_OPERATION_IDS,
	...FREE_OPERATION_IDS,
	...OWNER_OPERATION_IDS,
	...PURCHASE_OPERATION_IDS,
];

type Json = Record<string, unknown>;

const operationSchema = z.object({
	operationId: z.string(),
	summary: z.string().min(1),
	description: z.string().min(1),
	security: z.array(z.record(z.string(), z.array(z.string()))),
	parameters: z.array(
		z.union([z.object({ $ref: z.string() }), z.looseObject({ name: z.string(), in: z.string() })]),
	),
	requestBody: z.looseObject({}).optional(),
	responses: z.record(z.string(), z.looseObject({})),
	"x-svc-price-usd": z.number(),
	"x-svc-billing-type": z.string(),
});

const prices = createPriceList();
const document = toOpenApiDocument({ baseUrl: "https://example.org", prices });
const plain = JSON.parse(JSON.stringify(document)) as Json;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, operation]) => ({
		path,
		method: method.toUpperCase(),
		operation: operationSchema.parse(operation),
	})),
);

function operationOf(route: Route) {
	const { method, path } = OPERATION_ADDRESSES[route.id];
	const found = operations.find((one) => one.path === path && one.method === method);
	if (!found) throw new Error(`${route.id} is not described.`);
	return found.operation;
}

/** Every value of the document with the path it stands at. */
function* walk(value: unknown, at = "#"): Generator<[at: string, value: unknown]> {
	yield [at, value];
	if (typeof value !== "object" || value === null) return;
	for (const [key, inner] of Object.entries(value)) yield* walk(inner, `${at}/${key}`);
}

function resolve(ref: string): unknown {
	return ref
		.replace(/^#\//, "")
		.split("/")
		.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], plain);
}

t.test("the document describes every operation, and nothing else", (t) => {
	t.same(
		operations.map(({ operation }) => operation.operationId).sort(),
		OPERATION_IDS.map((id) => id.replaceAll(".", "_")).sort(),
	);
	t.same(Object.keys(ROUTES).sort(), [...OPERATION_IDS].sort());
	for (const [id, route] of Object.entries(ROUTES)) {
		t.equal(route.id, id);
		t.equal(operationOf(route).operationId, id.replaceAll(".", "_"));
	}
	t.equal(document.openapi, "3.1.0");
	t.equal(document.info["version"], "1.7.0");
	t.same(document.servers, [{ url: "https://example.org" }]);
	t.end();
});

t.test("every reference leads somewhere, and every component is used", (t) => {
	const used = new Set<string>();
	for (const [at, value] of walk(plain)) {
		if (!at.endsWith("/$ref")) continue;
		used.add(String(value));
		t.ok(resolve(String(value)), `${at} → ${value}`);
	}
	for (const kind of ["schemas", "responses", "parameters"]) {
		for (const name of Object.keys(document.components[kind] ?? {})) {
			t.ok(used.has(`#/components/${kind}/${name}`), `${kind}/${name} is used`);
		}
	}
	t.end();
});

t.test("no schema brings an identity of its own", (t) => {
	const strangers = [...walk(plain)].filter(
		([at]) => /\/(\$id|\$schema|\$defs|~standard)$/.test(at) && !at.includes("/example/"),
	);
	t.same(strangers, []);
	t.notMatch(JSON.stringify(plain), String(Number.MAX_SAFE_INTEGER));
	t.end();
});

t.test("every parameter of a path is declared, required and named in the path", (t) => {
	for (const { path, operation } of operations) {
		const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
		const declared = operation.parameters.flatMap((parameter) =>
			"in" in parameter && parameter.in === "path" ? [parameter] : [],
		);
		t.same(
			declared.map(({ name }) => name),
			inPath,
			path,
		);
		t.ok(declared.every((parameter) => (parameter as Json)["required"] === true));
	}
	t.end();
});

/** What the price book says of a route; the least of a purchase, and nothing of what is free. */
function bookPriceOf(route: Route): { readonly usd: number; readonly billingType: string } {
	if (route.kind === "purchase") return { usd: 1, billingType: "prepaid" };
	if (route.kind !== "paid") return { usd: 0, billingType: "free" };
	const { amountMicros, billingType } = prices.priceOf(route.id);
	return { usd: toUsdNumber(amountMicros), billingType };
}

/** Needs no credential: free to anybody, or a purchase by a payment alone. */
function isOpen(route: Route): boolean {
	if (route.kind === "owner") return route.isOpen === true;
	if (route.kind === "paid") return false;
	return !("scheme" in route && route.scheme);
}

t.test("paid operations name both ways to pay, their price and every refusal", (t) => {
	for (const route of Object.values(ROUTES)) {
		const operation = operationOf(route);
		const { usd, billingType } = bookPriceOf(route);
		t.equal(operation["x-svc-price-usd"], usd, route.id);
		t.equal(operation["x-svc-billing-type"], billingType);
		t.equal(operation.security.length === 0, isOpen(route), route.id);
		if (route.kind === "purchase") t.ok(operation.responses[402]);
		if (route.kind !== "paid") continue;
		t.same(operation.security, [{ apiKey: [] }, { paymentSPT: [] }]);
		for (const status of [route.accepted ? 202 : 200, 400, 401, 402, 403, 404, 429, 500]) {
			t.ok(operation.responses[status], `${route.id} declares ${status}`);
		}
	}
	t.same(Object.keys(document.components["securitySchemes"] ?? {}), ["apiKey", "paymentSPT"]);
	t.end();
});

t.test("the document says how the operator is reached", (t) => {
	t.match(document.info.contact, { name: String, url: "https://example.org" });
	const mail = toOpenApiDocument({
		baseUrl: "https://example.org",
		prices,
		contact: "mailto:operator@example.org?subject=API",
	});
	t.match(mail.info.contact, { name: String, email: "operator@example.org" });
	const page = toOpenApiDocument({
		baseUrl: "https://example.org",
		prices,
		contact: "https://example.org/contact",
	});
	t.match(page.info.contact, { url: "https://example.org/contact" });
	t.end();
});

function infoIn({ paths }: typeof document, { id }: Route): Json | undefined {
	const { method, path } = OPERATION_ADDRESSES[id];
	const operation = paths[path]?.[method.toLowerCase()] as Json | undefined;
	return operation?.["x-payment-info"] as Json | undefined;
}

t.test("every paid operation states its price and protocols as indexers read them", (t) => {
	const chained = toOpenApiDocument({ baseUrl: "https://example.org", prices, takesChain: true });
	for (const route of Object.values(ROUTES)) {
		const info = infoIn(chained, route);
		if (route.kind !== "paid" && route.kind !== "purchase") {
			t.equal(info, undefined, route.id);
			continue;
		}
		const price = info?.["price"] as Json | undefined;
		t.match(price, { mode: /^(fixed|dynamic)$/, currency: "USD" }, route.id);
		if (price?.["mode"] === "fixed") t.equal(Number(price["amount"]), bookPriceOf(route).usd);
		t.match(info?.["protocols"], [{ x402: {} }, { mpp: { method: "evm", intent: "charge" } }]);
		t.match(
			infoIn(document, route)?.["protocols"],
			[{ mpp: { method: "tollgraph" } }],
			"without a chain",
		);
	}
	t.end();
});

t.test("opening an account, which the operator may not offer, declares 403", (t) => {
	t.ok(operationOf(ROUTES["accounts.open"]).responses[403]);
	t.notOk(operationOf(ROUTES["graphs.catalog"]).responses[403]);
	t.end();
});

t.test("a changed price is the price the document shows", (t) => {
	const price = { amountMicros: parseUsd("0.75"), billingType: "per_call" } as const;
	const { paths } = toOpenApiDocument({
		baseUrl: "https://example.org",
		prices: createPriceList({ "search.domain": price }),
	});
	t.match(paths["/v1/search/domain"], { post: { "x-svc-price-usd": 0.75 } });
	t.match(paths["/v1/search/report"], { post: { "x-svc-price-usd": 0.5 } });
	t.end();
});

t.test("every example fits the schema beside it", (t) => {
	for (const route of Object.values(ROUTES)) {
		for (const [part, schema, example] of partsOf(route)) {
			const parsed = schema.safeParse(example);
			t.ok(parsed.success, `${route.id} ${part} ${parsed.error?.message ?? ""}`);
		}
	}
	t.end();
});

function partsOf(route: Route): [part: string, schema: z.ZodType, example: unknown][] {
	const { params = {}, query = {} } = route.example;
	const body = "body" in route ? route.body : undefined;
	return [
		["params", route.params, params],
		["query", route.query, query],
		...(body ? [["body", body, route.example.body ?? {}] as [string, z.ZodType, unknown]] : []),
		...repliesOf(route),
	];
}

function repliesOf(route: Route): [part: string, schema: z.ZodType, example: unknown][] {
	switch (route.kind) {
		case "paid":
			return [["reply", route.reply, exampleReplyOf(route)]];
		case "document":
			return [];
		default:
			return [["data", route.data, dataOf(route)]];
	}
}

/** Events and documents are sent without the envelope. */
function dataOf(route: Route): unknown {
	const reply = exampleReplyOf(route);
	return "sends" in route && route.sends ? reply : (reply as { data: unknown }).data;
}

t.test("every refusal has an example in the contract's envelope", (t) => {
	for (const [name, response] of Object.entries(document.components["responses"] ?? {})) {
		t.match(
			response,
			{
				content: {
					"application/json": {
						example: {
							error: { code: String, message: String, request_id: String, retryable: Boolean },
						},
					},
				},
			},
			name,
		);
	}
	t.end();
});

t.test("the served document names the address it is served from", async (t) => {
	const { baseUrl } = await startRest(t);
	const reply = await fetch(`${baseUrl}/openapi.json`);
	t.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
	t.same(((await reply.json()) as { servers: unknown }).servers, [{ url: baseUrl }]);
});
