import type { ReleaseReason } from "../../src/contract/contract.js";
import { type Clock, type Micros, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import type { HoldRow, JobRow, PaymentRow, StoreTransaction } from "../../store/store.js";
import { type Along, captureJob, changePayment, creditHeld, toBooked } from "../onchain/onchain.js";
import {
	balanceOf,
	finishAttempt,
	type Ledger,
	type PaymentMethod,
	toReceipt,
} from "../payments.js";
import type { SptIssuer } from "../spt/spt.js";

/** What became of a job's price. */
export interface JobPaid {
	readonly chargedMicros: Micros;
	readonly receiptId?: string | undefined;
	/** What a payment on a chain was refunded as; its secret is not revealed yet. */
	readonly credit?: { readonly tokenId: string; readonly amountMicros: Micros } | undefined;
}

export type JobClaim = Pick<JobRow, "id" | "holdId" | "fingerprint" | "graphIds">;

export interface JobBillingDeps {
	readonly clock: Clock;
	readonly ledger: Ledger;
	readonly methods: readonly Pick<PaymentMethod, "balance">[];
	readonly spts: Pick<SptIssuer, "issueFrom" | "reissue">;
}

const NOTHING: JobPaid = { chargedMicros: 0n };

export type JobBilling = ReturnType<typeof createJobBilling>;

/** Closes a job's hold from the rows alone, inside the transaction that ends the job. */
export function createJobBilling(deps: JobBillingDeps) {
	return {
		/** Captures a part and releases the rest. Throws UNAVAILABLE when the hold is closed: nothing is taken. */
		async capture(tx: StoreTransaction, job: JobClaim, amountMicros: Micros): Promise<JobPaid> {
			if (job.holdId === undefined) return NOTHING;
			const hold = await findHold(tx, job);
			if (!hold) {
				throw unavailable(
					`What was held for the job ${job.id} went back to its owner; nothing was charged.`,
				);
			}
			if (amountMicros === 0n) return releaseHold(deps, tx, { hold, reason: "cancelled" });
			const take = hold.paymentId === undefined ? captureBalance : capturePayment;
			return take(deps, tx, { job, hold, amountMicros });
		},
		/** Releases all of it; does nothing when the hold is closed. */
		async release(tx: StoreTransaction, job: JobClaim, reason: ReleaseReason): Promise<JobPaid> {
			const hold = await findHold(tx, job);
			return hold ? releaseHold(deps, tx, { hold, reason }) : NOTHING;
		},
		/** A new secret for a credit that was never used; undefined for any other. */
		reveal: (tx: StoreTransaction, tokenId: string) => deps.spts.reissue(tx, tokenId),
	};
}

async function findHold(
	tx: StoreTransaction,
	{ id, holdId }: JobClaim,
): Promise<HoldRow | undefined> {
	const hold = holdId === undefined ? undefined : await tx.get("holds", holdId);
	return hold?.jobId === id ? hold : undefined;
}

interface Capture {
	readonly job: JobClaim;
	readonly hold: HoldRow;
	readonly amountMicros: Micros;
}

async function captureBalance(
	{ methods, clock }: JobBillingDeps,
	tx: StoreTransaction,
	{ job, hold, amountMicros }: Capture,
): Promise<JobPaid> {
	const captured = await balanceOf(methods, hold).capture(tx, hold, amountMicros);
	const { fingerprint, graphIds } = job;
	const receipt = toReceipt(hold, captured, { fingerprint, graphIds, at: clock.now() });
	await tx.put("receipts", receipt);
	await finishAttempt(tx, hold.idempotencyId, receipt.id);
	return { chargedMicros: receipt.amountMicros, receiptId: receipt.id };
}

async function capturePayment(
	{ ledger, clock, spts }: JobBillingDeps,
	tx: StoreTransaction,
	{ job, hold, amountMicros }: Capture,
): Promise<JobPaid> {
	const { fingerprint, graphIds } = job;
	const { idempotencyId } = hold;
	const paid = { request: { fingerprint, graphIds }, idempotencyId };
	const context = { ledger, clock, issueCredit: spts.issueFrom };
	const row = await settledRow(tx, hold);
	const along = captureJob(context, paid, { hold, amountMicros });
	const { receipt, credit } = await spend(tx, clock, { row, along });
	return {
		chargedMicros: receipt.amountMicros,
		receiptId: receipt.id,
		...(credit && { credit: { tokenId: credit.id, amountMicros: credit.amountMicros } }),
	};
}

async function releaseHold(
	{ ledger, clock, methods, spts }: JobBillingDeps,
	tx: StoreTransaction,
	{ hold, reason }: { hold: HoldRow; reason: ReleaseReason },
): Promise<JobPaid> {
	if (hold.paymentId === undefined) {
		await balanceOf(methods, hold).release(tx, hold, reason);
		return NOTHING;
	}
	const row = await settledRow(tx, hold);
	const along = creditHeld({ ledger, issueCredit: spts.issueFrom }, { hold, reason });
	const { id, amountMicros } = await spend(tx, clock, { row, along });
	return { ...NOTHING, credit: { tokenId: id, amountMicros } };
}

/** What happens to the money and what its payment says of it, in the one transaction. */
async function spend<T>(
	tx: StoreTransaction,
	clock: Clock,
	{ row, along }: { row: PaymentRow; along: Along<T> },
): Promise<T> {
	const { value, change } = await along(tx, toBooked(row));
	await changePayment(tx, { id: row.id, from: ["settled"], now: clock.now() }, change);
	return value;
}

async function settledRow(tx: StoreTransaction, { id, paymentId }: HoldRow): Promise<PaymentRow> {
	const row = paymentId === undefined ? undefined : await tx.get("payments", paymentId);
	if (row?.state === "settled" && row.holdId === id) return row;
	throw new ServiceError("INTERNAL", `The hold ${id} is on a payment that is not its own.`);
}
