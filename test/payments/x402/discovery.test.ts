import { Ajv2020 } from "ajv/dist/2020.js";
import t from "tap";
import { z } from "zod";
import type { Quote } from "../../../payments/challenge.js";
import { PAYMENT_IDENTIFIER, toDiscovery } from "../../../payments/x402/discovery.js";

const ajv = new Ajv2020({ strict: false });

const input = z.object({
	graph_id: z.string().describe("Which graph"),
	query: z.string().describe("What to look for"),
	limit: z.number().int().optional(),
	order: z.enum(["new", "old"]).optional(),
	anything: z.any(),
});
const output = z.object({ rows: z.array(z.string()).describe("What was found") });

function quoteOf(method: "GET" | "POST", changes: Partial<Quote> = {}): Quote {
	return {
		operationId: "graphs.search",
		amountMicros: 500_000n,
		billingType: "per_call",
		resourceUrl: "https://shop.example/below/v1/graphs/my%20graph/search?limit=3",
		description: "Search one graph",
		listed: {
			address: { method, path: "/v1/graphs/{graph_id}/search" },
			example: { graph_id: "g", query: "tides", limit: undefined, order: "new" },
			input,
			output,
		},
		...changes,
	} as Quote;
}

type Parts = Readonly<Record<string, Record<string, object>>>;

/** What a catalog reads of a quote. */
function discover(quote: Quote) {
	const discovery = toDiscovery(quote);
	if (!discovery) throw new Error("The quote is not listed.");
	const { info = {}, schema = {} } = discovery.bazaar as Parts;
	return { ...discovery, info, schema };
}

const FIELDS = {
	query: { type: "string", description: "What to look for" },
	limit: { type: "integer" },
	order: { type: "string", enum: ["new", "old"] },
	anything: {},
};
const SENT = {
	type: "object",
	properties: {
		query: { type: "string" },
		limit: { type: "integer" },
		order: { type: "string" },
		anything: {},
	},
};
const PATH = {
	routeTemplate: "/v1/graphs/:graph_id/search",
	pathParams: { graph_id: "my graph" },
};

for (const method of ["GET", "POST"] as const) {
	const isQuery = method === "GET";
	t.test(
		`a catalog reads how to send a ${method}, with the example of the operation`,
		async (t) => {
			const discovery = toDiscovery(quoteOf(method));
			const place = isQuery
				? { queryParams: { query: "tides", order: "new" } }
				: { bodyType: "json", body: { query: "tides", order: "new" } };
			t.equal(discovery?.bazaar["routeTemplate"], PATH.routeTemplate);
			t.same(discovery?.bazaar["info"], {
				input: { type: "http", method, ...place, pathParams: PATH.pathParams },
				output: { type: "json" },
			});
			const schemaPlace = isQuery
				? { queryParams: SENT }
				: { bodyType: { const: "json" }, body: SENT };
			const names = isQuery ? ["queryParams"] : ["bodyType", "body"];
			t.same(discovery?.bazaar["schema"], {
				$schema: "https://json-schema.org/draft/2020-12/schema",
				type: "object",
				properties: {
					input: {
						type: "object",
						properties: {
							...{ type: { const: "http" }, method: { const: method }, ...schemaPlace },
							pathParams: { type: "object", properties: { graph_id: { type: "string" } } },
						},
						required: ["type", "method", ...names, "pathParams"],
						additionalProperties: false,
					},
					output: {
						type: "object",
						properties: { type: { const: "json" }, example: { type: "object" } },
						required: ["type"],
					},
				},
				required: ["input"],
			});
			t.same(discovery?.outputSchema, {
				input: {
					...{ type: "http", method, discoverable: true },
					...(isQuery
						? { queryParams: FIELDS }
						: { bodyType: "json", bodyFields: FIELDS, required: ["query", "anything"] }),
				},
				output: {
					type: "object",
					properties: { rows: { type: "array", description: "What was found" } },
				},
			});
			t.same(toDiscovery(quoteOf(method)), discovery, "and the same when it is asked again");
		},
	);

	t.test(`the schema of a ${method} takes its own example, and nothing else`, async (t) => {
		const { info, schema } = discover(quoteOf(method));
		const validate = ajv.compile(schema);
		t.equal(validate(info), true, JSON.stringify(validate.errors));
		const input: Record<string, unknown> = { ...info["input"] };
		const other = isQuery ? "POST" : "GET";
		for (const changes of [{ type: "ftp" }, { method: other }, { surprise: 1 }, { pathParams: 1 }])
			t.equal(validate({ ...info, input: { ...input, ...changes } }), false);
		for (const name of Object.keys(input)) {
			const { [name]: _left, ...rest } = input;
			t.equal(validate({ ...info, input: rest }), false, `without ${name}`);
		}
		t.equal(validate({}), false);
	});
}

t.test("an address without parameters has no path to tell of", async (t) => {
	const { listed } = quoteOf("POST");
	if (!listed) throw new Error("It is listed.");
	const address = { method: "POST", path: "/v1/batch" } as const;
	const plain = quoteOf("POST", {
		...{ resourceUrl: "https://shop.example/v1/batch", listed: { ...listed, address } as never },
	});
	const { bazaar, outputSchema, info, schema } = discover(plain);
	t.notOk(Object.hasOwn(bazaar, "routeTemplate"));
	t.notOk(Object.hasOwn(info["input"] ?? {}, "pathParams"));
	t.match(info["input"], { body: { graph_id: "g", query: "tides" } });
	t.match(outputSchema, { input: { required: ["graph_id", "query", "anything"] } });
	t.equal(ajv.compile(schema)(info), true);
});

t.test("what is sold over no address is not listed", async (t) => {
	t.equal(toDiscovery(quoteOf("POST", { listed: undefined } as never)), undefined);
});

t.test("the retry key of a payment is of the protocol's own form", async (t) => {
	const { info, schema } = PAYMENT_IDENTIFIER["payment-identifier"];
	const validate = ajv.compile(schema);
	t.equal(validate(info), true);
	t.same(info, { required: false });
	for (const id of ["a".repeat(16), "B_-9".repeat(32)])
		t.equal(validate({ required: false, id }), true, id);
	for (const id of ["a".repeat(15), "a".repeat(129), `${"a".repeat(16)}!`, `!${"a".repeat(16)}`, 7])
		t.equal(validate({ required: false, id }), false, String(id));
	t.equal(validate({ id: "a".repeat(16) }), false, "it says whether it is required");
	t.equal(validate({ required: "no" }), false);
	t.equal(validate([]), false);
});
