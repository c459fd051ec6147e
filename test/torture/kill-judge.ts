import type { ChainReader, SettlementTerms } from "../../payments/onchain/facilitator.js";
import type { ReceiptRow } from "../../store/rows/call-rows.js";
import type { PaymentRow } from "../../store/rows/payment-rows.js";
import type { Store } from "../../store/store-port.js";
import type { Book } from "./book.js";
import { BrokenPromise } from "./broken-promise.js";
import { judgeWallets } from "./judge-payments.js";
import type { Transfers } from "./kill-facilitator.js";
import type { Signed } from "./wallet.js";

/** States in which a payment whose money moved may be found, and those of one whose money did not. */
const SETTLED = ["captured", "credited", "settled", "unknown", "settling"];
const UNUSED = ["released", "reserved", "refused", "unknown", "settling"];
/** States at which what settled has come to its end. */
const DECIDED = ["captured", "credited"];

export interface ChainFacts {
	readonly chain: ChainReader;
	readonly terms: SettlementTerms;
	readonly book: Book;
	readonly receipts: readonly ReceiptRow[];
}

/** The chain knows what was settled; the books may be behind by what a crash left open, and never ahead. */
export async function judgeOnChain(store: Store, facts: ChainFacts): Promise<void> {
	const { chain, terms, book } = facts;
	const rows = await store.read((reader) => reader.list("payments"));
	const byNonce = new Map(rows.map((row) => [row.nonce, row]));
	let openMicros = 0n;
	for (const signed of book.signatures.values()) {
		openMicros += await judgeSignature(signed, byNonce.get(signed.authorization.nonce), facts);
	}
	await judgeWallets(store, book, rows);
	const booked = -(await store.read((reader) => reader.balance(`cash:x402:${terms.network}`)));
	const received = await chain.balanceOf(terms, terms.payTo);
	if (booked + openMicros === received) return;
	throw new BrokenPromise(`The books tell of ${booked} received, the chain of ${received}.`);
}

export interface DecisionFigures {
	readonly captured: number;
	readonly credited: number;
	/** From the chain to the books. */
	readonly longest_s: number;
}

interface DueTransfers {
	readonly transfers: Transfers;
	readonly receipts: readonly ReceiptRow[];
	readonly withinMs: number;
}

/** Every transfer is captured or credited, and was within this time of its being on the chain. */
export async function judgeTransfers(
	store: Store,
	{ transfers, receipts, withinMs }: DueTransfers,
): Promise<DecisionFigures> {
	const decidedAt = (row: PaymentRow) => {
		// Later changes of the row are about its delivery.
		const receipt = receipts.find(({ id }) => id === row.receiptId);
		return row.state === "captured" && receipt ? receipt.at : row.updatedAt;
	};
	const rows = await store.read((reader) => reader.list("payments"));
	const byNonce = new Map(rows.map((row) => [row.nonce, row]));
	const counts: Record<string, number> = { captured: 0, credited: 0 };
	let longestMs = 0;
	for (const [nonce, at] of transfers) {
		const row = byNonce.get(nonce);
		const state = row?.state ?? "not there";
		if (!row || !DECIDED.includes(state)) {
			throw new BrokenPromise(`The transfer of the payment ${row?.id ?? nonce} is ${state}.`);
		}
		counts[state] = (counts[state] ?? 0) + 1;
		const tookMs = decidedAt(row) - at;
		longestMs = Math.max(longestMs, tookMs);
		if (tookMs <= withinMs) continue;
		throw new BrokenPromise(`The payment ${row.id} was ${state} after ${tookMs} ms.`);
	}
	const { captured = 0, credited = 0 } = counts;
	return { captured, credited, longest_s: Math.round(longestMs / 1_000) };
}

/** Returns what has settled and is not booked yet. */
async function judgeSignature(
	{ authorization }: Signed,
	row: PaymentRow | undefined,
	{ chain, terms, receipts }: ChainFacts,
): Promise<bigint> {
	const state = row?.state ?? "released";
	const isSettled = (await chain.stateOf(terms, authorization)).kind === "settled";
	const name = `The payment ${row?.id} (${state})`;
	if (!(isSettled ? SETTLED : UNUSED).includes(state)) {
		throw new BrokenPromise(`${name} ${isSettled ? "settled" : "did not settle"}.`);
	}
	const own = receipts.filter(({ settlement }) => row && settlement?.paymentId === row.id);
	const due = state === "captured" ? 1 : 0;
	if (own.length !== due) throw new BrokenPromise(`${name} has ${own.length} receipts.`);
	const isOpen = state === "unknown" || state === "settling";
	return isSettled && isOpen ? authorization.value : 0n;
}
