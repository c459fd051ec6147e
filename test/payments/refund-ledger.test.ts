import t from "tap";
import { createOwnersOf } from "../../payments/owner-shares.js";
import { refundedOf } from "../../payments/refunds/refund-ledger.js";
import type { LedgerTransaction } from "../../store/store-port.js";
import { START_MS } from "../store/open-test-store.js";
import { type Books, openBooks, WALLET } from "./open-books.js";

const PRICE = 500_000n;

async function lastPosting({ store }: Books): Promise<LedgerTransaction | undefined> {
	let last: LedgerTransaction | undefined;
	for await (const { postings } of store.history()) last = postings.at(-1) ?? last;
	return last;
}

async function openSold() {
	const books = await openBooks();
	await books.issue("tok_a", 1_000_000n);
	const receipt = await books.sell({ owner: "tok_a", amountMicros: PRICE });
	return { ...books, receipt };
}

t.test("a refund to a balance is one row and one posting under its own name", async (t) => {
	const books = await openSold();
	const { refunds, receipt, clock } = books;
	clock.set(START_MS + 7);
	const row = await refunds.refundReceipt({
		...{ receiptId: receipt.id, reason: "wrong graph", amountMicros: 100_000n, id: "rfd_own" },
	});
	const at = START_MS + 7;
	t.strictSame(row, {
		...{ ref: receipt.id, owner: "tok_a", amountMicros: 100_000n, reason: "wrong graph" },
		...{ id: "rfd_own", state: "paid", createdAt: at, paidAt: at },
	});
	t.match(await lastPosting(books), {
		...{ key: "refund:rfd_own", kind: "refund", ref: receipt.id, at, id: /^txn_/ },
		entries: [
			{ account: "rev:per_call", amountMicros: -100_000n },
			{ account: "cust:tok_a", amountMicros: 100_000n },
		],
	});
	t.equal(await books.store.read((reader) => refundedOf(reader, receipt.id)), 100_000n);
	const rest = await refunds.refundReceipt({ receiptId: receipt.id, reason: "the rest" });
	t.equal(rest.amountMicros, 400_000n);
	t.match(rest.id, /^rfd_/);
});

t.test("a refund to a wallet waits, and says where it goes", async (t) => {
	const { refunds, settle, sell, store } = await openBooks();
	await settle("pay_1", PRICE, `0x${"1".repeat(64)}`);
	const receipt = await sell({ owner: WALLET, amountMicros: PRICE, rail: "x402" });
	const within = await store.transaction((tx) =>
		refunds.refundWithin(tx, receipt, { id: "rfd_1", reason: "r" }),
	);
	t.strictSame(within, {
		...{ ref: receipt.id, owner: WALLET, amountMicros: PRICE, reason: "r", id: "rfd_1" },
		...{ state: "pending", createdAt: START_MS, destination: WALLET },
	});
	const nothing = { ...receipt, amountMicros: 0n };
	const again = store.transaction(async (tx) => refunds.refundWithin(tx, nothing, { reason: "r" }));
	await t.rejects(again, {
		code: "INVALID_ARGUMENT",
		message: `${receipt.id} charged nothing, so nothing can go back.`,
	});
});

t.test("what cannot go back is refused in whole sentences", async (t) => {
	const { refunds, receipt, store, issue } = await openSold();
	const { id } = receipt;
	await store.transaction((tx) =>
		tx.put("receipts", { ...receipt, id: "rcpt_b", billingType: "prepaid" }),
	);
	await issue("tok_top", 600_000n);
	await issue("tok_child", 1n, { parentId: "tok_top" });
	const refund = (receiptId: string, amountMicros?: bigint, reason = "r") =>
		refunds.refundReceipt({ receiptId, reason, amountMicros });
	const most = `A refund of ${id} must be above zero and at most 0.50 USD: it charged 0.50 USD.`;
	const long = "A refund needs a reason of at most 500 characters.";
	for (const [work, message] of [
		[refund("rcpt_x"), 'No receipt is called "rcpt_x".'],
		[
			refund("rcpt_b"),
			"rcpt_b bought balance of a token. Refund what the token (tok_…) has left, not the receipt.",
		],
		[refund(id, 0n), most],
		[refund(id, PRICE + 1n), most],
		[refund(id, 1n, " "), long],
		[refund(id, 1n, "r".repeat(501)), long],
		[
			refunds.refundToken({ tokenId: "tok_child", reason: "r" }),
			"tok_child was delegated: revoke it, and what it has left goes to tok_top.",
		],
		[
			refunds.refundToken({ tokenId: "tok_top", reason: "r", amountMicros: 600_001n }),
			"A refund of tok_top must be above zero and at most 0.60 USD, which it has left.",
		],
	] as const)
		await t.rejects(work, { message });
	t.equal(
		(await refund(id, 1n, "r".repeat(500))).state,
		"paid",
		"so long a reason is no longer than that",
	);
	await refunds.refundToken({ tokenId: "tok_top", reason: "r" });
	await t.rejects(refunds.refundToken({ tokenId: "tok_top", reason: "r" }), {
		message:
			"tok_top has no balance to refund; revoke it to bring back what was delegated from it.",
	});
	await refund(id);
	await t.rejects(refund(id), { message: `${id} has been refunded in full.` });
});

t.test("what is refunded whole is not had again, what is refunded in part is", async (t) => {
	const { refunds, store, issue, sell, clock } = await openBooks();
	await issue("tok_a", 10_000_000n);
	const settlement = { network: "n", transactionHash: "0x1", payer: "p", paymentId: "pay_1" };
	const payment = { id: "pay_1", state: "captured", owner: "tok_a", idempotencyId: "k" };
	for (const [kind, isWhole] of [
		["part", false],
		["whole", true],
	] as const) {
		const sold = await sell({ owner: "tok_a", amountMicros: PRICE, idempotencyId: kind });
		const receipt = { ...sold, settlement };
		const note = { id: sold.id, owner: "tok_a", expiresAt: clock.now() + 1 };
		await store.transaction(async (tx) => {
			await tx.put("receipts", receipt);
			await tx.put("undelivered", note);
			await tx.put("payments", { ...payment, graphIds: [] } as never);
		});
		const amountMicros = isWhole ? PRICE : PRICE - 1n;
		await refunds.refundReceipt({ receiptId: sold.id, reason: "r", amountMicros });
		const [attempt, undelivered, row] = await store.read(async (reader) => [
			await reader.get("idempotency", kind),
			await reader.get("undelivered", sold.id),
			await reader.get("payments", "pay_1"),
		]);
		t.equal(attempt === undefined, isWhole);
		t.equal(undelivered === undefined, isWhole);
		t.match(row, isWhole ? { isDelivered: true, idempotencyId: undefined } : payment);
	}
});

t.test("a retry key that bought something else since, and an open payment, stay", async (t) => {
	const { refunds, store, issue, sell } = await openBooks();
	await issue("tok_a", 10_000_000n);
	const sold = await sell({ owner: "tok_a", amountMicros: PRICE, idempotencyId: "k" });
	const settlement = { network: "n", transactionHash: "0x1", payer: "p", paymentId: "pay_1" };
	const payment = { id: "pay_1", state: "settled", owner: "tok_a", graphIds: [] } as never;
	await store.transaction(async (tx) => {
		const row = await tx.get("idempotency", "k");
		if (row) await tx.put("idempotency", { ...row, receiptId: "rcpt_other" });
		await tx.put("receipts", { ...sold, settlement });
		await tx.put("payments", payment);
	});
	await refunds.refundReceipt({ receiptId: sold.id, reason: "r" });
	t.match(await store.read((reader) => reader.get("idempotency", "k")), {
		receiptId: "rcpt_other",
	});
	t.same(await store.read((reader) => reader.get("payments", "pay_1")), payment);
});

t.test(
	"an account has its refund as balance, and a payer no one knows by other means",
	async (t) => {
		const { refunds, store, issue, sell, ledger, balance } = await openBooks();
		const account = { id: "acc_a", label: "", plan: "free", hasPaymentMethod: false, createdAt: 0 };
		await store.transaction(async (tx) => {
			await tx.put("accounts", account as never);
			const terms = { owner: "acc_a", source: "cash:manual", amountMicros: PRICE, key: "c" };
			await ledger.credit(tx, terms);
		});
		const own = await sell({ owner: "acc_a", amountMicros: PRICE, rail: "plan" });
		t.match(await refunds.refundReceipt({ receiptId: own.id, reason: "r" }), { state: "paid" });
		t.equal(await balance("cust:acc_a"), PRICE);
		await issue("tok_gone", PRICE);
		const lost = await sell({ owner: "tok_gone", amountMicros: PRICE });
		await store.transaction((tx) => tx.delete("tokens", "tok_gone"));
		const row = await refunds.refundReceipt({ receiptId: lost.id, reason: "r" });
		t.equal(row.state, "pending");
		t.notOk(Object.hasOwn(row, "destination"));
		t.notOk(Object.hasOwn(row, "paidAt"));
	},
);

const SHARES = [
	{ owner: "ann", basisPoints: 6_000 },
	{ owner: "bob", basisPoints: 1_000 },
	{ owner: "operator", basisPoints: 3_000 },
];

t.test("owners refund their shares, part by part, and see what is due to them", async (t) => {
	const find = () => ({ prices: {}, owners: SHARES });
	const books = await openBooks({ ownersOf: createOwnersOf({ find }) });
	const { refunds, issue, sell, balance } = books;
	await issue("tok_a", 10_000_000n);
	const sold = await sell({ owner: "tok_a", amountMicros: PRICE, graphIds: ["g"] });
	await refunds.refundReceipt({ receiptId: sold.id, reason: "r", amountMicros: 100_000n });
	t.match(await lastPosting(books), {
		entries: [
			{ account: "rev:per_call", amountMicros: -100_000n },
			{ account: "cust:tok_a", amountMicros: 100_000n },
			{ account: "owed:ann", amountMicros: -60_000n },
			{ account: "owed:bob", amountMicros: -10_000n },
			{ account: "shares", amountMicros: 70_000n },
		],
	});
	const to = "eip155:8453:0x2222222222222222222222222222222222222222";
	const paid = await refunds.payOwner({ owner: "ann", amountMicros: 40_000n, destination: to });
	t.strictSame(paid, {
		...{ ref: "owner:ann", owner: "ann", amountMicros: 40_000n, reason: "share of revenue" },
		...{ destination: to, id: paid.id, state: "pending", createdAt: START_MS },
	});
	t.same(await refunds.listOwed(), {
		owners: [
			{ owner: "ann", owedMicros: 200_000n, pendingMicros: 40_000n, paidMicros: 0n },
			{ owner: "bob", owedMicros: 40_000n, pendingMicros: 0n, paidMicros: 0n },
		],
		payouts: [paid],
	});
	t.equal(await balance("refunds"), 40_000n);
	await books.store.transaction((tx) => tx.put("refunds", { ...paid, state: "paid" }));
	t.match((await refunds.listOwed()).owners, [{ pendingMicros: 0n, paidMicros: 40_000n }, {}]);
	const most = 'A payout to "ann" must be above zero and at most the 0.20 USD that are owed.';
	for (const amountMicros of [0n, 200_001n])
		await t.rejects(refunds.payOwner({ owner: "ann", amountMicros }), { message: most });
	for (const destination of ["0x12", `x${to}`, `${to}0`, "eip155:1:0x12", "eip155::0x1"])
		await t.rejects(refunds.payOwner({ owner: "ann", destination }), {
			code: "INVALID_ARGUMENT",
			message: `"${destination}" is no account on a chain; write it like "eip155:8453:0x…", or leave it out and pay by hand.`,
		});
	const name = "n".repeat(90);
	await t.rejects(refunds.payOwner({ owner: name }), {
		message: `Nothing is owed to "${name.slice(0, 80)}"; "tollgraph ledger payouts" lists what is owed to whom.`,
	});
	t.equal((await refunds.payOwner({ owner: "ann" })).amountMicros, 200_000n);
});

t.test("small sums are added only to a small one of the same destination that waits", async (t) => {
	const books = await openBooks();
	const { refunds, store, issue } = books;
	await issue("tok_a", 9_000_000n, { owner: WALLET });
	const back = (amountMicros: bigint, destination: string | undefined = WALLET) =>
		store.transaction((tx) => {
			const terms = { ref: "tok_a", owner: "tok_a", from: "cust:tok_a", reason: "r" };
			return refunds.request(tx, { ...terms, destination, amountMicros });
		});
	const first = await back(999_999n);
	t.match(await back(1_000_000n), { amountMicros: 1_000_000n }, "a dollar is not small");
	const raised = await back(1n);
	t.same(raised, { ...first, amountMicros: 1_000_000n });
	t.match(await lastPosting(books), {
		...{ kind: "refund", ref: "tok_a", at: START_MS, id: /^txn_/, key: undefined },
		entries: [
			{ account: "cust:tok_a", amountMicros: -1n },
			{ account: "refunds", amountMicros: 1n },
		],
	});
	const other = await back(2n);
	t.not(other.id, first.id, "the first is not small any more");
	const elsewhere = await back(3n, `${WALLET.slice(0, -1)}2`);
	t.not(elsewhere.id, other.id);
	await store.transaction((tx) => tx.put("refunds", { ...other, state: "paying" }));
	const next = await back(4n);
	t.notOk([first.id, other.id, elsewhere.id].includes(next.id));
});

t.test("owners are listed by name, in whatever order they earned", async (t) => {
	const find = (id: string) => ({ prices: {}, owners: [{ owner: id, basisPoints: 10_000 }] });
	const { issue, sell, refunds } = await openBooks({ ownersOf: createOwnersOf({ find }) });
	await issue("tok_a", 9_000_000n);
	for (const owner of ["mia", "zed", "ann", "bob"])
		await sell({ owner: "tok_a", amountMicros: PRICE, graphIds: [owner] });
	const { owners } = await refunds.listOwed();
	t.same(
		owners.map(({ owner, owedMicros }) => [owner, owedMicros]),
		["ann", "bob", "mia", "zed"].map((owner) => [owner, PRICE]),
	);
});
