import type { SettlementWire } from "../../src/core/call.js";
import type { PaymentRow, ReceiptRow } from "../../store/store.js";
import type { Charged, ReplayedAdmission } from "../admission.js";
import type { Desk } from "./desk.js";
import type { PaymentClaim } from "./payment-claim.js";
import { usedPayment } from "./payment-errors.js";
import { hasKeyOf } from "./reservation.js";
import { changePayment } from "./settlement-book.js";

/** What a payer gets for captured money: the answer once, its receipt always. */

/** Paid for and answered before: the same receipt, the work again at price zero. */
export async function replayOf(
	desk: Desk,
	claim: PaymentClaim,
	receiptId: string,
): Promise<ReplayedAdmission> {
	const receipt = await desk.store.read((reader) => reader.get("receipts", receiptId));
	if (!receipt) throw new Error(`The receipt ${receiptId} of an earlier call could not be read.`);
	desk.watch.linger(claim.id);
	const paymentId = receipt.settlement?.paymentId;
	return {
		kind: "replayed",
		payer: claim.payer,
		...toCharged(claim, receipt),
		delivered: () => markDelivered(desk, paymentId ?? claim.id, claim.id),
		abandoned: () => desk.watch.end(claim.id),
	};
}

/** The one answer that a copy without a retry key gets counts before the work begins, however it ends. */
async function countReplay({ store, clock }: Desk, id: string): Promise<void> {
	await store.transaction((tx) =>
		changePayment(tx, { id, from: ["captured"], now: clock.now() }, { isDelivered: true }),
	);
}

/** The whole answer left: from now on a copy of the payment buys nothing. */
export function markDelivered({ store, clock, watch }: Desk, id: string, claimId = id): void {
	const marked = store.transaction(
		(tx) => changePayment(tx, { id, from: ["captured"], now: clock.now() }, { isDelivered: true }),
		{ durability: "deferred" },
	);
	void marked.catch(() => undefined).finally(() => watch.end(claimId));
}

export function toCharged(claim: PaymentClaim, receipt: ReceiptRow): Charged {
	const { settlement: facts, amountMicros, at } = receipt;
	if (!facts) return { receipt };
	const settlement = {
		network: facts.network,
		transaction: facts.transactionHash,
		payer: facts.payer,
		payment_id: facts.paymentId,
	};
	return { receipt, settlement, headers: receiptHeaders(claim, { settlement, amountMicros, at }) };
}

export function receiptHeaders(
	{ envelope, request }: PaymentClaim,
	settled: { settlement: SettlementWire; amountMicros: bigint; at: number },
): Readonly<Record<string, string>> {
	return envelope.receiptHeaders(request.payment, { kind: "settled", ...settled });
}

/**
 * A payment's calldata is public once it settled, so a copy of it proves nothing: only the retry key that came with the
 * payment is answered again, or where there was none, once, an answer that never left.
 */
export async function replayOrRefuse(
	desk: Desk,
	claim: PaymentClaim,
	row: PaymentRow,
): Promise<ReplayedAdmission> {
	const receiptId = row.receiptId ?? "";
	if (!hasKeyOf(claim, row)) {
		const isOwed = row.idempotencyId === undefined && !row.isDelivered;
		if (!isOwed) throw await usedWithReceipt(desk, claim, receiptId);
		await countReplay(desk, claim.id);
	}
	return replayOf(desk, claim, receiptId);
}

export async function usedWithReceipt(desk: Desk, claim: PaymentClaim, receiptId: string) {
	const { store, offers } = desk;
	const receipt = await store.read((reader) => reader.get("receipts", receiptId));
	return usedPayment(claim, {
		boughtAs: `has bought its answer; the receipt is ${receiptId}`,
		offers: offers(claim.request.quote),
		body: { receipt_id: receiptId },
		transactionHash: receipt?.settlement?.transactionHash,
	});
}
