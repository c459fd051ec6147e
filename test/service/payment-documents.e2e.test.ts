import { PaymentRequirementsV1Schema, parsePaymentRequired } from "@x402/core/schemas";
import Ajv from "ajv/dist/2020.js";
import { compactVerify, createLocalJWKSet } from "jose";
import t from "tap";
import { fingerprintOf } from "../../payments/idempotency.js";
import { probeServer } from "../../src/cli/probe/probe-server.js";
import { PAID_OPERATION_IDS } from "../../src/contract/operations.js";
import { createConfiguredEgress } from "../../src/delivery/configured-egress.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { KNOWN_QUERY, startApp } from "../support/start-app.js";

const json = { "Content-Type": "application/json" };
const OF_MODELS: readonly string[] = ["embeddings.create", "rerank.create"];
type Item = Readonly<Record<string, never>>;

/** What the usual proxies let through in one header, with room for the others. */
const HEADER_CHARS_MAX = 3_500;

/** The request that an item of the listing describes. */
function requestOf({ url, method, example_input }: Readonly<Record<string, string>>) {
	const { pathname, search } = new URL(String(url));
	const sent = method === "GET" ? {} : { headers: json, body: JSON.stringify(example_input) };
	return { pathname, path: `${pathname}${search}`, init: { method, ...sent } as RequestInit };
}

interface Bazaar {
	readonly routeTemplate?: string;
	readonly schema: object;
	readonly info: {
		readonly input: {
			readonly body?: object;
			readonly pathParams?: Readonly<Record<string, string>>;
		};
	};
}

t.test("a service with a chain says how it is paid, before and after", async (t) => {
	const { now } = systemClock;
	const chain = createSimChain({ now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const { terms } = chain;
	const onchain = { terms, facilitator, chain, close: async () => undefined };
	const shop = await startApp(t, { onchain, settings: { model: "none" } });
	const wallet = createSimWallet(chain, { name: "agent", now, balance: 50_000_000n });

	await t.test("every configured rail is listed with what its clients need", async (t) => {
		const { body } = await shop.send("/v1/payments/methods");
		const [x402, mpp, spt, plan] = body.data.items;
		t.match(x402, {
			rail: "x402",
			versions: [2, 1],
			network: terms.network,
			network_v1: "base-sepolia",
			asset: { address: terms.asset, decimals: 6 },
			pay_to: terms.payTo,
			request_headers: ["PAYMENT-SIGNATURE", "X-PAYMENT"],
			limits: { authorization_valid_seconds_max: 600, settled_before_the_work_from_usd: "2.00" },
		});
		t.match([mpp.rail, spt.rail, plan.rail], ["mpp", "spt", "plan"]);
		t.match(spt.how_to_start, /POST \/v1\/spt/);
		const health = await shop.send("/v1/health");
		t.same(health.body.data.rails, ["x402", "mpp", "spt", "plan"]);
	});

	await t.test("the listing carries the very requirements of the challenges", async (t) => {
		const { body, headers } = await shop.send("/.well-known/x402");
		t.match(headers.get("cache-control"), /public/);
		t.same(
			body.items.map(({ operation }: Item) => operation),
			[...PAID_OPERATION_IDS.filter((id) => !OF_MODELS.includes(id)), "spt.purchase"],
			"but for what a server without models cannot sell",
		);
		t.same(
			body.resources,
			body.items.map(({ url }: Item) => url),
		);
		for (const { url, method, example_input, accepts } of body.items) {
			const { path, init } = requestOf({ url, method, example_input });
			const unpaid = await shop.send(path, init);
			t.equal(unpaid.status, 402, path);
			t.same(accepts.v1, unpaid.body.accepts);
			const header = unpaid.headers.get("PAYMENT-REQUIRED") ?? "";
			t.same(accepts.v2, JSON.parse(Buffer.from(header, "base64").toString()).accepts);
		}
	});

	await t.test(
		"an audit of the listed resources finds each of them paid and described",
		async (t) => {
			const { body } = await shop.send("/.well-known/x402");
			const ajv = new Ajv.Ajv2020({ strict: false });
			for (const { url, method, example_input } of body.items) {
				const { pathname, path, init } = requestOf({ url, method, example_input });
				const unpaid = await shop.send(path, init);
				t.equal(unpaid.status, 402, pathname);
				const header = unpaid.headers.get("PAYMENT-REQUIRED") ?? "";
				t.ok(header.length <= HEADER_CHARS_MAX, `${pathname}: ${header.length} characters`);
				const required = JSON.parse(Buffer.from(header, "base64").toString());
				t.ok(parsePaymentRequired(required).success, pathname);
				const bazaar: Bazaar = required.extensions.bazaar;
				const isSound = ajv.compile(bazaar.schema);
				t.ok(isSound(bazaar.info), `${pathname}: ${ajv.errorsText(isSound.errors)}`);
				const { input } = bazaar.info;
				t.match(input, { type: "http", method });
				// As x402scan looks for the shape of an answer.
				t.match(bazaar.schema, { properties: { output: { properties: { example: {} } } } });
				t.same(input.body, init.body && example_input);
				const template = bazaar.routeTemplate ?? pathname;
				const filled = template.replace(/:(\w+)/g, (_, name: string) =>
					encodeURIComponent(input.pathParams?.[name] ?? ""),
				);
				t.equal(filled, pathname);
				for (const offer of unpaid.body.accepts) {
					t.ok(PaymentRequirementsV1Schema.safeParse(offer).success, pathname);
					t.match(offer.outputSchema.input, { type: "http", method, discoverable: true });
					t.equal(offer.outputSchema.output.type, "object");
				}
			}
			t.ok(body.items.length > 45);
		},
	);

	await t.test("a request with nothing but its address is asked for the price", async (t) => {
		const { body } = await shop.send("/.well-known/x402");
		for (const { url, method, accepts } of body.items) {
			const { pathname } = new URL(url);
			for (const sent of method === "GET" ? [{}] : [{}, { headers: json, body: "{}" }]) {
				const unpaid = await shop.send(pathname, { method, ...sent });
				t.equal(unpaid.status, 402, pathname);
				t.same(unpaid.body.accepts, accepts.v1, pathname);
			}
		}
		const search = "/v1/graphs/agent-payments/search";
		const post = (path: string, init: RequestInit = {}) =>
			shop.send(path, { method: "POST", ...init });
		t.equal(
			(await post(search, { headers: { "X-Pay-SPT": (await shop.issueSpt("1.00")).token } }))
				.status,
			400,
		);
		t.equal((await post(search, { headers: json, body: '{"limit":3}' })).status, 400);
		t.equal((await post(search, { headers: json, body: "[]" })).status, 400);
		t.equal((await post("/v1/graphs/no-such-graph/search")).status, 400);
		const payment = wallet.v2(wallet.sign({ value: 500_000n }));
		t.equal((await post(search, { headers: { "PAYMENT-SIGNATURE": payment } })).status, 400);
		t.equal(chain.transactions.length, 0, "nothing is settled");
	});

	await t.test("the probe finds every price answered in both versions of x402", async (t) => {
		const report = await probeServer({
			egress: createConfiguredEgress({ urls: [shop.baseUrl] }),
			origin: shop.baseUrl,
			timeoutMs: 5_000,
			routesMax: 50,
		});
		t.same(
			report.routes.filter(({ status }) => status === "problem"),
			[],
		);
		t.equal(report.ok, true);
		const { ways } = report.routes[0] ?? {};
		t.same(ways?.slice(0, 3), ["x402 v2", "x402 v1", "mpp"]);
	});

	await t.test(
		"a quoted call is paid by wallet, and its receipt names the transaction",
		async (t) => {
			const input = { graph_id: "agent-payments", query: KNOWN_QUERY, limit: 3 };
			const { body: quoted } = await shop.send("/v1/quotes", {
				method: "POST",
				headers: json,
				body: JSON.stringify({ operation: "graphs.search", input }),
			});
			const { quote_id, request_hash, pay } = quoted.data;
			t.match(pay[0], { type: "x402", pay_to: terms.payTo });
			const paid = await shop.search({
				headers: {
					"X-Quote-Id": quote_id,
					"PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value: 500_000n })),
				},
			});
			t.equal(paid.status, 200);
			const receiptId = paid.body.meta.cost.receipt_id;
			const { receipt, jws } = (await shop.send(`/v1/receipts/${receiptId}`)).body.data;
			const [settled] = chain.transactions;
			t.match(receipt, {
				rail: "x402",
				request_hash,
				graph_ids: ["agent-payments"],
				settlement: { network: terms.network, transaction: settled?.hash, payer: wallet.address },
			});
			const keySet = (await shop.send("/.well-known/jwks.json")).body;
			t.ok(await compactVerify(jws, createLocalJWKSet(keySet)));

			const [payment] = await shop.app.store.read((reader) => reader.list("payments"));
			const path = `/v1/payments/${payment?.id}`;
			const strangers = await shop.send(path);
			t.match(strangers.body.data, {
				state: "captured",
				transaction: settled?.hash,
				receipt_id: null,
			});
			const own = await shop.send(`${path}?request_hash=${request_hash}`);
			t.equal(own.body.data.receipt_id, receiptId);
		},
	);

	await t.test("a caller who guesses the order of a token learns no receipt of it", async (t) => {
		const order = { amount_usd: "1.00" };
		const payment = wallet.v2(wallet.sign({ value: 1_000_000n }));
		const bought = await shop.send("/v1/spt", {
			method: "POST",
			headers: { ...json, "PAYMENT-SIGNATURE": payment },
			body: JSON.stringify(order),
		});
		t.equal(bought.status, 201);
		const hash = fingerprintOf("spt.purchase", order);
		const rows = await shop.app.store.read((reader) => reader.list("payments"));
		const row = rows.find(({ fingerprint }) => fingerprint === hash);
		const receiptId = bought.body.data.receipt.receipt_id;
		t.equal(row?.receiptId, receiptId, "the buyer is told");
		const { receipt } = (await shop.send(`/v1/receipts/${receiptId}`)).body.data;
		t.match(receipt, { billing_type: "prepaid", amount_usd: "1.00" });
		const told = await shop.send(`/v1/payments/${row?.id}?request_hash=${hash}`);
		t.match(told.body.data, { state: "captured", receipt_id: null });
	});

	await t.test("a payment that brings its own identifier can be sent again", async (t) => {
		const identified = (id: unknown) => ({
			extensions: { "payment-identifier": { info: { required: false, id } } },
		});
		const authorization = wallet.sign({ value: 500_000n });
		const search = (id: unknown) =>
			shop.search({
				headers: { "PAYMENT-SIGNATURE": wallet.v2(authorization, identified(id)) },
			});
		for (const id of ["short", "x".repeat(129), "sixteen chars no", 7, null]) {
			t.equal((await search(id)).status, 400, String(id));
		}
		const first = await search("pay_0123456789abcdef");
		t.equal(first.status, 200);
		const again = await search("pay_0123456789abcdef");
		t.equal(again.status, 200);
		t.equal(again.headers.get("Idempotent-Replayed"), "true");
		t.equal(again.body.meta.cost.receipt_id, first.body.meta.cost.receipt_id);
		t.equal((await search("pay_fedcba9876543210")).status, 402, "with another one it is used");
	});
});
