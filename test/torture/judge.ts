import type { InvariantGuard } from "../../payments/audit/invariants.js";
import type { ReceiptRow } from "../../store/rows/call-rows.js";
import type { Store } from "../../store/store-port.js";
import type { Book, Order } from "./book.js";
import { BrokenPromise } from "./broken-promise.js";
import type { House } from "./house.js";
import { judgePayments, type PaymentCounts } from "./judge-payments.js";
import type { Outside } from "./outside.js";

/** Right after a start: what anybody holds a receipt for is there, and no hold is open. */
export async function judgeStart({ store }: Pick<House, "store">, book: Book): Promise<void> {
	const receipts = await receiptsOf(store);
	for (const id of book.acknowledged()) {
		if (!receipts.has(id)) throw new BrokenPromise(`The acknowledged payment ${id} is lost.`);
	}
	const holds = await store.read((reader) => reader.list("holds"));
	if (holds.length > 0) throw new BrokenPromise(`${holds.length} holds outlived the start.`);
}

/** At the end, when everything is decided: each order, each purse, each signature and the whole ledger. */
export async function judgeEnd(
	house: House,
	{ book, outside }: { book: Book; outside: Outside },
): Promise<PaymentCounts> {
	await judgeStart(house, book);
	const { store, money } = house;
	const receipts = await judgeBooks({ store, guard: money.guard }, book);
	return judgePayments(store, { book, outside, receipts });
}

/** Receipts, orders and purses fit each other, and the invariants hold; returns every receipt. */
export async function judgeBooks(
	{ store, guard }: { store: Store; guard: InvariantGuard },
	book: Book,
): Promise<readonly ReceiptRow[]> {
	await judgeInvariants(guard);
	const receipts = [...(await receiptsOf(store)).values()];
	const ofOrder = new Map<string, ReceiptRow[]>();
	for (const { fingerprint } of book.orders) ofOrder.set(fingerprint, []);
	const deals = new Set(book.deals.map(({ fingerprint }) => fingerprint));
	for (const receipt of receipts) {
		if (receipt.billingType === PREPAID && deals.has(receipt.fingerprint)) continue;
		const own = ofOrder.get(receipt.fingerprint);
		if (!own) throw new BrokenPromise(`${receipt.id} is for nothing anybody ordered.`);
		own.push(receipt);
	}
	for (const order of book.orders) judgeOrder(order, ofOrder.get(order.fingerprint) ?? []);
	await judgePurses(store, book, receipts);
	await judgeQuotas(store, book, receipts);
	return receipts;
}

/** Balance that was bought; what it buys is charged by other receipts. */
const PREPAID = "prepaid";

/** What was credited or bought, and neither spent nor refunded, is there. */
async function judgePurses(
	store: Store,
	{ purses, refunded }: Book,
	receipts: readonly ReceiptRow[],
): Promise<void> {
	const [payments, refunds] = await store.read((reader) =>
		Promise.all([reader.list("payments"), reader.list("refunds")]),
	);
	const charged = receipts.filter(({ billingType }) => billingType !== PREPAID);
	const bought = payments.filter(({ state }) => state === "captured");
	for (const { owner, rail, creditedMicros } of purses) {
		const own = refunds.filter(({ ref }) => ref === owner);
		if (refunded.has(owner) && own.length === 0) {
			throw new BrokenPromise(`The refund of ${owner} is lost.`);
		}
		if (rail === "x402") continue;
		const due =
			creditedMicros +
			total(bought.filter(({ tokenId }) => tokenId === owner)) -
			total(charged.filter((receipt) => receipt.owner === owner)) -
			total(own);
		const balance = await store.read((reader) => reader.balance(`cust:${owner}`));
		if (balance !== due) throw new BrokenPromise(`${owner} has ${balance} left, not ${due}.`);
	}
}

function total(rows: readonly { readonly amountMicros: bigint }[]): bigint {
	return rows.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
}

/** A delivery has its receipt, a receipt its delivery or at least an attempt no one heard of again. */
function judgeOrder(order: Order, receipts: readonly ReceiptRow[]): void {
	const { attempts, purse, idempotencyKey } = order;
	const bought = judgeDeliveries(order, new Set(receipts.map(({ id }) => id)));
	const unheard = attempts.filter(({ reply }) => reply.kind === "unknown").length;
	const isEverBought = bought.size > 0 || unheard > 0;
	const once = isEverBought ? 1 : 0;
	const allowed = idempotencyKey === undefined ? bought.size + unheard : once;
	if (receipts.length > allowed) {
		throw complaint(order, `was charged ${receipts.length} times; ${allowed} are due at most.`);
	}
	if (receipts.some(({ owner }) => owner !== purse.owner)) {
		throw complaint(order, "was charged to somebody else.");
	}
}

/** The receipts its deliveries came with; one receipt buys one delivery, replays aside. */
function judgeDeliveries(order: Order, receiptIds: ReadonlySet<string>): ReadonlySet<string> {
	const bought = new Set<string>();
	for (const { reply } of order.attempts) {
		if (reply.kind !== "delivered") continue;
		const { receiptId, isReplay } = reply;
		if (receiptId === null) throw complaint(order, "was delivered free.");
		if (!receiptIds.has(receiptId)) throw complaint(order, `was delivered on ${receiptId}.`);
		if (!isReplay && bought.has(receiptId)) throw complaint(order, "was delivered twice.");
		bought.add(receiptId);
	}
	return bought;
}

function complaint({ query, purse }: Order, what: string): BrokenPromise {
	return new BrokenPromise(`"${query}" of ${purse.owner} ${what}`);
}

/** Free calls are counted once for each receipt, in the counters of day and month. */
async function judgeQuotas(
	store: Store,
	{ purses }: Book,
	receipts: readonly ReceiptRow[],
): Promise<void> {
	const quotas = await store.read((reader) => reader.list("quotas"));
	for (const { owner } of purses.filter(({ rail }) => rail === "plan")) {
		const free = receipts.filter((row) => row.owner === owner && row.amountMicros === 0n).length;
		const months = quotas.filter(
			({ id }) => /\|\d{4}-\d{2}$/.test(id) && id.startsWith(`${owner}|`),
		);
		const used = months.reduce((sum, row) => sum + row.used, 0);
		if (used !== free) throw new BrokenPromise(`${owner} used ${free} free calls, ${used} count.`);
	}
}

async function judgeInvariants(guard: InvariantGuard): Promise<void> {
	const { failures } = await guard.check({ full: true });
	if (failures.length > 0) throw new BrokenPromise(failures.join(" "));
}

/** Receipts as the journal states them, each with the one capture, or the one settlement, it belongs to. */
async function receiptsOf(store: Store): Promise<ReadonlyMap<string, ReceiptRow>> {
	const found = new Map<string, ReceiptRow>();
	const settled = new Set<string>();
	for await (const { postings, receipts } of store.history()) {
		for (const { id, kind } of postings) if (kind === "settle") settled.add(id);
		const captured = postings.filter(({ kind }) => kind === "capture").map(({ id }) => id);
		const bought = receipts.filter(({ billingType }) => billingType === PREPAID);
		const charged = receipts.filter(({ billingType }) => billingType !== PREPAID);
		// Balance may be bought with money that settled before.
		assertAll(bought, ({ transactionId }) => settled.has(transactionId));
		assertAll(charged, ({ transactionId }) => captured.includes(transactionId));
		if (captured.length !== charged.length) {
			throw new BrokenPromise(`${captured.length} captures have ${charged.length} receipts.`);
		}
		assertAll(receipts, ({ id }) => !found.has(id));
		for (const receipt of receipts) found.set(receipt.id, receipt);
	}
	return found;
}

function assertAll(receipts: readonly ReceiptRow[], isRight: (row: ReceiptRow) => boolean): void {
	const wrong = receipts.find((receipt) => !isRight(receipt));
	if (wrong) throw new BrokenPromise(`${wrong.id} has no posting of its own, or is there twice.`);
}
