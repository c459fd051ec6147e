import t from "tap";
import { KNOWN_QUERY, sumOfAllEntries } from "../support/start-app.js";
import { times } from "../support/times.js";
import { SEARCH, startPaidMcp } from "./start-paid-mcp.js";

const shop = await startPaidMcp(t);
const { call, pay, funds, facilitator } = shop;
const paying = (payload: unknown) => ({ meta: { "x402/payment": payload } });
/** A demand for one search of a graph. */
const demand = async () => (await call({})).required;

t.test(
	"an agent without an account is given the price in the terms of both protocols",
	async (t) => {
		const { status, result, refusal, required } = await call({});
		t.equal(status, 200);
		t.equal(result.isError, true);
		t.same(result.structuredContent, required, "as the MCP transport of x402 says");
		t.match(required, {
			x402Version: 2,
			resource: { url: "mcp://tool/search_graph" },
			accepts: [{ scheme: "exact", network: "eip155:84532", amount: "500000" }],
		});
		t.same(JSON.parse(result.content[0].text), required, "clients of x402 read the first text");
		const { httpStatus, challenges } = result._meta["org.paymentauth/payment-required"];
		t.equal(httpStatus, 402);
		t.same(
			challenges.map(({ method, intent }: Record<string, string>) => `${method}/${intent}`),
			["evm/charge", "tollgraph/charge"],
		);
		t.match(challenges[0].request, { amount: "500000" });
		t.equal(refusal.error.code, "PAYMENT_REQUIRED");
		t.same(refusal.price, { amount_usd: "0.50", billing_type: refusal.price.billing_type });
		const ways: { type: string; header?: string; meta?: string }[] = refusal.continuations;
		t.same(
			ways.map(({ type, meta, header }) => [type, meta ?? header]),
			[
				["x402", "x402/payment"],
				["mpp", "org.paymentauth/credential"],
				["spt", "X-Pay-SPT"],
				["api_key", "X-API-Key"],
				["spt_purchase", undefined],
			],
		);
		t.notMatch(JSON.stringify(ways), /PAYMENT-SIGNATURE|X-PAYMENT/, "no header that is not read");
	},
);

for (const version of [2, 1] as const) {
	t.test(
		`a payment of version ${version} buys one answer, with the receipt beside it`,
		async (t) => {
			const before = await funds();
			const { result } = await call(paying(pay(await demand(), version)));
			t.notOk(result.isError);
			t.ok(result.structuredContent.rows.length > 0);
			t.match(result.structuredContent.meta.cost, {
				amount_usd: "0.50",
				rail: "x402",
				charged: true,
			});
			t.match(result._meta["x402/payment-response"], {
				success: true,
				transaction: shop.chain.transactions.at(-1)?.hash,
				payer: shop.wallet.address,
			});
			t.equal(await funds(), before - 500_000n);
		},
	);
}

t.test("one payload in 20 calls at once is delivered once", async (t) => {
	const [before, sent] = [await funds(), facilitator.settled()];
	const payload = pay(await demand());
	const answers = await Promise.all(times(20, () => call(paying(payload))));
	t.equal(answers.filter(({ result }) => !result.isError).length, 1);
	const codes = answers.flatMap(({ refusal }) => refusal?.error.code ?? []);
	t.equal(codes.length, 19);
	t.ok(codes.every((code) => /^(IDEMPOTENCY_IN_FLIGHT|PAYMENT_ALREADY_USED)$/.test(code)));
	t.equal(facilitator.settled() - sent, 1);
	t.equal(await funds(), before - 500_000n);
});

t.test("a payment for one tool or question never buys another", async (t) => {
	const payload = pay(await demand());
	const elsewhere = await call({
		...paying(payload),
		name: "search",
		args: { query: KNOWN_QUERY },
	});
	t.match(elsewhere.refusal, { error: { code: "PAYMENT_REJECTED", message: /another resource/ } });
	t.notOk((await call(paying(payload))).result.isError, "and is good where it was made for");
	const others = [
		call({
			...paying(payload),
			args: { ...SEARCH, query: "Which HTTP status code asks for money?" },
		}),
		call({ ...paying(payload), args: { ...SEARCH, graph_id: "ethereum-standards" } }),
		call({ ...paying(payload), args: { ...SEARCH, limit: 2 } }),
		shop.search({
			headers: {
				"PAYMENT-SIGNATURE": Buffer.from(
					JSON.stringify({ ...payload, resource: undefined }),
				).toString("base64"),
			},
			body: { query: "something else" },
		}),
	];
	for (const other of await Promise.all(others)) {
		const told = "refusal" in other ? other.refusal : other.body;
		t.equal(told.error.code, "PAYMENT_ALREADY_USED");
	}
	t.equal(await sumOfAllEntries(shop.app), 0n);
});

t.test("a payment that is refused is answered with the reason and the demand again", async (t) => {
	const required = await demand();
	const before = await funds();
	const poor = { ...required, accepts: [{ ...required.accepts[0], amount: "1" }] };
	const { result, refusal, required: again } = await call(paying(pay(poor)));
	t.match(refusal, { error: { code: "PAYMENT_REJECTED" }, reason: "invalid_amount" });
	t.match(again, { x402Version: 2, accepts: required.accepts, error: refusal.error.message });
	const failed = result._meta["x402/payment-response"];
	t.match(failed, { success: false, errorReason: String });
	t.same(JSON.parse(result.content[0].text)["x402/payment-response"], failed);
	t.equal(await funds(), before);
});

t.test("a settlement that fails delivers nothing", async (t) => {
	const { settle } = facilitator;
	facilitator.settle = async () => ({
		kind: "refused",
		reason: "settlement_failed",
		message: "The transaction was reverted.",
	});
	t.teardown(() => {
		facilitator.settle = settle;
	});
	const [required, before] = [await demand(), await funds()];
	const { result, refusal } = await call(paying(pay(required)));
	t.equal(result.isError, true);
	t.notMatch(JSON.stringify(result), /trend_id/);
	t.equal(refusal.error.code, "PAYMENT_REJECTED");
	t.match(result._meta["x402/payment-response"], { success: false });
	t.equal(await funds(), before);
});

t.test("a search without an answer settles nothing", async (t) => {
	const before = await funds();
	const args = { ...SEARCH, query: "zzqx qqwv wvzz" };
	const { required } = await call({ args });
	const { result } = await call({ args, ...paying(pay(required)) });
	t.notOk(result.isError);
	t.same(result.structuredContent.rows, []);
	t.match(result.structuredContent.meta.cost, { charged: false });
	t.equal(await funds(), before);
});

t.test(
	"two payments at once, and what is no payment, are refused before anything runs",
	async (t) => {
		const before = await funds();
		const payload = pay(await demand());
		const credential = { challenge: { method: "evm" }, payload: {} };
		const wrong = [
			[{ "x402/payment": payload, "org.paymentauth/credential": credential }, /exactly one/],
			[{ "x402/payment": "e30=" }, /x402Version is 1 or 2/],
			[{ "x402/payment": null }, /x402Version is 1 or 2/],
			[{ "x402/payment": { ...payload, x402Version: 3 } }, /x402Version is 1 or 2/],
			[{ "org.paymentauth/credential": { challenge: {} } }, /"challenge" and "payload"/],
			[{ "org.paymentauth/credential": "Payment e30" }, /"challenge" and "payload"/],
		] as const;
		for (const [meta, message] of wrong) {
			const { refusal } = await call({ meta });
			t.match(refusal.error, { code: "INVALID_ARGUMENT", message });
		}
		t.equal(await funds(), before);
	},
);

t.test("what is free is answered without a payment, and takes none", async (t) => {
	const free = { name: "route_query", args: { query: KNOWN_QUERY } };
	const routed = await call(free);
	t.ok(routed.result.structuredContent.graphs.length > 0);
	const { refusal } = await call({ ...free, ...paying(pay(await demand())) });
	t.match(refusal.error, { code: "INVALID_ARGUMENT", message: /is free/ });
	const unknown = await call({ name: "get_deep_dive", args: { job_id: `job_${"a".repeat(26)}` } });
	t.equal(unknown.refusal.error.code, "NOT_FOUND");
});

t.test("arguments are judged before a payment is", async (t) => {
	const before = await funds();
	const meta = { "x402/payment": pay(await demand()) };
	const unknown = await call({ meta, args: { ...SEARCH, "x402/payment": {} } });
	t.equal(unknown.refusal.error.code, "INVALID_ARGUMENT");
	const nowhere = await call({ meta, args: { ...SEARCH, graph_id: "no-such-graph" } });
	t.equal(nowhere.refusal.error.code, "NOT_FOUND");
	t.equal(await funds(), before);
});
