import { inspect } from "node:util";
import t, { type Test } from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import type { Call } from "../../src/contract/call.js";
import { parsePayment } from "../../src/contract/credential.js";
import { systemClock } from "../../src/kernel/clock.js";
import { OPERATIONS } from "../../src/service/service.js";
import { openAccount, useFreeCalls } from "../auth/open-account.js";
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
	const ask = (receipt_id: string | null, by = token, reason?: string) =>
		send("POST", "/v1/refunds", { receipt_id, reason }, by);
	const balance = async () => (await send("GET", "/v1/spt/balance")).body.data.balance_usd;
	return { ...shop, clock, token, id, send, ask, balance };
}

/** A call that is paid for, as a transport makes it. */
function buy(
	{ app }: Pick<TestApp, "app">,
	token: string | undefined,
	idempotencyKey?: string,
	changes: Partial<Call> = {},
) {
	return app.service.invoke({
		operationId: "graphs.search",
		rawInput: SEARCH,
		credential: token === undefined ? undefined : { scheme: "spt", token },
		idempotencyKey,
		requestId: "req_1",
		transport: "rest",
		resourceUrl: "http://localhost/",
		signal: new AbortController().signal,
		...changes,
	});
}

/** What the calls before left to be written is in the store. */
async function settled({ app }: Pick<TestApp, "app">): Promise<void> {
	await app.store.transaction(async () => undefined);
}

const soundness = async ({ app: { store } }: Pick<TestApp, "app">) =>
	(await createInvariantGuard({ store, clock: systemClock }).check({ full: true })).failures;

t.test(
	"an answer that was not handed over is refunded at once, and can not be had any more",
	async (t) => {
		const shop = await openShop(t);
		const lost = await buy(shop, shop.token, "key-1");
		t.equal(await shop.balance(), "4.50");
		lost.onAbandoned?.({ isLost: true });
		await settled(shop);
		t.equal(await shop.balance(), "5.00", "no one has to ask");
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
			const replayed = await buy(shop, shop.token, key);
			t.equal(replayed.cost.replayed, true);
			replayed.onDelivered?.();
			bought.onAbandoned?.({ isLost: true });
			await settled(shop);
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

t.test("what may still be had, or has had its effect, is not refunded at once", async (t) => {
	const shop = await openShop(t);
	const dossier = shop.app.service.skills["intelligence.dossier"].exampleInput;
	const cases: Readonly<Record<string, Partial<Call>>> = {
		"a task keeps it": { transport: "a2a" },
		"it is kept": { operationId: "intelligence.dossier", rawInput: dossier },
		"a schedule runs": {
			operationId: "research.schedules.create",
			rawInput: { topic: "Payments by agents over HTTP", frequency: "weekly" },
		},
	};
	for (const [why, changes] of Object.entries(cases)) {
		const { token } = await shop.issueSpt("20");
		const bought = await buy(shop, token, undefined, changes);
		t.equal(bought.cost.charged, true, why);
		bought.onAbandoned?.({ isLost: true });
		t.match((await shop.ask(bought.cost.receipt_id, token)).body.data, { state: "requested" }, why);
	}
	const begun = await buy(shop, shop.token);
	begun.onAbandoned?.({ isLost: false });
	const { data } = (await shop.ask(begun.cost.receipt_id)).body;
	t.match(data, { state: "requested" }, "part of it was written");
	t.same(await soundness(shop), []);
});

t.test("every operation whose effects stay says so", async (t) => {
	const begins = OPERATIONS.filter(
		(operation) => operation.kind === "paid" && operation.agent?.tool?.begins,
	);
	for (const operation of begins) {
		if (operation.kind !== "paid" || operation.capture !== "onResult") continue;
		t.equal(operation.hasEffects, true, operation.id);
	}
	const run = OPERATIONS.find(({ id }) => id === "research.schedules.run");
	t.match(run, { hasEffects: true }, "it delivers a briefing");
});

t.test(
	"a repeat that is under way, or was over first, leaves the price to the operator",
	async (t) => {
		const shop = await openShop(t);
		const lost = await buy(shop, shop.token, "key-1");
		const repeated = await buy(shop, shop.token, "key-1");
		t.equal(repeated.cost.replayed, true);
		lost.onAbandoned?.({ isLost: true });
		await settled(shop);
		t.match((await shop.ask(lost.cost.receipt_id)).body.data, { state: "requested" }, "under way");

		const slow = await buy(shop, shop.token, "key-2");
		const quick = await buy(shop, shop.token, "key-2");
		quick.onDelivered?.();
		slow.onAbandoned?.({ isLost: true });
		await settled(shop);
		t.match((await shop.ask(slow.cost.receipt_id)).body.data, { state: "requested" }, "it arrived");
		t.equal(await shop.balance(), "4.00");
	},
);

t.test("what the operator refunds whole is not had again under its retry key", async (t) => {
	const shop = await openShop(t);
	const { operator } = shop.app;
	const bought = await buy(shop, shop.token, "key-1");
	const { refund_id } = (await shop.ask(bought.cost.receipt_id)).body.data;
	t.equal((await buy(shop, shop.token, "key-1")).cost.replayed, true, "until it is granted");
	await operator.decideRefund({ id: refund_id, grant: true });
	const anew = await buy(shop, shop.token, "key-1");
	t.notOk(anew.cost.replayed);
	t.equal(await shop.balance(), "4.50");
	const receipt_id = anew.cost.receipt_id ?? "";
	await operator.refundReceipt({ receipt_id, reason: "half", usd: "0.20" });
	t.equal((await buy(shop, shop.token, "key-1")).cost.replayed, true, "a part of it was kept");
	await operator.refundReceipt({ receipt_id, reason: "the rest" });
	t.notOk((await buy(shop, shop.token, "key-1")).cost.replayed);
	t.same(await soundness(shop), []);
});

t.test("a reason says something, is no part of the books, and goes with its account", async (t) => {
	const shop = await openAccount(t, { usd: "50.00" });
	await useFreeCalls(shop);
	await shop.buy(shop.key);
	const [{ receipt_id }] = (await shop.ask("GET", "/v1/receipts")).body.data.items;
	for (const reason of ["", " ", "\n\t"]) {
		const refused = await shop.ask("POST", "/v1/refunds", { receipt_id, reason });
		t.equal(refused.status, 400, JSON.stringify(reason));
		t.match(refused.body.error.message, /must say something/);
	}
	const { refund_id } = (await shop.ask("POST", "/v1/refunds", { receipt_id, reason: " canary " }))
		.body.data;
	const { store, operator } = shop.app;
	t.match((await operator.listRefundRequests()).items, [{ id: refund_id, reason: "canary" }]);
	const exported = await shop.ask("GET", "/v1/account/export");
	t.match(JSON.stringify(exported.body), /"reason":"canary"/);
	await operator.decideRefund({ id: refund_id, grant: true });
	const rows = await store.read(async (reader) => [
		...(await reader.list("refund_requests")),
		...(await reader.list("refunds")),
	]);
	t.equal(rows.length, 2);
	t.notMatch(inspect(rows, { depth: null }), /canary/);
	t.equal(await store.documents.get(refund_id), "canary");
	await shop.ask("DELETE", "/v1/account?confirm=50.00");
	t.equal(await store.documents.get(refund_id), undefined);
});

t.test(
	"a key asks for what it paid itself, and one that manages the account for all",
	async (t) => {
		const shop = await openAccount(t, { usd: "50.00" });
		await useFreeCalls(shop);
		const one = (await shop.ask("POST", "/v1/account/keys", {})).body.data.key;
		const other = (await shop.ask("POST", "/v1/account/keys", {})).body.data.key;
		await shop.buy(one);
		const [{ receipt_id }] = (await shop.ask("GET", "/v1/receipts")).body.data.items;
		const ask = (key: string) => shop.ask("POST", "/v1/refunds", { receipt_id }, key);
		t.equal((await ask(other)).status, 404);
		const { status, body } = await ask(one);
		t.equal(status, 202);
		const read = async (key: string) =>
			(await shop.ask("GET", `/v1/refunds/${body.data.refund_id}`, undefined, key)).status;
		t.same([await read(one), await read(other), await read(shop.key)], [200, 404, 200]);
		t.same((await ask(shop.key)).body.data, body.data);
	},
);

t.test("a wallet asks by its retry key, and its money waits to be paid to it", async (t) => {
	const clock = manualClock(new Date().toISOString());
	const chain = createSimChain({ now: clock.now });
	const facilitator = createSimFacilitator({ chain, clock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const shop = await startApp(t, { onchain, settings: SETTINGS, clock });
	const wallet = createSimWallet(chain, { name: "agent", now: clock.now, balance: 50_000_000n });
	const sign = () => wallet.v2(wallet.sign({ value: 500_000n }));
	const pay = (signed: string, key?: string) => {
		const payment = parsePayment(new Map([["payment-signature", [signed]]]));
		return buy(shop, undefined, key, { payment });
	};
	const ask = (receipt_id: string | null, idempotency_key?: string) =>
		shop.send("/v1/refunds", {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ receipt_id, idempotency_key }),
		});
	const bare = await pay(sign());
	bare.onAbandoned?.({ isLost: true });
	t.equal((await ask(bare.cost.receipt_id)).status, 404, "anyone may have read its id");
	t.match((await ask(bare.cost.receipt_id, "key-0")).body.error.message, /writes to the operator/);

	const had = await pay(sign(), "key-1");
	had.onDelivered?.();
	await settled(shop);
	t.equal((await ask(had.cost.receipt_id, "key-2")).status, 404);
	t.match((await ask(had.cost.receipt_id, "key-1")).body.data, { state: "requested" });

	const crashed = await pay(sign(), "key-2");
	clock.advance(200_000);
	const unsure = (await ask(crashed.cost.receipt_id, "key-2")).body.data;
	t.match(unsure, { state: "requested" }, "how it ended is not known");

	const payment = sign();
	const lost = await pay(payment, "key-3");
	lost.onAbandoned?.({ isLost: true });
	const repeated = await pay(payment, "key-3");
	repeated.onAbandoned?.({ isLost: true });
	t.match((await ask(lost.cost.receipt_id, "key-3")).body.data, { state: "requested" }, "repeated");

	const spent = sign();
	const gone = await pay(spent, "key-4");
	gone.onAbandoned?.({ isLost: true });
	await settled(shop);
	const refunded = (await ask(gone.cost.receipt_id, "key-4")).body.data;
	t.match(refunded, { state: "pending", amount_usd: "0.50", destination: /^eip155:84532:0x/ });
	t.match((await shop.send(`/v1/refunds/${refunded.refund_id}`)).body.data, refunded);
	for (const key of ["key-4", undefined]) {
		await t.rejects(pay(spent, key), { code: "PAYMENT_ALREADY_USED" }, "it buys nothing any more");
	}
	t.same(await soundness(shop), []);
});
