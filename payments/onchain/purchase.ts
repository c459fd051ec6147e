import type { PurchaseOperationId, SettlementWire } from "../../src/contract/contract.js";
import type { Clock, Ids } from "../../src/kernel/kernel.js";
import type { PaymentRow, ReceiptRow, StoreTransaction } from "../../store/store.js";
import { custAccount } from "../payments.js";
import { receiptHeaders, usedWithReceipt } from "./delivery.js";
import { insist, letGo } from "./held-payment.js";
import type { OnchainContext, Purchased, SettledFunds } from "./onchain-context.js";
import type { PaymentClaim } from "./payment-claim.js";
import { creditedPayment, usedPayment } from "./payment-errors.js";
import type { Reservation } from "./reservation.js";
import { creditSettled } from "./settled-money.js";
import { type Along, writeReceipt } from "./settlement-book.js";
import { verify } from "./verification.js";

type Alongside<T> = (
	tx: StoreTransaction,
	funds: SettledFunds,
) => Promise<{ readonly value: T; readonly tokenId: string }>;

/** Brings no secret, and whoever asks for it has shown the secret of the token it fills. */
const TOP_UP = "spt.top_up" satisfies PurchaseOperationId;

/** Settles at once and books what is bought in the same transaction. */
export async function purchase<T>(
	context: OnchainContext,
	claim: PaymentClaim,
	{ reservation, alongside }: { reservation: Reservation; alongside: Alongside<T> },
): Promise<Purchased<T>> {
	const { settler, watch } = context;
	const along = bookPurchase(context, claim, alongside);
	if (reservation.kind === "job") throw new Error(`The payment ${claim.id} launched a job.`);
	if (reservation.kind === "captured") throw boughtToken(context, claim, reservation.row.tokenId);
	const isSecret = claim.request.quote.operationId !== TOP_UP;
	if (isSecret && !reservation.isProven) throw await withoutSecret(context, claim, reservation);
	if (reservation.kind === "fresh") {
		await verify(context, claim);
		const { earlier } = reservation;
		if (earlier) await letGo(context, claim, "paid_before");
		if (earlier?.kind === "receipt") throw await usedWithReceipt(context, claim, earlier.receiptId);
	}
	const fundedId = fundedIdOf(reservation);
	const bought = fundedId
		? (await settler.spend(fundedId, along)).value
		: await insist(context, claim, settler.settle(claim.id, along));
	watch.end(claim.id);
	if (fundedId) watch.end(fundedId);
	const { value, settlement, receipt } = bought;
	const { amountMicros, at } = receipt;
	return {
		value,
		payer: claim.payer,
		settlement,
		receiptId: receipt.id,
		headers: receiptHeaders(claim, { settlement, amountMicros, at }),
	};
}

function fundedIdOf(reservation: Reservation): string | undefined {
	if (reservation.kind === "funded") return reservation.row.id;
	if (reservation.kind === "fresh" && reservation.earlier?.kind === "funded")
		return reservation.earlier.row.id;
	return undefined;
}

/**
 * The payment was sent before and is public by now: a new token goes to a caller with its retry key alone. What is here
 * becomes a token of the wallet's whose secret nobody is told; a new payment proves the wallet and collects it.
 */
async function withoutSecret(
	{ settler, issueCredit, offers: offersOf }: OnchainContext,
	claim: PaymentClaim,
	{ kind, row }: { kind: "fresh" | "funded"; row: PaymentRow },
) {
	const offers = offersOf(claim.request.quote);
	if (kind === "fresh") {
		return usedPayment(claim, { boughtAs: "was sent before, and refused", offers });
	}
	const { row: credited } = await settler.spend(row.id, creditSettled(issueCredit));
	return creditedPayment(claim, { tokenId: credited.tokenId, offers });
}

function boughtToken({ offers }: OnchainContext, claim: PaymentClaim, tokenId: string | undefined) {
	return usedPayment(claim, {
		boughtAs: `has bought balance for the token ${tokenId}; its secret was shown once, and POST /v1/spt with "recover": true collects what was never used`,
		offers: offers(claim.request.quote),
		body: { token_id: tokenId },
	});
}

interface Bought<T> {
	readonly value: T;
	readonly settlement: SettlementWire;
	readonly receipt: ReceiptRow;
}

/** What is bought with settled money, booked with it or not at all; its receipt names the posting that brought the money. */
function bookPurchase<T>(
	{ clock, ids }: { clock: Clock; ids: Ids },
	claim: PaymentClaim,
	alongside: Alongside<T>,
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
