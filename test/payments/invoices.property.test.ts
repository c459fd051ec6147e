import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { vatIn } from "../../src/accounts/invoice-vat.js";
import { createInvoices } from "../../src/accounts/invoices.js";
import { parseUsd } from "../../src/kernel/money.js";
import type { ReceiptRow } from "../../store/rows/call-rows.js";
import type { InvoiceRow } from "../../store/rows/payment-rows.js";
import { START_MS } from "../store/open-test-store.js";
import { type Books, openBooks } from "./open-books.js";

const DAY_MS = 86_400_000;
const ACCOUNTS = ["acc_a", "acc_b"] as const;
const BUDGET = 1_000_000_000n;
const SELLER = { name: "Example", address: "", country: "DE", vatId: "", vatBasisPoints: 1_900 };
const never = new AbortController().signal;

const event = fc.record({
	kind: fc.constantFrom("sale", "sale", "sale", "refund", "invoices"),
	owner: fc.constantFrom(...ACCOUNTS),
	/** Of a year, to the millisecond. */
	offset: fc.nat(365 * DAY_MS),
	amountMicros: fc.bigInt({ min: 1n, max: 3_000_000n }),
	operationId: fc.constantFrom("graphs.search", "search.domain", "research.chat"),
	isFree: fc.boolean(),
	percent: fc.integer({ min: 1, max: 100 }),
	which: fc.nat(50),
});
type AnyEvent = typeof event extends fc.Arbitrary<infer T> ? T : never;

function openInvoices({ store, clock, ids }: Books) {
	const profiles = { get: async () => ({ label: "", contact: "", labels: {} }) };
	const { accountInvoices } = createInvoices({ store, clock, ids, profiles, seller: SELLER });
	const list = (accountId: string) =>
		accountInvoices({ accountId, isManager: true, keepsNoText: false }, never);
	return { list };
}

async function open(books: Books): Promise<void> {
	const { store, ledger } = books;
	for (const id of ACCOUNTS) {
		await store.transaction(async (tx) => {
			const account = { id, label: "", plan: "free", hasPaymentMethod: false } as const;
			await tx.put("accounts", { ...account, createdAt: START_MS });
			const key = `credit:${id}`;
			const source = "cash:manual";
			await ledger.credit(tx, { owner: id, source, amountMicros: BUDGET, key });
		});
	}
}

/** A year of calls and refunds, with a look at the invoices now and then. */
async function play(books: Books, events: readonly AnyEvent[]): Promise<void> {
	const { clock, sell } = books;
	const { list } = openInvoices(books);
	const charged: ReceiptRow[] = [];
	for (const one of events.toSorted((a, b) => a.offset - b.offset)) {
		clock.set(START_MS + one.offset);
		if (one.kind === "invoices") {
			// Two interfaces to the same books ask at once, for all accounts.
			const lists = [list, openInvoices(books).list];
			await Promise.all(lists.flatMap((ask) => ACCOUNTS.map((owner) => ask(owner))));
			await assertOver(books);
		}
		if (one.kind === "refund") await refundOne(books, one, charged);
		if (one.kind !== "sale") continue;
		const receipt = await sell({ ...one, rail: "plan" });
		if (!one.isFree) charged.push(receipt);
	}
}

async function refundOne({ refunds }: Books, one: AnyEvent, charged: readonly ReceiptRow[]) {
	const receipt = charged[one.which % charged.length];
	const amountMicros = ((receipt?.amountMicros ?? 0n) * BigInt(one.percent)) / 100n;
	if (!receipt || amountMicros === 0n) return;
	const asked = { receiptId: receipt.id, reason: "r", amountMicros };
	// What is left of it may be less by now.
	await refunds.refundReceipt(asked).catch(() => undefined);
}

/** What an account's money lost in each month, by the ledger's own entries; balance that was bought apart. */
async function spentByMonth({ store }: Books, owner: string): Promise<ReadonlyMap<string, bigint>> {
	const months = new Map<string, bigint>();
	const own = [`cust:${owner}`, `held:${owner}`];
	for await (const { postings } of store.history()) {
		for (const { at, entries } of postings.filter(({ kind }) => kind !== "credit")) {
			const month = new Date(at).toISOString().slice(0, 7);
			const spent = sumOf(entries.filter(({ account }) => own.includes(account)));
			months.set(month, (months.get(month) ?? 0n) - spent);
		}
	}
	return months;
}

const sumOf = (parts: readonly { amountMicros: bigint }[]) =>
	parts.reduce((total, { amountMicros }) => total + amountMicros, 0n);

function assertAddsUp(row: InvoiceRow): void {
	const total = sumOf(row.lines) - sumOf(row.credits);
	equal(total, row.totalMicros);
	equal(vatIn(total, row.vatBasisPoints), row.vatMicros);
}

/** No invoice is of a month that is not over, and an account's numbers go with its months. */
async function assertOver({ store, clock }: Books): Promise<void> {
	const rows = await store.read((reader) => reader.list("invoices"));
	const now = new Date(clock.now()).toISOString().slice(0, 7);
	for (const { month } of rows) equal(month < now, true, `${month} is issued in ${now}`);
	for (const owner of ACCOUNTS) {
		const own = rows.filter(({ accountId }) => accountId === owner);
		const byNumber = own.toSorted((a, b) => a.number - b.number).map(({ month }) => month);
		deepEqual(byNumber, byNumber.toSorted());
		equal(new Set(byNumber).size, byNumber.length, "each month has one invoice");
	}
}

/** The account's invoices against the ledger's balances and months; returns their numbers. */
async function assertInvoiced(books: Books, owner: string): Promise<readonly string[]> {
	const { list } = openInvoices(books);
	const { items } = await list(owner);
	const spent =
		BUDGET - (await books.balance(`cust:${owner}`)) - (await books.balance(`held:${owner}`));
	equal(sumOf(items.map(({ total_usd }) => ({ amountMicros: toMicros(total_usd) }))), spent);
	const months = await spentByMonth(books, owner);
	for (const { month, total_usd } of items) equal(toMicros(total_usd), months.get(month));
	deepEqual(await list(owner), { items });
	return items.map(({ number }) => number);
}

t.test("invoices of a year with refunds add up with the ledger to the micro-dollar", async (t) => {
	const property = fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
		const books = await openBooks();
		const { store, clock } = books;
		await open(books);
		await play(books, events);
		clock.set(START_MS + 400 * DAY_MS);
		const numbers: string[] = [];
		for (const owner of ACCOUNTS) numbers.push(...(await assertInvoiced(books, owner)));
		const rows = await store.read((reader) => reader.list("invoices"));
		for (const row of rows) assertAddsUp(row);
		const wanted = rows.map((_, index) => `INV-${String(index + 1).padStart(6, "0")}`);
		deepEqual(numbers.sort(), wanted, "no number is left out");
	});
	await t.resolves(fc.assert(property, { numRuns: 60 }));
});

function toMicros(usd: string): bigint {
	return usd.startsWith("-") ? -parseUsd(usd.slice(1)) : parseUsd(usd);
}

t.test(
	"VAT within an amount is rounded to the nearest micro-dollar, both ways alike",
	async (t) => {
		fc.assert(
			fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.nat(9_999), (gross, basisPoints) => {
				const vat = vatIn(gross, basisPoints);
				const exact = (Number(gross) * basisPoints) / (10_000 + basisPoints);
				const near = Math.abs(Number(vat) - exact) <= 0.5 + exact * 1e-12;
				return near && vatIn(-gross, basisPoints) === -vat;
			}),
		);
		t.equal(vatIn(11_900_000n, 1_900), 1_900_000n);
	},
);
