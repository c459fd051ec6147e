import fc from "fast-check";
import t from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import { createLedgerReport, netOf } from "../../payments/audit/ledger-report.js";
import { createOwnersOf, splitMicros } from "../../payments/owner-shares.js";
import { createRefundPayouts } from "../../payments/refunds/refund-payouts.js";
import type { OwnerShare } from "../../src/contract/prices.js";
import { type Books, openBooks } from "./open-books.js";

/** Up to five owners whose shares add up to all. */
const owners = fc
	.uniqueArray(fc.integer({ min: 1, max: 9_999 }), { maxLength: 4 })
	.map((cuts): readonly OwnerShare[] => {
		const marks = [0, ...cuts.sort((a, b) => a - b), 10_000];
		return marks.slice(1).map((mark, place) => ({
			owner: ["operator", "ann", "bob", "cem", "dora"][place] ?? "eve",
			basisPoints: mark - (marks[place] ?? 0),
		}));
	});

t.test("shares add up to the micro-dollar, each within one of its exact part", async (t) => {
	const property = fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), owners, (amount, all) => {
		const shares = splitMicros(amount, all);
		const sum = [...shares.values()].reduce((total, share) => total + share, 0n);
		return (
			sum === amount &&
			all.every(({ owner, basisPoints }) => {
				const off = (shares.get(owner) ?? 0n) * 10_000n - amount * BigInt(basisPoints);
				return off > -10_000n && off < 10_000n;
			})
		);
	});
	t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }));
});

t.test("what is left goes to the largest remainders, among equal ones by name", (t) => {
	const thirds = [
		{ owner: "cem", basisPoints: 3_333 },
		{ owner: "ann", basisPoints: 3_333 },
		{ owner: "bob", basisPoints: 3_334 },
	];
	t.same(
		[...splitMicros(2n, thirds)],
		[
			["cem", 0n],
			["ann", 1n],
			["bob", 1n],
		],
	);
	t.end();
});

const step = fc.record({
	amountMicros: fc.bigInt({ min: 1n, max: 3_000_000n }),
	graphIds: fc.constantFrom([], ["owned"], ["owned", "tides"], ["tides"]),
	isFree: fc.boolean(),
	refunds: fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 3 }),
	paysOut: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A sale, its refunds one by one, the last of them of all that is left, and then a payout. */
async function play(books: Books, { refunds, paysOut, isFree, ...terms }: Step): Promise<void> {
	const rail = isFree ? "plan" : "spt";
	const receipt = await books.sell({ ...terms, owner: "tok_a", isFree, rail });
	let left = receipt.amountMicros;
	for (const percent of refunds) {
		const amountMicros = percent > 80 ? left : (left * BigInt(percent)) / 100n;
		if (amountMicros === 0n) continue;
		await books.refunds.refundReceipt({ receiptId: receipt.id, reason: "r", amountMicros });
		left -= amountMicros;
	}
	if (!paysOut) return;
	const { store, clock, ids } = books;
	const payouts = createRefundPayouts({ store, clock, ids, manualSource: "cash:manual" });
	for (const { owner, owedMicros } of (await books.refunds.listOwed()).owners) {
		if (owedMicros <= 0n) continue;
		const { id } = await books.refunds.payOwner({ owner, amountMicros: (owedMicros + 1n) / 2n });
		await payouts.pay({ id });
	}
}

t.test("whatever is sold, refunded and paid out, owners and operator have all of it", async (t) => {
	const property = fc.asyncProperty(
		fc.array(step, { maxLength: 8 }),
		owners,
		async (steps, all) => {
			const find = (id: string) =>
				id === "owned" ? { prices: {}, owners: all } : { prices: {}, owners: [] };
			const books = await openBooks({ ownersOf: createOwnersOf({ find }) });
			await books.issue("tok_a", 100_000_000n);
			for (const one of steps) await play(books, one);

			const byOwner = await createLedgerReport(books.store, { by: "owner", span: {} });
			const byRail = await createLedgerReport(books.store, { by: "rail", span: {} });
			const { owners: owed } = await books.refunds.listOwed();
			const netBy = new Map(byOwner.lines.map((line) => [line.key, netOf(line)]));
			const isDue = owed.every(
				({ owner, owedMicros, paidMicros }) => owedMicros + paidMicros === (netBy.get(owner) ?? 0n),
			);
			const guard = createInvariantGuard(books);
			const report = await guard.check({ full: true });
			const sum = [...netBy.values()].reduce((total, net) => total + net, 0n);
			return (
				report.status === "ok" &&
				isDue &&
				sum === netOf(byRail.total) &&
				netOf(byOwner.total) === netOf(byRail.total) &&
				byOwner.total.calls === steps.length
			);
		},
	);
	await t.resolves(fc.assert(property, { numRuns: 60 }));
});

const HALVES = [
	{ owner: "ann", basisPoints: 5_000 },
	{ owner: "operator", basisPoints: 5_000 },
];
const openHalved = async () => {
	const find = () => ({ prices: {}, owners: HALVES });
	const books = await openBooks({ ownersOf: createOwnersOf({ find }) });
	await books.issue("tok_a", 10_000_000n);
	const { store, clock, ids } = books;
	const payouts = createRefundPayouts({ store, clock, ids, manualSource: "cash:manual" });
	return { ...books, payouts };
};

t.test("a payout is of what is owed, once, and a refund after it is set off", async (t) => {
	const { sell, refunds, payouts, balance, store } = await openHalved();
	await t.rejects(refunds.payOwner({ owner: "ann" }), { message: /Nothing is owed to "ann"/ });
	const receipt = await sell({ owner: "tok_a", amountMicros: 500_001n, graphIds: ["energy"] });
	t.equal(await balance("owed:ann"), 250_001n, "a half micro-dollar goes to the first by name");
	await t.rejects(refunds.payOwner({ owner: "ann", amountMicros: 250_002n }), {
		message: /at most the 0\.250001 USD/,
	});
	await t.rejects(refunds.payOwner({ owner: "ann", destination: "0x12" }), {
		message: /no account on a chain/,
	});
	const { id } = await refunds.payOwner({ owner: "ann" });
	await t.rejects(refunds.payOwner({ owner: "ann" }), { message: /Nothing is owed/ });
	await payouts.pay({ id });
	await t.rejects(payouts.pay({ id }), { message: /paid already/ });
	const before = await balance("cash:manual");
	await refunds.refundReceipt({ receiptId: receipt.id, reason: "r" });
	t.equal(await balance("owed:ann"), -250_001n);
	t.equal(await balance("cash:manual"), before);
	await sell({ owner: "tok_a", amountMicros: 1_000_000n, graphIds: ["energy"] });
	t.equal(await balance("owed:ann"), 249_999n);
	const { prepaid } = await createLedgerReport(store, { by: "owner", span: {} });
	t.equal(prepaid.refundedMicros, 0n, "a payout is no refund of balance");
});

t.test("I11 finds shares that were not booked, or booked to someone else", async (t) => {
	const { store, clock, ids, sell, balance } = await openHalved();
	await sell({ owner: "tok_a", amountMicros: 500_000n, graphIds: ["energy"] });
	const guard = createInvariantGuard({ store, clock });
	t.equal((await guard.check({ full: true })).status, "ok");
	await store.transaction((tx) =>
		tx.post({
			id: ids.next("txn"),
			kind: "adjust",
			at: clock.now(),
			entries: [
				{ account: "owed:ann", amountMicros: -1n },
				{ account: "cash:manual", amountMicros: 1n },
			],
			ref: "by hand",
		}),
	);
	const { failures } = await guard.check({ full: true });
	t.equal(failures.filter((failure) => failure.startsWith("I11:")).length, 2);
	t.equal(await balance("owed:ann"), 249_999n);
});
