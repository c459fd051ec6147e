import { LIMITS } from "../../src/contract/contract.js";
import type { Clock, Ids, Micros } from "../../src/kernel/kernel.js";
import type { RefundRow, StoreTransaction } from "../../store/store.js";

export interface Addition {
	/** Token and destination it goes back for and to. */
	readonly ref: string;
	readonly destination?: string | undefined;
	/** Ledger account the money lies in now. */
	readonly from: string;
	/** Ledger account of money that is on its way back. */
	readonly to: string;
	readonly amountMicros: Micros;
}

/**
 * Adds a small sum to a small refund of the same token that nobody has begun to pay, so that splitting a balance makes
 * no more rows than it has dollars. Undefined where there is none. A larger refund stays as its operator has seen it.
 */
export async function raiseSmallRefund(
	tx: StoreTransaction,
	{ ref, destination, from, to, amountMicros }: Addition,
	{ clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): Promise<RefundRow | undefined> {
	if (!isSmall(amountMicros)) return undefined;
	const rows = await tx.findBy("refunds", "ref", ref);
	const row = rows.find(
		(one) =>
			one.state === "pending" && one.destination === destination && isSmall(one.amountMicros),
	);
	if (!row) return undefined;
	await tx.post({
		id: ids.next("txn"),
		kind: "refund",
		at: clock.now(),
		entries: [
			{ account: from, amountMicros: -amountMicros },
			{ account: to, amountMicros },
		],
		ref,
	});
	const raised = { ...row, amountMicros: row.amountMicros + amountMicros };
	await tx.put("refunds", raised);
	return raised;
}

function isSmall(amountMicros: Micros): boolean {
	return amountMicros < LIMITS.sptMinMicros;
}
