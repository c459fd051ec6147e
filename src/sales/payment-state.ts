import type { PaymentRow, Store } from "../../store/store.js";
import type { Json } from "../contract/contract.js";
import { ServiceError, toIsoTime } from "../kernel/kernel.js";

/**
 * Where one payment on a chain stands. Its id can be computed from what settling makes public, so it reveals no more than
 * the chain does; the receipt of a call is named to anyone who knows the hash of the request that was paid for. Throws
 * NOT_FOUND.
 */
export function createPaymentState({ store }: { readonly store: Pick<Store, "read"> }) {
	return async (id: string, requestHash?: string): Promise<Json> => {
		const row = await store.read((reader) => reader.get("payments", id));
		if (row) return toWire(row, { isOwnRequest: isOwnRequest(row, requestHash) });
		throw new ServiceError(
			"NOT_FOUND",
			`No payment is called "${id.slice(0, 60)}"; ids of payments are told in replies and kept for a day.`,
		);
	};
}

/** An order of balance is little more than its amount, which the chain shows: knowing its hash proves nothing. */
function isOwnRequest({ billingType, fingerprint }: PaymentRow, requestHash: string | undefined) {
	return billingType !== "prepaid" && fingerprint === requestHash;
}

function toWire(row: PaymentRow, { isOwnRequest }: { isOwnRequest: boolean }): Json {
	return {
		payment_id: row.id,
		state: row.state,
		network: row.network,
		transaction: row.transactionHash ?? null,
		receipt_id: (isOwnRequest ? row.receiptId : undefined) ?? null,
		token_id: row.tokenId ?? null,
		reason: row.reason ?? null,
		updated_at: toIsoTime(row.updatedAt),
	};
}
