import type { CostWire } from "../src/contract/contract.js";
import { formatUsd, type Micros, siblingId } from "../src/kernel/kernel.js";
import type { HoldRow, ReceiptRow, StoreTransaction } from "../store/store.js";
import type { Captured } from "./payment-method.js";

/** The receipt of a captured hold; its id is the hold's under another prefix, so a hold has exactly one. */
export function toReceipt(
	hold: HoldRow,
	captured: Captured,
	{
		fingerprint,
		at,
		graphIds = [],
		paidUnits,
	}: {
		readonly fingerprint: string;
		readonly at: number;
		/** The graphs it was about; none for a call over all of them. */
		readonly graphIds?: readonly string[];
		/** Places of the units that were paid for; all of them where absent. */
		readonly paidUnits?: readonly number[] | undefined;
	},
): ReceiptRow {
	return {
		id: siblingId(hold.id, "rcpt"),
		holdId: hold.id,
		transactionId: captured.transactionId,
		owner: hold.owner,
		rail: hold.rail,
		operationId: hold.operationId,
		billingType: hold.billingType,
		amountMicros: captured.paidMicros,
		balanceAfterMicros: captured.balanceAfterMicros,
		fingerprint,
		at,
		...(graphIds.length > 0 && { graphIds }),
		...(hold.keyId !== undefined && { keyId: hold.keyId }),
		...(paidUnits && { paidUnits }),
	};
}

/** Lets the retry key of a call answer with its receipt from now on. */
export async function finishAttempt(
	tx: StoreTransaction,
	id: string | undefined,
	receiptId: string,
): Promise<void> {
	if (id === undefined) return;
	const row = await tx.get("idempotency", id);
	if (row) await tx.put("idempotency", { ...row, state: "done", receiptId });
}

/** What a delivered call cost, for `meta.cost` and the receipt headers. */
export function costOf(receipt: ReceiptRow, options: { replayed?: boolean } = {}): CostWire {
	return {
		amount_usd: formatUsd(receipt.amountMicros),
		billing_type: receipt.billingType,
		rail: receipt.rail,
		balance_after_usd: formatUsd(receipt.balanceAfterMicros),
		receipt_id: receipt.id,
		charged: receipt.amountMicros > 0n,
		...(options.replayed && { replayed: true }),
	};
}

/** The cost of a call that was not charged: no answer, or an operation priced at zero. */
export function noCost(input: {
	billingType: string;
	rail: string;
	balanceMicros: Micros | undefined;
}): CostWire {
	return {
		amount_usd: formatUsd(0n),
		billing_type: input.billingType,
		rail: input.rail,
		balance_after_usd: input.balanceMicros === undefined ? null : formatUsd(input.balanceMicros),
		receipt_id: null,
		charged: false,
	};
}
