import type { RefundRequests, RefundState } from "../../payments/refunds/refunds.js";
import type { ReceiptRow, Store, StoreReader } from "../../store/store.js";
import { requireManager } from "../accounts/accounts.js";
import { type Caller, createBoundedWork, LIMITS, type PageRequest } from "../contract/contract.js";
import { formatUsd, notFound, toIsoTime } from "../kernel/kernel.js";

/** What payers may read of what they paid, and ask back. */
export type PaymentRecords = ReturnType<typeof createPaymentRecords>;

interface RefundAsk {
	readonly receipt_id: string;
	readonly reason?: string | undefined;
	readonly idempotency_key?: string | undefined;
}

interface RecordServices {
	readonly store: Store;
	readonly refundRequests: RefundRequests;
}

export function createPaymentRecords({ store, refundRequests }: RecordServices) {
	const journalReads = createBoundedWork({
		running: LIMITS.journalReadsRunning,
		waiting: LIMITS.journalReadsWaiting,
	});
	return {
		/** Newest first. Throws RATE_LIMITED while too many such questions wait already, SCOPE_FORBIDDEN for a key that manages nothing. */
		async receipts(caller: Caller, { limit, cursor }: PageRequest, signal: AbortSignal) {
			if (caller.access) requireManager(caller.access);
			const since = await store.read((reader) => beginningOf(reader, caller.owner));
			const read = () => store.receipts(caller.owner, { limit, cursor, since });
			const { receipts, next = null } = await journalReads(read, signal);
			const items = await store.read((reader) =>
				Promise.all(receipts.map((row) => toReceiptItem(reader, row))),
			);
			return { items, next_cursor: next };
		},

		async askRefund(
			caller: Caller,
			{ receipt_id: receiptId, reason = "", idempotency_key: idempotencyKey }: RefundAsk,
		) {
			const asked = { receiptId, reason, idempotencyKey };
			return toRefundState(await refundRequests.ask(caller, asked));
		},

		refund: async (caller: Caller, id: string) =>
			toRefundState(await refundRequests.get(caller, id)),
	};
}

/** No receipt of theirs is older. Throws NOT_FOUND for one who keeps no balance here. */
async function beginningOf(reader: StoreReader, owner: string): Promise<number> {
	const row = (await reader.get("accounts", owner)) ?? (await reader.get("tokens", owner));
	if (row) return row.createdAt;
	throw notFound("No receipts are listed for this credential.");
}

async function toReceiptItem(reader: StoreReader, row: ReceiptRow) {
	const refunds = await reader.findBy("refunds", "ref", row.id);
	const refunded = refunds.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
	return {
		receipt_id: row.id,
		at: toIsoTime(row.at),
		operation: row.operationId,
		billing_type: row.billingType,
		rail: row.rail,
		request_hash: row.fingerprint,
		graph_ids: row.graphIds ?? [],
		key_id: row.keyId ?? null,
		amount_usd: formatUsd(row.amountMicros),
		refunded_usd: formatUsd(refunded),
		balance_after_usd: formatUsd(row.balanceAfterMicros),
	};
}

function toRefundState({ id, request, refund }: RefundState) {
	const { createdAt = 0 } = request ?? refund ?? {};
	const timeOf = (at: number | undefined) => (at === undefined ? null : toIsoTime(at));
	return {
		refund_id: id,
		receipt_id: request?.receiptId ?? (refund?.ref.startsWith("rcpt_") ? refund.ref : null),
		state: refund?.state ?? (request?.state === "declined" ? "declined" : "requested"),
		/** Null until it is granted. */
		amount_usd: refund ? formatUsd(refund.amountMicros) : null,
		destination: refund?.destination ?? null,
		transaction: refund?.transactionHash ?? null,
		created_at: toIsoTime(createdAt),
		decided_at: timeOf(request?.decidedAt ?? refund?.createdAt),
		paid_at: timeOf(refund?.paidAt),
	};
}
