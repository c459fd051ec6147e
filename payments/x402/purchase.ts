import type { SettlementWire } from "../../src/core/call.js";
import type { Clock } from "../../src/core/clock.js";
import type { Ids } from "../../src/core/ids.js";
import type { ReceiptRow, StoreTransaction } from "../../store/store.js";
import type { SettledFunds } from "../admission.js";
import { custAccount } from "../ledger.js";
import type { PaymentClaim } from "./payment-claim.js";
import { type Along, writeReceipt } from "./settlement-book.js";

export interface Bought<T> {
	readonly value: T;
	readonly settlement: SettlementWire;
	readonly receipt: ReceiptRow;
}

/** What is bought with settled money, booked with it or not at all; its receipt names the posting that brought the money. */
export function bookPurchase<T>(
	{ clock, ids }: { clock: Clock; ids: Ids },
	claim: PaymentClaim,
	alongside: (
		tx: StoreTransaction,
		funds: SettledFunds,
	) => Promise<{ readonly value: T; readonly tokenId: string }>,
): Along<Bought<T>> {
	return async (tx, booked) => {
		const { row, settlement, settlementId } = booked;
		const { value, tokenId } = await alongside(tx, {
			account: custAccount(row.owner),
			owner: row.owner,
			amountMicros: row.amountMicros,
			paymentId: row.id,
			settlement,
		});
		const receipt = await writeReceipt(tx, claim, {
			booked,
			id: ids.next("rcpt"),
			holdId: row.id,
			transactionId: settlementId,
			now: clock.now(),
		});
		return {
			value: { value, settlement, receipt },
			change: { state: "captured", receiptId: receipt.id, tokenId, isDelivered: true },
		};
	};
}
