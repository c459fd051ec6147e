import { siblingId } from "../../src/core/ids.js";
import type { HoldRow, ReceiptRow } from "../../store/store.js";
import type { Credit } from "../admission.js";
import { custAccount, type ReleaseReason } from "../ledger.js";
import type { SptIssuer } from "../spt/spt-issuer.js";
import type { Desk } from "./desk.js";
import type { PaymentClaim } from "./payment-claim.js";
import { type Along, bookCapture, writeReceipt } from "./settlement-book.js";

/** What settled money may become, each in the transaction that says so on the payment's row. */

/** A hold on settled money, so that only this call can use it. */
export function openHold({ ledger }: Desk, claim: PaymentClaim): Along<HoldRow> {
	return async (tx, { row }) => {
		const { quote, graphIds } = claim.request;
		const hold = await ledger.authorise(tx, {
			from: custAccount(row.owner),
			owner: row.owner,
			rail: row.rail,
			amountMicros: row.amountMicros,
			operationId: row.operationId,
			billingType: quote.billingType,
			idempotencyId: undefined,
			graphIds,
			paymentId: row.id,
		});
		return { value: hold, change: { holdId: hold.id } };
	};
}

export function captureAtOnce({ clock, ids }: Desk, claim: PaymentClaim): Along<ReceiptRow> {
	return async (tx, booked) => {
		const now = clock.now();
		const id = ids.next("rcpt");
		const transactionId = await bookCapture(tx, booked, { receiptId: id, ids, now });
		const facts = { booked, id, holdId: booked.row.id, transactionId, now };
		const receipt = await writeReceipt(tx, claim, facts);
		return { value: receipt, change: { state: "captured", receiptId: id } };
	};
}

export function captureHeld(
	{ ledger, clock }: Desk,
	claim: PaymentClaim,
	hold: HoldRow,
): Along<ReceiptRow> {
	return async (tx, booked) => {
		const transactionId = await ledger.capture(tx, hold, hold.amountMicros);
		const facts = {
			booked,
			id: siblingId(hold.id, "rcpt"),
			holdId: hold.id,
			transactionId,
			now: clock.now(),
		};
		const receipt = await writeReceipt(tx, claim, facts);
		return { value: receipt, change: { state: "captured", receiptId: receipt.id } };
	};
}

export function creditHeld(
	{ ledger, issueCredit }: Desk,
	{ hold, reason }: { hold: HoldRow; reason: ReleaseReason },
): Along<Credit> {
	return async (tx, booked) => {
		await ledger.release(tx, hold, reason);
		const credit = await creditSettled(issueCredit)(tx, booked);
		return { ...credit, change: { ...credit.change, reason } };
	};
}

/** Settled money that bought nothing becomes a token of the wallet that paid it. */
export function creditSettled(issueCredit: SptIssuer["issueFrom"]): Along<Credit> {
	return async (tx, { row }) => {
		const { owner, amountMicros } = row;
		const { id, token } = await issueCredit(tx, custAccount(owner), {
			amountMicros,
			owner,
			origin: "credit",
			label: `credit for ${row.id}`,
		});
		return {
			value: { id, token, amountMicros },
			change: { state: "credited", tokenId: id },
		};
	};
}
