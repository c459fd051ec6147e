import type { Hex } from "../../payments/onchain/facilitator.js";
import type { ReceiptRow } from "../../store/rows/call-rows.js";
import type { PaymentRow } from "../../store/rows/payment-rows.js";
import type { Store } from "../../store/store-port.js";
import { SIM_TERMS } from "../support/sim-chain.js";
import type { Attempt, Book } from "./book.js";
import { BrokenPromise } from "./broken-promise.js";
import type { Outside } from "./outside.js";
import type { Signed } from "./wallet.js";

/** What became of the payments, by kind of facilitator: for the report. */
export type PaymentCounts = Map<string, number>;

/**
 * At the end, when no signature is valid any more: what settled on the chain is captured or credited here, what did not
 * is neither, and the cash on the books is the cash on the chain.
 */
export async function judgePayments(
	store: Store,
	{ book, outside, receipts }: { book: Book; outside: Outside; receipts: readonly ReceiptRow[] },
): Promise<PaymentCounts> {
	const rows = await store.read((reader) => reader.list("payments"));
	const counts: PaymentCounts = new Map();
	for (const signed of book.signatures.values()) {
		const row = rows.find(({ nonce }) => nonce === signed.authorization.nonce);
		const end = judgeSignature(signed, { row, outside, receipts });
		const name = `${outside.kind}${outside.isChainReadable ? "" : " (no chain)"}: ${end}`;
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	judgeDeliveries(book);
	judgeDeals(book, rows);
	await judgeWallets(store, book, rows);
	await judgeCash(store, outside, rows);
	return counts;
}

/** Of a wallet's money only what settled and bought nothing yet lies with us. */
export async function judgeWallets(
	store: Store,
	{ purses }: Book,
	rows: readonly PaymentRow[],
): Promise<void> {
	for (const { owner } of purses.filter(({ rail }) => rail === "x402")) {
		const waiting = rows.filter((row) => row.owner === owner && row.state === "settled");
		const due = waiting.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
		const balance = await store.read((reader) => reader.balance(`cust:${owner}`));
		if (balance !== due) throw new BrokenPromise(`${owner} has ${balance} here, not ${due}.`);
	}
}

interface Facts {
	readonly row: PaymentRow | undefined;
	readonly outside: Outside;
	readonly receipts: readonly ReceiptRow[];
}

function judgeSignature({ authorization }: Signed, { row, outside, receipts }: Facts): string {
	const { from, nonce, value } = authorization;
	const complain = (what: string) =>
		new BrokenPromise(`The payment ${row?.id ?? nonce} (${row?.state ?? "no row"}) ${what}`);
	const own = receipts.filter(({ settlement }) => row && settlement?.paymentId === row.id);
	const due = row?.state === "captured" ? 1 : 0;
	if (own.length !== due) throw complain(`has ${own.length} receipts.`);
	if (own.some(({ amountMicros }) => amountMicros !== value))
		throw complain("was charged wrongly.");
	// What was never sent is forgotten in the end.
	const state = row?.state ?? "released";
	if (state === "unknown" && !outside.isChainReadable) return state;
	const isSettled = outside.chain.timesSettled(from, nonce) > 0;
	const ends = isSettled ? ["captured", "credited"] : ["released"];
	if (ends.includes(state)) return state;
	throw complain(isSettled ? "settled and bought nothing." : "is not at an end, or never settled.");
}

/** Anyone who was given a token has the money on it. */
function judgeDeals({ deals }: Book, rows: readonly PaymentRow[]): void {
	for (const { signed, tokenId } of deals) {
		const row = rows.find(({ nonce }) => nonce === signed.authorization.nonce);
		// A payment before it with the same key may have been the one that bought.
		if (tokenId === undefined || (row?.state === "captured" && row.tokenId === tokenId)) continue;
		throw new BrokenPromise(`The purchase of ${tokenId} is ${row?.state ?? "not there"}.`);
	}
}

/** One signature buys one order, anyone else who shows it. */
function judgeDeliveries({ orders }: Book): void {
	const boughtBy = new Map<string, string>();
	for (const { query, attempts } of orders) {
		for (const nonce of spentOn(attempts)) {
			const other = boughtBy.get(nonce) ?? query;
			if (other !== query) throw new BrokenPromise(`${nonce} bought "${other}" and "${query}".`);
			boughtBy.set(nonce, query);
		}
	}
}

/** A retry key answers with what an earlier signature bought, so replays say nothing of theirs. */
function spentOn(attempts: readonly Attempt[]): readonly string[] {
	return attempts.flatMap(({ reply, signed }) =>
		signed && reply.kind === "delivered" && !reply.isReplay ? [signed.authorization.nonce] : [],
	);
}

/** Money that a silent facilitator took and no one can prove is the only difference allowed. */
async function judgeCash(
	store: Store,
	{ chain, isChainReadable }: Outside,
	rows: readonly PaymentRow[],
): Promise<void> {
	const account = `cash:x402:${SIM_TERMS.network}`;
	const booked = -(await store.read((reader) => reader.balance(account)));
	const received = await chain.balanceOf(SIM_TERMS, SIM_TERMS.payTo);
	const isUnproved = ({ state, payer, nonce }: PaymentRow) =>
		state === "unknown" && chain.timesSettled(payer as Hex, nonce as Hex) > 0;
	const unproved = isChainReadable ? [] : rows.filter(isUnproved);
	const open = unproved.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
	if (booked + open === received) return;
	throw new BrokenPromise(`The books tell of ${booked} received, the chain of ${received}.`);
}
