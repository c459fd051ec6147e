import { type Clock, type Ids, ServiceError } from "../../src/kernel/kernel.js";
import type { RefundRow, Store, StoreReader, StoreTransaction } from "../../store/store.js";
import { REFUNDS_ACCOUNT } from "../payments.js";
import { networkOf } from "./refund-transfer.js";

/** How a paid refund is written down. */
export interface RefundBookDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Ledger account that refunds without a wallet are paid from. */
	readonly manualSource: string;
}

/** Money leaves `refunds`, once, and one transaction on the chain pays one refund. */
export function markPaid(
	{ store, clock, ids, manualSource }: RefundBookDeps,
	id: string,
	{ transactionHash }: { transactionHash: string | undefined },
): Promise<RefundRow> {
	return store.transaction(async (tx) => {
		const row = await getRefund(tx, id);
		// The reconciler may have been faster.
		if (isPaidBy(row, transactionHash)) return row;
		assertPayable(row, transactionHash);
		await assertUnused(tx, transactionHash);
		const network = networkOf(row.destination);
		const cash = network === undefined ? manualSource : `cash:x402:${network}`;
		const now = clock.now();
		await tx.post({
			id: ids.next("txn"),
			key: transactionHash ? `payout:${network ?? "manual"}:${transactionHash}` : `payout:${id}`,
			kind: "payout",
			at: now,
			entries: [
				{ account: REFUNDS_ACCOUNT, amountMicros: -row.amountMicros },
				{ account: cash, amountMicros: row.amountMicros },
			],
			ref: id,
		});
		const paid: RefundRow = { ...row, state: "paid", transactionHash, paidAt: now };
		await tx.put("refunds", paid);
		return paid;
	});
}

function isPaidBy(row: RefundRow, transactionHash: string | undefined): boolean {
	return (
		row.state === "paid" && transactionHash !== undefined && row.transactionHash === transactionHash
	);
}

function assertPayable(
	{ id, state, destination }: RefundRow,
	transactionHash: string | undefined,
): void {
	if (state === "paid") throw paidAlready(id);
	if (destination !== undefined && transactionHash === undefined) {
		throw new ServiceError("INVALID_ARGUMENT", `Say by which transaction ${id} was paid: --tx.`);
	}
}

async function assertUnused(tx: StoreTransaction, transactionHash: string | undefined) {
	if (transactionHash === undefined) return;
	const other = (await tx.list("refunds")).find(
		(row) => row.state === "paid" && row.transactionHash === transactionHash,
	);
	if (!other) return;
	throw new ServiceError("INVALID_ARGUMENT", `That transaction paid the refund ${other.id}.`);
}

export function paidAlready(id: string): ServiceError {
	return new ServiceError("INVALID_ARGUMENT", `The refund ${id} is paid already.`);
}

export async function getRefund(reader: StoreReader, id: string): Promise<RefundRow> {
	const row = await reader.get("refunds", id);
	if (row) return row;
	throw new ServiceError("NOT_FOUND", `No refund is called "${id}".`);
}
