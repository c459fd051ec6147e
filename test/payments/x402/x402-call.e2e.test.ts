import t from "tap";
import { systemClock } from "../../../src/kernel/clock.js";
import { createSimChain } from "../../support/sim-chain.js";
import { createSimFacilitator } from "../../support/sim-facilitator.js";
import { createSimWallet } from "../../support/sim-wallet.js";
import { startApp, sumOfAllEntries } from "../../support/start-app.js";
import { times } from "../../support/times.js";

const PRICE = 500_000n;
const decode = (header: string | null) =>
	JSON.parse(Buffer.from(header ?? "", "base64").toString("utf8"));

t.test("a wallet pays a search on a chain", async (t) => {
	const chain = createSimChain({ now: systemClock.now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const shop = await startApp(t, { onchain, settings: { model: "none" } });
	const wallet = createSimWallet(chain, {
		name: "agent",
		now: systemClock.now,
		balance: 50_000_000n,
	});
	const pay = (value = PRICE) => wallet.sign({ value });

	await t.test("one 402 asks clients of both versions", async (t) => {
		const { status, body, headers } = await shop.search();
		t.equal(status, 402);
		const required = decode(headers.get("PAYMENT-REQUIRED"));
		t.match(required, {
			x402Version: 2,
			resource: { url: `${shop.baseUrl}/v1/graphs/agent-payments/search` },
			accepts: [{ scheme: "exact", network: "eip155:84532", amount: "500000" }],
		});
		t.match(body, {
			x402Version: 1,
			accepts: [{ network: "base-sepolia", maxAmountRequired: "500000" }],
		});
		t.match(body.accepts[0].outputSchema, { input: { type: "http", method: "POST" } });
		t.ok(body.continuations.some(({ type }: { type: string }) => type === "x402"));
	});

	await t.test("version 2 pays in PAYMENT-SIGNATURE and reads its receipt", async (t) => {
		const before = await chain.balanceOf(chain.terms, chain.terms.payTo);
		const { status, body, headers } = await shop.search({
			headers: { "PAYMENT-SIGNATURE": wallet.v2(pay()) },
		});
		t.equal(status, 200);
		t.ok(body.rows.length > 0);
		t.match(body.meta.cost, { amount_usd: "0.50", rail: "x402", charged: true });
		const receipt = decode(headers.get("PAYMENT-RESPONSE"));
		t.match(receipt, { success: true, payer: wallet.address, network: "eip155:84532" });
		t.ok(chain.transactions.some(({ hash }) => hash === receipt.transaction));
		t.equal((await chain.balanceOf(chain.terms, chain.terms.payTo)) - before, PRICE);
		t.match(headers.get("Cache-Control"), /no-store/);
	});

	await t.test("version 1 pays the same route in X-PAYMENT", async (t) => {
		const { status, headers } = await shop.search({
			headers: { "X-PAYMENT": wallet.v1(pay()) },
		});
		t.equal(status, 200);
		t.match(decode(headers.get("X-PAYMENT-RESPONSE")), { success: true, network: "base-sepolia" });
	});

	await t.test("a token beside a payment is refused, and either still pays alone", async (t) => {
		const { token } = await shop.issueSpt("5.00");
		const payment = { "PAYMENT-SIGNATURE": wallet.v2(pay()) };
		const spt = { "X-Pay-SPT": token };
		const { status, body } = await shop.search({ headers: { ...payment, ...spt } });
		t.same([status, body.error.code], [400, "INVALID_ARGUMENT"]);
		t.match(body.error.message, /either would pay for it; send exactly one/);
		for (const headers of [payment, spt] as Record<string, string>[]) {
			const { status, body } = await shop.search({ headers });
			t.equal(status, 200);
			t.equal(body.meta.cost.charged, true);
		}
	});

	await t.test("one payload in 100 parallel requests is delivered once", async (t) => {
		const header = wallet.v2(pay());
		const sentBefore = facilitator.settled();
		const answers = await Promise.all(
			times(100, () => shop.search({ headers: { "PAYMENT-SIGNATURE": header } })),
		);
		t.equal(answers.filter(({ status }) => status === 200).length, 1);
		const codes = answers.flatMap(({ body }) => body.error?.code ?? []);
		t.equal(codes.length, 99);
		t.ok(codes.every((code) => /^(IDEMPOTENCY_IN_FLIGHT|PAYMENT_ALREADY_USED)$/.test(code)));
		t.equal(facilitator.settled() - sentBefore, 1);
	});

	await t.test("a payment for one route, graph or body never buys another", async (t) => {
		const headers = { "PAYMENT-SIGNATURE": wallet.v2(pay()) };
		t.equal((await shop.search({ headers })).status, 200);
		const others = [
			shop.search({ headers, body: { query: "Which HTTP status code asks for money?" } }),
			shop.search({ headers, graph: "ethereum-standards" }),
			shop.send("/v1/search/domain", {
				method: "POST",
				headers: { ...headers, "Content-Type": "application/json" },
				body: JSON.stringify({ query: "Which HTTP status code asks for payment?", limit: 3 }),
			}),
		];
		for (const { status, body, headers } of await Promise.all(others)) {
			t.same([status, body.error.code], [402, "PAYMENT_ALREADY_USED"]);
			t.match(decode(headers.get("PAYMENT-RESPONSE")), { success: false });
		}
	});

	await t.test(
		"a payment that names another resource is refused before anybody is asked",
		async (t) => {
			const verified = facilitator.verified();
			const header = wallet.v2(pay(), {
				resource: { url: "https://elsewhere.example/v1/search/domain" },
			});
			const { status, body } = await shop.search({ headers: { "PAYMENT-SIGNATURE": header } });
			t.same([status, body.error.code, body.reason], [402, "PAYMENT_REJECTED", "invalid_payload"]);
			t.equal(facilitator.verified(), verified);
		},
	);

	await t.test("a refusal says why, in the protocol's words, and how to pay", async (t) => {
		const poor = createSimWallet(chain, { name: "poor", now: systemClock.now });
		const refusals = [
			["invalid_amount", wallet.v2(pay(1n))],
			["invalid_amount", wallet.v1(pay(1n))],
			["expired", wallet.v1(wallet.sign({ value: PRICE, validForS: -10 }))],
			["invalid_payload", wallet.v1(wallet.sign({ value: PRICE, validForS: 3_600 }))],
			["wrong_recipient", wallet.v1(wallet.sign({ value: PRICE, to: wallet.address }))],
			["network_mismatch", wallet.v1(pay(), { network: "base" })],
			["invalid_signature", wallet.v1({ ...pay(), signature: `0x${"11".repeat(65)}` })],
			["insufficient_funds", poor.v1(poor.sign({ value: PRICE }))],
		] as const;
		for (const [reason, header] of refusals) {
			const name =
				reason === "invalid_amount" && header === refusals[0][1]
					? "PAYMENT-SIGNATURE"
					: "X-PAYMENT";
			const { status, body, headers } = await shop.search({ headers: { [name]: header } });
			t.same([status, body.error.code, body.reason], [402, "PAYMENT_REJECTED", reason]);
			t.ok(headers.get("PAYMENT-REQUIRED"), "the challenge comes again");
			t.match(
				decode(headers.get(name === "X-PAYMENT" ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE")),
				{
					success: false,
					errorReason: String,
				},
			);
		}
	});

	await t.test("what cannot be read is refused, and nothing is kept of it", async (t) => {
		const rows = async () =>
			(await shop.app.store.read((reader) => reader.list("payments"))).length;
		const before = await rows();
		const odd = [{}, { x402Version: 2 }, { x402Version: 1, scheme: "exact", network: 7 }];
		for (const payload of odd) {
			const header = Buffer.from(JSON.stringify(payload)).toString("base64");
			const { status, body } = await shop.search({ headers: { "PAYMENT-SIGNATURE": header } });
			t.same([status, body.error.code], [402, "PAYMENT_REJECTED"]);
			t.ok(body.continuations.length > 0);
		}
		t.equal((await shop.search({ headers: { "X-PAYMENT": "%%%" } })).status, 400);
		t.equal(await rows(), before);
	});

	await t.test("no answer, no charge: nothing is sent to the chain", async (t) => {
		const sent = facilitator.settled();
		const { status, body, headers } = await shop.search({
			headers: { "PAYMENT-SIGNATURE": wallet.v2(pay()) },
			body: { query: "zorblax quuxification of the frobnicator" },
		});
		t.equal(status, 200);
		t.match(body.meta.cost, { charged: false, receipt_id: null });
		t.equal(headers.get("PAYMENT-RESPONSE"), null);
		t.equal(facilitator.settled(), sent);
	});

	await t.test("the ledger is sound, and shows what the chain shows", async (t) => {
		t.equal(await sumOfAllEntries(shop.app), 0n);
		t.match(await shop.app.operator.verifyLedger(), { status: "ok", failures: [] });
		const cash = await shop.app.store.read((reader) => reader.balance("cash:x402:eip155:84532"));
		t.equal(-cash, await chain.balanceOf(chain.terms, chain.terms.payTo));
		const { body } = await shop.send("/v1/health");
		t.match(body.data, {
			rails: ["x402", "mpp", "spt", "plan"],
			payments: { unknown: 0, undelivered: 0 },
		});
	});
});

t.test("from two dollars on the money comes first, and comes back as a token", async (t) => {
	const chain = createSimChain({ now: systemClock.now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const price = { amountMicros: 2_000_000n, billingType: "per_call" } as const;
	const shop = await startApp(t, {
		onchain,
		settings: { model: "none", prices: { "graphs.search": price } },
	});
	const wallet = createSimWallet(chain, { name: "b", now: systemClock.now, balance: 9_000_000n });
	const { status, body, headers } = await shop.search({
		headers: { "PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value: 2_000_000n })) },
		body: { query: "zorblax quuxification of the frobnicator" },
	});
	t.equal(status, 200);
	t.match(body.meta.cost, { charged: false, credit: { balance_usd: "2.00", token: /^spt_test_/ } });
	t.match(decode(headers.get("PAYMENT-RESPONSE")), { success: true });
	const spent = await shop.search({ token: body.meta.cost.credit.token });
	t.equal(spent.status, 200);
	t.match(spent.body.meta.cost, { rail: "spt", balance_after_usd: "0.00" });
	t.match(await shop.app.operator.verifyLedger(), { status: "ok", failures: [] });
});
