import t, { type Test } from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import { systemClock } from "../../src/kernel/clock.js";
import { openAccount } from "../auth/open-account.js";
import { manualClock } from "../support/manual-clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { KNOWN_QUERY, startApp, type TestApp } from "../support/start-app.js";

const SETTINGS = { model: "none" } as const;
const SEARCH = { graph_id: "agent-payments", query: KNOWN_QUERY, limit: 1 };

async function openShop(t: Test) {
	const clock = manualClock("2026-03-10T12:00:00Z");
	const shop = await startApp(t, { settings: SETTINGS, clock });
	const { token, id } = await shop.issueSpt("5");
	const send = (method: string, path: string, body?: object, by = token) =>
		shop.send(path, {
			method,
			headers: { "X-Pay-SPT": by, "Content-Type": "application/json" },
			...(body && { body: JSON.stringify(body) }),
		});
	const ask = (receipt_id: string, by = token) => send("POST", "/v1/refunds", { receipt_id }, by);
	const balance = async () => (await send("GET", "/v1/spt/balance")).body.data.balance_usd;
	return { ...shop, clock, token, id, send, ask, balance };
}

/** A call that is paid for, as a transport makes it. */
function buy({ app }: Pick<TestApp, "app">, token: string, idempotencyKey?: string) {
	return app.service.invoke({
		operationId: "graphs.search",
		rawInput: SEARCH,
		credential: { scheme: "spt", token },
		idempotencyKey,
		requestId: "req_1",
		transport: "rest",
		resourceUrl: "http://localhost/",
		signal: new AbortController().signal,
	});
}

const soundness = async ({ app: { store } }: Pick<TestApp, "app">) =>
	(await createInvariantGuard({ store, clock: systemClock }).check({ full: true })).failures;

t.test(
	"an answer that was not handed over is refunded at once, and can not be had any more",
	async (t) => {
		const shop = await openShop(t);
		const lost = await buy(shop, shop.token, "key-1");
		t.equal(await shop.balance(), "4.50");
		lost.onAbandoned?.();
		const { status, body } = await shop.ask(lost.cost.receipt_id ?? "");
		t.equal(status, 202);
		t.match(body.data, {
			refund_id: /^rfd_/,
			receipt_id: lost.cost.receipt_id,
			state: "paid",
			amount_usd: "0.50",
			decided_at: "2026-03-10T12:00:00.000Z",
		});
		t.equal(await shop.balance(), "5.00");
		t.same((await shop.ask(lost.cost.receipt_id ?? "")).body.data, body.data, "asked again");
		t.same((await shop.send("GET", `/v1/refunds/${body.data.refund_id}`)).body.data, body.data);
		const again = await buy(shop, shop.token, "key-1");
		t.equal(again.cost.charged, true);
		t.notOk(again.cost.replayed, "the key of a refunded call buys a new one");
		t.equal(await shop.balance(), "4.50");
		t.same(await soundness(shop), []);
	},
);

t.test("what arrived in the end waits for the operator, who grants or declines it", async (t) => {
	const shop = await openShop(t);
	const receipts: string[] = [];
	for (const key of ["key-1", "key-2"]) {
		const bought = await buy(shop, shop.token, key);
		receipts.push(bought.cost.receipt_id ?? "");
		if (key === "key-1") {
			bought.onAbandoned?.();
			const replayed = await buy(shop, shop.token, key);
			t.equal(replayed.cost.replayed, true);
			replayed.onDelivered?.();
			await shop.app.store.transaction(async () => undefined);
			await new Promise(setImmediate);
		}
	}
	const asked = [];
	for (const id of receipts) {
		asked.push((await shop.ask(id)).body.data);
		shop.clock.advance(1_000);
	}
	for (const request of asked)
		t.match(request, { state: "requested", amount_usd: null, decided_at: null });
	t.equal(await shop.balance(), "4.00");

	const { operator } = shop.app;
	const [one, other] = (await operator.listRefundRequests()).items;
	t.match([one?.receipt_id, other?.receipt_id], receipts);
	t.match(await operator.decideRefund({ id: one?.id ?? "", grant: true }), {
		state: "granted",
		refund: { id: one?.id, amount_usd: "0.50", state: "paid" },
	});
	t.match(await operator.decideRefund({ id: other?.id ?? "", grant: false }), {
		state: "declined",
	});
	await t.rejects(operator.decideRefund({ id: other?.id ?? "", grant: true }), {
		message: /is declined; only open requests/,
	});
	const state = async (id = "") => (await shop.send("GET", `/v1/refunds/${id}`)).body.data.state;
	t.same([await state(one?.id), await state(other?.id)], ["paid", "declined"]);
	t.equal((await shop.ask(receipts[1] ?? "")).body.data.state, "declined", "asked once more");
	t.equal(await shop.balance(), "4.50");
	t.same(await soundness(shop), []);
});

t.test("no one asks for another's money, for none, or too late", async (t) => {
	const shop = await openShop(t);
	const other = await shop.issueSpt("5");
	const { cost } = await buy(shop, shop.token);
	const id = cost.receipt_id ?? "";
	t.equal((await shop.ask(id, other.token)).status, 404);
	t.equal((await shop.ask("rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c")).status, 404);
	const { refund_id } = (await shop.ask(id)).body.data;
	t.equal((await shop.send("GET", `/v1/refunds/${refund_id}`, undefined, other.token)).status, 404);
	t.equal((await shop.send("GET", `/v1/refunds/${refund_id}`)).status, 200);
	await shop.app.operator.refundReceipt({ receipt_id: id, reason: "before it was decided" });
	await t.rejects(shop.app.operator.decideRefund({ id: refund_id, grant: true }), {
		message: /refunded in full/,
	});
	const late = (await buy(shop, shop.token)).cost.receipt_id ?? "";
	shop.clock.advance(31 * 86_400_000);
	t.match((await shop.ask(late)).body.error, { message: /older than 30 days/ });
});

t.test(
	"so many requests wait at a time, and a reason is kept for those who keep text",
	async (t) => {
		const shop = await openAccount(t, { usd: "50.00" });
		await shop.app.operator.setAccount({ account_id: shop.accountId, zero_retention: true });
		await shop.ask("PATCH", "/v1/account", { retention: "zero" });
		await shop.app.store.transaction((tx) =>
			tx.put("quotas", { id: `${shop.accountId}|2026-03`, used: 100, expiresAt: 4e12 }),
		);
		for (let index = 0; index < 21; index += 1) await shop.buy(shop.key);
		const { items } = (await shop.ask("GET", "/v1/receipts?limit=50")).body.data;
		const statuses: number[] = [];
		for (const { receipt_id } of items) {
			const order = { receipt_id, reason: "canary" };
			statuses.push((await shop.ask("POST", "/v1/refunds", order)).status);
			shop.clock.advance(60_000);
		}
		t.same(new Set(statuses.slice(0, 20)), new Set([202]));
		t.equal(statuses[20], 429);
		const waiting = (await shop.app.operator.listRefundRequests()).items;
		t.same(new Set(waiting.map(({ reason }) => reason)), new Set([""]));
	},
);

t.test("a payer lists its receipts, page by page, with what went back", async (t) => {
	const shop = await openShop(t);
	for (let index = 0; index < 3; index += 1) {
		await buy(shop, shop.token);
		shop.clock.advance(1_000);
	}
	const first = (await shop.send("GET", "/v1/receipts?limit=2")).body;
	t.match(first.data.items, [
		{ operation: "graphs.search", amount_usd: "0.50", refunded_usd: "0.00", rail: "spt" },
		{ balance_after_usd: "4.00" },
	]);
	const last = await shop.send("GET", `/v1/receipts?limit=2&cursor=${first.meta.next_cursor}`);
	t.equal(last.body.data.items.length, 1);
	const [{ receipt_id }] = last.body.data.items;
	await shop.app.operator.refundReceipt({ receipt_id, reason: "r", usd: "0.20" });
	const all = (await shop.send("GET", "/v1/receipts")).body.data.items;
	t.match(all[2], { receipt_id, refunded_usd: "0.20" });
	const other = await shop.issueSpt("5");
	t.same((await shop.send("GET", "/v1/receipts", undefined, other.token)).body.data.items, []);
	t.equal((await shop.send("GET", "/v1/receipts?limit=0")).status, 400);
});

t.test("a wallet asks by the receipt's id, and its money waits to be paid to it", async (t) => {
	const clock = manualClock(new Date().toISOString());
	const chain = createSimChain({ now: clock.now });
	const facilitator = createSimFacilitator({ chain, clock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const shop = await startApp(t, { onchain, settings: SETTINGS, clock });
	const wallet = createSimWallet(chain, { name: "agent", now: clock.now, balance: 50_000_000n });
	const payment = wallet.v2(wallet.sign({ value: 500_000n }));
	const pay = () => shop.search({ headers: { "PAYMENT-SIGNATURE": payment } });
	const { body } = await pay();
	const receiptId: string = body.meta.cost.receipt_id;
	const ask = (receipt_id: string) =>
		shop.send("/v1/refunds", {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ receipt_id }),
		});
	clock.advance(200_000);
	const delivered = (await ask(receiptId)).body.data;
	t.match(delivered, { state: "requested" }, "its answer was handed over");

	const second = wallet.v2(wallet.sign({ value: 500_000n }));
	const bought = await shop.search({ headers: { "PAYMENT-SIGNATURE": second } });
	const { receipt_id } = bought.body.meta.cost;
	const receipt = await shop.app.store.read((reader) => reader.get("receipts", receipt_id));
	await shop.app.store.transaction(async (tx) => {
		const row = await tx.get("payments", receipt?.settlement?.paymentId ?? "");
		// As a crash between the capture and the answer leaves it.
		if (row) await tx.put("payments", { ...row, isDelivered: undefined });
	});
	clock.advance(200_000);
	const refunded = (await ask(receipt_id)).body.data;
	t.match(refunded, { state: "pending", amount_usd: "0.50", destination: /^eip155:84532:0x/ });
	t.match((await shop.send(`/v1/refunds/${refunded.refund_id}`)).body.data, refunded);
	const again = await shop.search({ headers: { "PAYMENT-SIGNATURE": second } });
	t.equal(again.status, 402, "the payment buys nothing any more");
	t.same(await soundness(shop), []);
});
