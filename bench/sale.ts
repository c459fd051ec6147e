/** The transaction that the store bench repeats: a posting with its key and balance check, and its receipt. */
import { systemClock } from "../src/kernel/clock.js";
import type { Ids } from "../src/kernel/ids.js";
import type { StoreTransaction } from "../store/store.js";

const OWNER = "tok_bench";
const SALE_ACCOUNT = `cust:${OWNER}`;
const ENDOWMENT_MICROS = 1_000_000_000_000_000n;
const SALE_MICROS = 500_000n;
export type Sale = ReturnType<typeof saleOf>;

export function saleOf(ids: Ids) {
	const [id, transactionId, at] = [ids.next("rcpt"), ids.next("txn"), systemClock.now()];
	return {
		receipt: {
			id,
			holdId: id.replace("rcpt", "hold"),
			transactionId,
			owner: OWNER,
			rail: "spt",
			operationId: "graphs.search",
			billingType: "per_call",
			amountMicros: SALE_MICROS,
			balanceAfterMicros: 1_000_000n,
			fingerprint: "x".repeat(43),
			at,
		},
		posting: {
			id: transactionId,
			key: `capture:${id}`,
			kind: "capture" as const,
			at,
			entries: [
				{ account: SALE_ACCOUNT, amountMicros: -SALE_MICROS },
				{ account: "rev:per_call", amountMicros: SALE_MICROS },
			],
			ref: id,
		},
	};
}

/** What the customer pays the sales from. */
export function endowmentOf(ids: Ids) {
	return {
		id: ids.next("txn"),
		key: "endow",
		kind: "credit" as const,
		at: systemClock.now(),
		entries: [
			{ account: "cash:manual", amountMicros: -ENDOWMENT_MICROS },
			{ account: SALE_ACCOUNT, amountMicros: ENDOWMENT_MICROS },
		],
		ref: OWNER,
	};
}

export async function sell(tx: StoreTransaction, ids: Ids): Promise<void> {
	const { receipt, posting } = saleOf(ids);
	await tx.put("receipts", receipt);
	await tx.post(posting);
}

/** As long as the journal's frame of one sale. */
export function sampleFrame(ids: Ids): string {
	const { receipt, posting } = saleOf(ids);
	const text = JSON.stringify([receipt, posting], (_key, value: unknown) =>
		typeof value === "bigint" ? value.toString() : value,
	);
	return `${"header".padEnd(44)}{"at":${systemClock.now()},"tx":[${text}]}`;
}
