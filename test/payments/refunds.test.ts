import t from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import { createRefundPayouts } from "../../payments/refunds/refund-payouts.js";
import { createSimChain, createSimTreasury, SIM_TERMS } from "../support/sim-chain.js";
import { times } from "../support/times.js";
import { openBooks, WALLET } from "./open-books.js";

t.test("a token gets its refund back as balance, at once and with the reason", async (t) => {
	const { issue, sell, refunds, balance } = await openBooks();
	await issue("tok_a", 1_000_000n);
	const receipt = await sell({ owner: "tok_a", amountMicros: 500_000n });
	const row = await refunds.refundReceipt({ receiptId: receipt.id, reason: "wrong graph" });
	t.match(row, { state: "paid", amountMicros: 500_000n, reason: "wrong graph", ref: receipt.id });
	t.equal(await balance("cust:tok_a"), 1_000_000n);
	t.equal(await balance("rev:per_call"), 0n);
	t.same(await refunds.list(), [row]);
	await t.rejects(refunds.refundReceipt({ receiptId: receipt.id, reason: "again" }), {
		code: "INVALID_ARGUMENT",
		message: /refunded in full/,
	});
});

t.test("fifty refunds at once give back what was charged and not more", async (t) => {
	const { store, clock, issue, sell, refunds, balance } = await openBooks();
	await issue("tok_a", 500_000n);
	const { id: receiptId } = await sell({ owner: "tok_a", amountMicros: 500_000n });
	const outcomes = await Promise.allSettled(
		times(50, () => refunds.refundReceipt({ receiptId, reason: "r", amountMicros: 40_000n })),
	);
	t.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 12);
	t.equal(await balance("cust:tok_a"), 480_000n);
	await refunds.refundReceipt({ receiptId, reason: "the rest" });
	t.equal(await balance("cust:tok_a"), 500_000n);
	t.same((await createInvariantGuard({ store, clock }).check({ full: true })).failures, []);
});

t.test("a wallet's refund waits in refunds until it is paid", async (t) => {
	const { settle, sell, refunds, balance } = await openBooks();
	await settle("pay_1", 500_000n, `0x${"1".repeat(64)}`);
	const receipt = await sell({ owner: WALLET, amountMicros: 500_000n, rail: "x402" });
	const row = await refunds.refundReceipt({ receiptId: receipt.id, reason: "r" });
	t.match(row, { state: "pending", destination: WALLET });
	t.equal(await balance("refunds"), 500_000n);
});

t.test("a token that may not spend any more passes its refund on", async (t) => {
	const { store, issue, sell, refunds, balance } = await openBooks();
	await issue("tok_parent", 1_000_000n, { owner: WALLET });
	await issue("tok_child", 1_000_000n, { parentId: "tok_parent" });
	const stop = (id: string) =>
		store.transaction(async (tx) => {
			const row = await tx.get("tokens", id);
			if (row) await tx.put("tokens", { ...row, status: "revoked" });
		});
	const { id: receiptId } = await sell({ owner: "tok_child", amountMicros: 500_000n });
	const refund = () => refunds.refundReceipt({ receiptId, reason: "r", amountMicros: 100_000n });
	await stop("tok_child");
	t.match(await refund(), { state: "paid", owner: "tok_child" });
	t.equal(await balance("cust:tok_parent"), 1_100_000n);
	await stop("tok_parent");
	t.match(await refund(), { state: "pending", destination: WALLET });
});

t.test("a child whose parent has expired passes its refund on, too", async (t) => {
	const { clock, issue, sell, refunds } = await openBooks();
	await issue("tok_parent", 1_000_000n, { owner: WALLET, expiresAt: clock.now() + 1 });
	await issue("tok_child", 1_000_000n, { parentId: "tok_parent" });
	const { id: receiptId } = await sell({ owner: "tok_child", amountMicros: 500_000n });
	clock.set(clock.now() + 1);
	const row = await refunds.refundReceipt({ receiptId, reason: "r" });
	t.match(row, { state: "pending", destination: WALLET });
});

t.test("an operator refunds what a token has left, whatever its owner", async (t) => {
	const { store, clock, issue, sell, refunds, balance } = await openBooks();
	await issue("tok_bought", 1_000_000n, { owner: WALLET, expiresAt: clock.now() });
	await issue("tok_issued", 1_000_000n, { status: "revoked" });
	await issue("tok_child", 1_000_000n, { parentId: "tok_issued" });
	await issue("tok_spent", 500_000n);
	await sell({ owner: "tok_spent", amountMicros: 500_000n });
	const refund = (tokenId: string, amountMicros?: bigint) =>
		refunds.refundToken({ tokenId, reason: "r", amountMicros });
	const all = { state: "pending", ref: "tok_bought", amountMicros: 1_000_000n };
	t.match(await refund("tok_bought"), { ...all, destination: WALLET });
	t.match(await refund("tok_issued", 400_000n), { state: "pending", destination: undefined });
	t.equal(await balance("cust:tok_issued"), 600_000n);
	t.equal(await balance("refunds"), 1_400_000n);
	for (const [tokenId, amountMicros, message] of [
		["tok_nobody", undefined, /No token is called/],
		["tok_child", undefined, /goes to tok_issued/],
		["tok_spent", undefined, /no balance to refund/],
		["tok_issued", 0n, /at most 0\.60 USD/],
		["tok_issued", 600_001n, /at most 0\.60 USD/],
	] as const) {
		await t.rejects(refund(tokenId, amountMicros), { message });
	}
	t.same((await createInvariantGuard({ store, clock }).check({ full: true })).failures, []);
});

t.test("small sums of a token are gathered in one refund until somebody pays it", async (t) => {
	const { store, clock, ids, issue, refunds, balance } = await openBooks();
	await issue("tok_a", 9_000_000n, { owner: WALLET });
	const back = (amountMicros: bigint) =>
		store.transaction((tx) => {
			const terms = { ref: "tok_a", owner: "tok_a", from: "cust:tok_a", reason: "r" };
			return refunds.request(tx, { ...terms, destination: WALLET, amountMicros });
		});
	const large = await back(2_000_000n);
	for (let at = 0; at < 50; at += 1) await back(30_000n);
	const rows = await refunds.list();
	const [small] = rows.filter(({ amountMicros }) => amountMicros === 480_000n);
	t.same(
		rows.map(({ amountMicros }) => Number(amountMicros)).sort(),
		[1_020_000, 2_000_000, 480_000],
	);
	t.match(
		rows.find(({ id }) => id === large.id),
		large,
	);
	t.equal(await balance("refunds"), 3_500_000n);

	// One that grows while it is about to be paid is paid as it stands when it is taken.
	const chain = createSimChain({ now: clock.now });
	chain.mint(SIM_TERMS.payTo, 9_000_000n);
	const treasury = createSimTreasury(chain);
	const growing = Object.assign(Object.create(store), {
		transaction: async (...args: Parameters<typeof store.transaction>) => {
			const row = await store.read((reader) => reader.get("refunds", small?.id ?? ""));
			if (row?.state === "pending") await back(1n);
			return store.transaction(...args);
		},
	});
	const onchain = { terms: SIM_TERMS, chain, treasury };
	const source = { clock, ids, manualSource: "cash:manual", onchain };
	const payouts = createRefundPayouts({ ...source, store: growing });
	t.match(await payouts.pay({ id: small?.id ?? "" }), { state: "paid", amountMicros: 480_001n });
	t.equal(chain.transactions.at(-1)?.value, 480_001n);
	t.match(await back(1n), { state: "pending", amountMicros: 1n }, "what is paid grows no more");
	t.same((await createInvariantGuard({ store, clock }).check({ full: true })).failures, []);
});

t.test("what cannot be refunded is refused, and nothing moves", async (t) => {
	const { issue, sell, refunds, store, balance } = await openBooks();
	await issue("tok_a", 500_000n);
	const { id } = await sell({ owner: "tok_a", amountMicros: 500_000n });
	const free = await sell({ owner: "acc_a", amountMicros: 500_000n, rail: "plan", isFree: true });
	const bought = { ...free, id: "rcpt_bought", billingType: "prepaid", amountMicros: 1n };
	await store.transaction((tx) => tx.put("receipts", bought));
	for (const [receiptId, reason, amountMicros, message] of [
		["rcpt_nobody", "r", 1n, /No receipt is called/],
		[free.id, "r", undefined, /charged nothing/],
		["rcpt_bought", "r", undefined, /bought balance of a token/],
		[id, "r", 0n, /above zero/],
		[id, "r", 500_001n, /at most 0\.50 USD/],
		[id, " ", undefined, /needs a reason/],
		[id, "r".repeat(501), undefined, /needs a reason/],
	] as const) {
		await t.rejects(refunds.refundReceipt({ receiptId, reason, amountMicros }), { message });
	}
	t.same(await refunds.list(), []);
	t.equal(await balance("cust:tok_a"), 0n);
});
