import { LIMITS, type ReleaseReason } from "../../src/contract/contract.js";
import { type Micros, siblingId } from "../../src/kernel/kernel.js";
import type { HoldRow, PaymentRow, ReceiptRow, StoreTransaction } from "../../store/store.js";
import { type Credit, custAccount } from "../payments.js";
import type { SptIssuer } from "../spt/spt.js";
import type { OnchainContext } from "./onchain-context.js";
import type { PaymentClaim } from "./payment-claim.js";
import { type Along, bookCapture, type PaidRequest, writeReceipt } from "./settlement-book.js";

/** What settled money may become, each in the transaction that says so on the payment's row. */

/** A hold on settled money, so that only this call, or the job it launches, can use it. */
export function openHold(
	{ ledger, clock }: OnchainContext,
	claim: PaymentClaim,
	{ isProven }: { isProven: boolean },
): Along<HoldRow> {
	return async (tx, { row }) => {
		const { quote, graphIds, fingerprint, job } = claim.request;
		const idempotencyId = job && claim.idempotencyId;
		const hold = await ledger.authorize(tx, {
			from: custAccount(row.owner),
			owner: row.owner,
			rail: row.rail,
			amountMicros: row.amountMicros,
			operationId: row.operationId,
			billingType: quote.billingType,
			idempotencyId,
			graphIds,
			paymentId: row.id,
			...(job && { jobId: job.id }),
		});
		if (!job) return { value: hold, change: { holdId: hold.id } };
		if (idempotencyId !== undefined) {
			const now = clock.now();
			await tx.put("idempotency", {
				id: idempotencyId,
				fingerprint,
				state: "in_flight",
				holdId: hold.id,
				receiptId: undefined,
				jobId: job.id,
				createdAt: now,
				expiresAt: now + LIMITS.idempotencyTtlMs,
			});
		}
		await job.open(tx, { hold, quote, fingerprint, graphIds, isProven });
		return { value: hold, change: { holdId: hold.id, jobId: job.id } };
	};
}

export function captureAtOnce(
	{ clock, ids }: OnchainContext,
	claim: PaymentClaim,
): Along<ReceiptRow> {
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
	{ ledger, clock }: OnchainContext,
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

/** A part of what a job holds, and a token of the wallet's with the rest; the whole where no part is named. */
export function captureJob(
	{ ledger, issueCredit, clock }: Pick<OnchainContext, "ledger" | "issueCredit" | "clock">,
	paid: PaidRequest,
	{ hold, amountMicros }: { hold: HoldRow; amountMicros: Micros },
): Along<{ readonly receipt: ReceiptRow; readonly credit: Credit | undefined }> {
	return async (tx, booked) => {
		const transactionId = await ledger.capture(tx, hold, amountMicros);
		const receipt = await writeReceipt(tx, paid, {
			booked,
			id: siblingId(hold.id, "rcpt"),
			holdId: hold.id,
			transactionId,
			now: clock.now(),
			amountMicros,
		});
		const restMicros = hold.amountMicros - amountMicros;
		const change = { state: "captured", receiptId: receipt.id } as const;
		if (restMicros === 0n) return { value: { receipt, credit: undefined }, change };
		const credit = await issueTo(issueCredit, tx, { row: booked.row, amountMicros: restMicros });
		return { value: { receipt, credit }, change: { ...change, tokenId: credit.id } };
	};
}

export function creditHeld(
	{ ledger, issueCredit }: Pick<OnchainContext, "ledger" | "issueCredit">,
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
		const credit = await issueTo(issueCredit, tx, { row, amountMicros: row.amountMicros });
		return { value: credit, change: { state: "credited", tokenId: credit.id } };
	};
}

async function issueTo(
	issueCredit: SptIssuer["issueFrom"],
	tx: StoreTransaction,
	{ row, amountMicros }: { row: PaymentRow; amountMicros: Micros },
): Promise<Credit> {
	const { owner } = row;
	const label = `credit for ${row.id}`;
	const terms = { amountMicros, owner, origin: "credit", label } as const;
	const { id, token } = await issueCredit(tx, custAccount(owner), terms);
	return { id, token, amountMicros };
}
