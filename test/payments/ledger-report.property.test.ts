import fc from "fast-check";
import t from "tap";
import {
	createLedgerReport,
	netOf,
	REPORT_KEYS,
	type ReportSpan,
} from "../../payments/audit/ledger-report.js";
import { toCsv } from "../../src/kernel/visible-text.js";
import { START_MS } from "../store/open-test-store.js";
import { type Books, openBooks } from "./open-books.js";

const DAY_MS = 86_400_000;

const sale = fc.record({
	owner: fc.constantFrom("tok_a", "tok_b"),
	amountMicros: fc.bigInt({ min: 1n, max: 3_000_000n }),
	operationId: fc.constantFrom("graphs.search", "search.domain"),
	billingType: fc.constantFrom("per_call" as const, "research_chat" as const),
	graphIds: fc.constantFrom([], ["energy"], ["energy", "tides"]),
	isFree: fc.boolean(),
	day: fc.nat(3),
	refundPercent: fc.option(fc.integer({ min: 1, max: 100 })),
	isCaptured: fc.boolean(),
});

type AnySale = typeof sale extends fc.Arbitrary<infer T> ? T : never;

/** Sells, refunds on the next day, or holds and releases. */
async function play(books: Books, one: AnySale): Promise<void> {
	const { store, clock, ledger, sell, refunds } = books;
	const { day, refundPercent, isCaptured, isFree, ...terms } = one;
	clock.set(START_MS + day * DAY_MS);
	if (!isCaptured) {
		const from = `cust:${terms.owner}`;
		const held = { ...terms, from, rail: "spt", idempotencyId: undefined };
		const hold = await store.transaction((tx) => ledger.authorize(tx, held));
		await store.transaction((tx) => ledger.release(tx, hold, "no_answer"));
		return;
	}
	const receipt = await sell({ ...terms, isFree, rail: isFree ? "plan" : "spt" });
	const amountMicros = (receipt.amountMicros * BigInt(refundPercent ?? 0)) / 100n;
	if (amountMicros === 0n) return;
	clock.set(START_MS + (day + 1) * DAY_MS);
	await refunds.refundReceipt({ receiptId: receipt.id, reason: "r", amountMicros });
}

/** What the accounts say was earned; calls of the free plan earned a promotion's money. */
async function revenueOf({ store }: Books): Promise<bigint> {
	const balances = await store.read((reader) => reader.balances());
	const revenue = [...balances].filter(([account]) => account.startsWith("rev:"));
	return revenue.reduce((sum, [, amount]) => sum + amount, balances.get("promo:free_tier") ?? 0n);
}

t.test("whatever was sold and refunded, every report adds up to the balances", async (t) => {
	const property = fc.asyncProperty(fc.array(sale, { maxLength: 12 }), async (sales) => {
		const books = await openBooks();
		for (const owner of ["tok_a", "tok_b"]) await books.issue(owner, 100_000_000n);
		for (const one of sales) await play(books, one);
		const revenue = await revenueOf(books);
		const nets: bigint[] = [];
		for (const by of REPORT_KEYS) {
			const { lines, total } = await createLedgerReport(books.store, { by, span: {} });
			nets.push(
				netOf(total),
				lines.reduce((net, line) => net + netOf(line), 0n),
			);
			if (total.calls !== sales.filter(({ isCaptured }) => isCaptured).length) return false;
		}
		const inSpan = async (span: ReportSpan) =>
			netOf((await createLedgerReport(books.store, { by: "day", span })).total);
		nets.push((await inSpan({ to: "2026-03-02" })) + (await inSpan({ from: "2026-03-03" })));
		return nets.length === 2 * REPORT_KEYS.length + 1 && nets.every((net) => net === revenue);
	});
	await t.resolves(fc.assert(property, { numRuns: 40 }));
});

t.test("a refund counts on its own day, under the receipt's skill and payer", async (t) => {
	const { store, clock, issue, sell, refunds } = await openBooks();
	await issue("tok_a", 10_000_000n);
	const { id: receiptId } = await sell({ owner: "tok_a", amountMicros: 500_000n });
	clock.set(START_MS + DAY_MS);
	await refunds.refundReceipt({ receiptId, reason: "r", amountMicros: 100_000n });
	const report = async (by: "day" | "payer") =>
		(await createLedgerReport(store, { by, span: {} })).lines.map((line) => [
			line.key,
			line.calls,
			line.grossMicros,
			line.refundedMicros,
		]);
	t.same(await report("day"), [
		["2026-03-01", 1, 500_000n, 0n],
		["2026-03-02", 0, 0n, 100_000n],
	]);
	t.same(await report("payer"), [["tok_a", 1, 500_000n, 100_000n]]);
});

t.test("cells of a table cannot become formulas, and numbers stay numbers", async (t) => {
	const cells = ["=1+1", "+1a", "-0.50", "@x", 'say "hi", you', "-cmd", "plain"];
	t.same(toCsv([cells]), [`'=1+1,'+1a,-0.50,'@x,"say ""hi"", you",'-cmd,plain`]);
});
