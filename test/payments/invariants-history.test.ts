import t from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import {
	checkCaptures,
	confirmDoubts,
	createSeenNames,
	findRepeated,
} from "../../payments/audit/invariants-history.js";
import { LIMITS } from "../../src/contract/limits.js";
import { posting, receiptRow } from "../store/open-test-store.js";
import { type Books, openBooks, WALLET } from "./open-books.js";
import { HASH, UNSOUND, UNSOUND_IN_FULL } from "./unsound-books.js";

/** What the guard finds after the books were spoilt, in full and since the last look. */
async function findingsAfter(spoil: (books: Books) => Promise<unknown>) {
	const books = await openBooks();
	const guard = createInvariantGuard(books);
	await books.issue("tok_a", 10_000_000n);
	await books.sell({ owner: "tok_a", amountMicros: 500_000n, idempotencyId: "key of a" });
	const before = (await guard.check({ full: true })).failures;
	await spoil(books);
	const since = (await guard.check()).failures;
	return { before, since, full: (await guard.check({ full: true })).failures };
}

t.test("a sound ledger of calls, purchases, credits and refunds has no failures", async (t) => {
	const { before, since, full } = await findingsAfter(async (books) => {
		const receipt = await books.sell({ owner: "tok_a", amountMicros: 500_000n });
		await books.sell({ owner: "acc_a", amountMicros: 500_000n, rail: "plan", isFree: true });
		await books.refunds.refundReceipt({ receiptId: receipt.id, reason: "test" });
		const transactionId = await books.settle("pay_1", 2_000_000n, HASH);
		const bought = { transactionId, billingType: "prepaid", amountMicros: 2_000_000n };
		// Reconciled first, bought later: the receipt stands for a settlement of an earlier transaction.
		await books.store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_b", bought)));
	});
	t.same([before, since, full], [[], [], []]);
});

for (const [title, [spoil, found]] of Object.entries(UNSOUND)) {
	t.test(`${title} is found at once and in full`, async (t) => {
		const { before, since, full } = await findingsAfter(spoil);
		t.same(before, []);
		t.match(since.join("\n"), found);
		t.match(full.join("\n"), found);
	});
}

for (const [title, [spoil, found]] of Object.entries(UNSOUND_IN_FULL)) {
	t.test(`${title} is found when all is read`, async (t) => {
		t.match((await findingsAfter(spoil)).full.join("\n"), found);
	});
}

t.test(
	"a hold long past its expiry is a breach, and the retry key of a live one is not",
	async (t) => {
		const books = await openBooks();
		const guard = createInvariantGuard(books);
		await books.issue("tok_a", 1_000_000n);
		const terms = { from: "cust:tok_a", owner: "tok_a", rail: "spt", amountMicros: 1n };
		const what = { operationId: "graphs.search", billingType: "per_call" } as const;
		await books.store.transaction((tx) =>
			books.ledger.authorize(tx, { ...terms, ...what, idempotencyId: undefined }),
		);
		t.same((await guard.check({ full: true })).failures, []);
		books.clock.set(books.clock.now() + LIMITS.holdTtlMs + 3 * LIMITS.sweepIntervalMs);
		t.match((await guard.check()).failures, [/I5/]);
	},
);

t.test("one transaction of a chain is booked once, by whatever posting", async (t) => {
	const entries = { "cash:x402:n": -1n, [`cust:${WALLET}`]: 1n };
	const settled = posting(`settle:n:${HASH}`, entries, { kind: "settle", ref: "pay_1" });
	const adjusted = posting(`settle:n:${HASH}`, entries, { kind: "adjust", ref: "someone" });
	const alone = (made: typeof settled) => ({ postings: [made], receipts: [] });
	const history = [alone(settled), alone(adjusted)];
	const seen = createSeenNames();
	t.same(findRepeated(alone(settled), seen), []);
	const doubts = findRepeated(alone(adjusted), seen);
	t.match(doubts, [{ sentence: /I7: "settle:n:/ }]);
	const read = (made: typeof history) =>
		async function* () {
			yield* made;
		};
	t.equal((await confirmDoubts(doubts, read(history))).length, 1);
	t.same(await confirmDoubts(doubts, read(history.slice(1))), [], "once is no breach");
	t.same(checkCaptures({ postings: [settled], receipts: [] }), []);
});

t.test("payments whose marks collide are no breach; one that settled twice is", async (t) => {
	const books = await openBooks();
	const guard = createInvariantGuard({ ...books, markOf: () => 7n });
	const entries = { "cash:x402:n": -1n, [`cust:${WALLET}`]: 1n };
	for (const ref of ["pay_1", "pay_2"]) {
		const settled = posting(`settle:n:${ref}`, entries, { kind: "settle", ref });
		await books.store.transaction((tx) => tx.post(settled));
	}
	t.match(await guard.check({ full: true }), { status: "ok", failures: [] });
	t.ok(guard.isSelling());
	const again = posting("settle:n:other", entries, { kind: "settle", ref: "pay_1" });
	await books.store.transaction((tx) => tx.post(again));
	t.match((await guard.check({ full: true })).failures, [
		/^I7: the payment pay_1 is settled twice/,
	]);
});

t.test("names are distinguished, however many there are", async (t) => {
	const seen = createSeenNames();
	const names = Array.from({ length: 20_000 }, (_, index) => `name ${index}`);
	t.notOk(names.some((name) => seen.add(name)));
	t.ok(names.every((name) => seen.has(name) && seen.add(name)));
	t.notOk(seen.has("another"));
});

t.test("a receipt belongs to its own capture, not to another of the same amount", async (t) => {
	const entries = { "cust:tok_a": -1n, "rev:per_call": 1n };
	const capture = posting("c", entries, { kind: "capture" });
	const own = receiptRow("rcpt_a", { transactionId: capture.id, amountMicros: 1n });
	const stray = receiptRow("rcpt_b", { transactionId: "txn_other", amountMicros: 1n });
	t.same(checkCaptures({ postings: [capture], receipts: [own] }), []);
	t.same(checkCaptures({ postings: [capture], receipts: [own, stray] }), [
		"I6: the receipt rcpt_b stands for no capture of its amount.",
	]);
	for (const [rail, amountMicros, isSound] of [
		["plan", 0n, true],
		["plan", 2n, false],
		["spt", 0n, false],
	] as const) {
		const free = { ...own, rail, amountMicros };
		const found = checkCaptures({ postings: [capture], receipts: [free] });
		t.equal(found.length, isSound ? 0 : 1, `${rail} ${amountMicros}`);
	}
});

t.test("receipts of two payments repeat nothing; a third of the first does", async (t) => {
	const seen = createSeenNames();
	const receiptOf = (id: string, paymentId: string) => {
		const settlement = { network: "n", transactionHash: HASH, payer: "p", paymentId };
		return { postings: [], receipts: [receiptRow(id, { settlement })] };
	};
	t.same(findRepeated(receiptOf("rcpt_1", "pay_1"), seen), []);
	t.same(findRepeated(receiptOf("rcpt_2", "pay_2"), seen), []);
	t.same(findRepeated(receiptOf("rcpt_3", "pay_1"), seen), [
		{
			name: "receipt pay_1",
			sentence: "I7: rcpt_3 is a second receipt of the payment pay_1.",
		},
	]);
});

t.test("owners who are owed another sum than their share are a breach", async (t) => {
	const { before, since } = await findingsAfter(({ store }) =>
		store.transaction(async (tx) => {
			const entries = {
				...{ "cust:tok_a": -10n, "rev:per_call": 10n },
				...{ "owed:ann": 4n, shares: -4n },
			};
			const capture = posting("c", entries, { kind: "capture" });
			await tx.post(capture);
			const owners = [{ owner: "ann", basisPoints: 5_000 }];
			const own = { transactionId: capture.id, amountMicros: 10n, owners };
			await tx.put("receipts", receiptRow("rcpt_c", own));
		}),
	);
	t.same(before, []);
	t.same(since, ["I11: the capture txn_c does not owe the owners of its revenue their shares."]);
});

t.test("refund rows of one receipt are added up, posted or not", async (t) => {
	let receiptId = "";
	const { since, full } = await findingsAfter(async ({ store, sell, refunds }) => {
		({ id: receiptId } = await sell({ owner: "tok_a", amountMicros: 500_000n }));
		const row = await refunds.refundReceipt({ receiptId, reason: "r", amountMicros: 100_000n });
		const unposted = { ...row, id: "rfd_stray", amountMicros: 450_000n };
		await store.transaction((tx) => tx.put("refunds", unposted));
	});
	const sentence = `I9: ${receiptId} charged 0.50 USD and was refunded 0.55 USD.`;
	t.same(since, [sentence]);
	t.same(full, ["I9: the refund rfd_stray was never posted.", sentence]);
});

t.test("only a retry key that is done and names a receipt is held against it", async (t) => {
	const { full } = await findingsAfter(async ({ store, ledger }) => {
		const terms = { from: "cust:tok_a", owner: "tok_a", rail: "spt", amountMicros: 1n };
		const what = { operationId: "graphs.search", billingType: "per_call" } as const;
		await store.transaction(async (tx) => {
			const hold = await ledger.authorize(tx, { ...terms, ...what, idempotencyId: "open" });
			const row = { fingerprint: "f", holdId: hold.id, createdAt: 0, expiresAt: 1e15 };
			const open = { ...row, state: "in_flight", receiptId: "rcpt_later" } as const;
			await tx.put("idempotency", { ...open, id: "open" });
			await tx.put("idempotency", { ...row, state: "done", receiptId: undefined, id: "free" });
		});
	});
	t.same(full, []);
});
