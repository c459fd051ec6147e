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
