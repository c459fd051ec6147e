import type { Clock } from "../../src/kernel/kernel.js";
import type {
	IdempotencyRow,
	PaymentRow,
	Store,
	StoreReader,
	StoreTransaction,
} from "../../store/store.js";
import { hasOpenJob } from "../payments.js";
import type { SettlementTerms } from "./facilitator.js";
import { type PaymentClaim, toPaymentRow } from "./payment-claim.js";
import {
	creditedPayment,
	keyOfAnotherRequest,
	paymentInFlight,
	rejectedPayment,
	settlementUnknown,
	usedPayment,
} from "./payment-errors.js";
import type { PaymentWatch } from "./payment-watch.js";

/** State of an exclusively reserved payment; `isProven` when only its payer can have sent it, and callers without that are never given a secret. */
export type Reservation =
	/** To be verified. `earlier` is what its retry key bought already with another payment. */
	| {
			readonly kind: "fresh";
			readonly row: PaymentRow;
			readonly earlier: Earlier | undefined;
			readonly isProven: boolean;
	  }
	/** Its money is here and nothing was delivered for it. */
	| { readonly kind: "funded"; readonly row: PaymentRow; readonly isProven: boolean }
	/** It launched the job that is asked for, which is running or has ended. */
	| { readonly kind: "job"; readonly row: PaymentRow; readonly jobId: string }
	/** It bought what is asked for. */
	| { readonly kind: "captured"; readonly row: PaymentRow };

export type Earlier =
	| { readonly kind: "receipt"; readonly receiptId: string }
	| { readonly kind: "job"; readonly jobId: string }
	| { readonly kind: "funded"; readonly row: PaymentRow };

export interface ReservationDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly terms: SettlementTerms;
	readonly watch: PaymentWatch;
}

/** Binds a payment to one request durably and marks it busy until `watch.end`. Throws PAYMENT_ALREADY_USED, IDEMPOTENCY_* or SETTLEMENT_UNKNOWN. */
export async function reserve(deps: ReservationDeps, claim: PaymentClaim): Promise<Reservation> {
	const { store, watch } = deps;
	const marked: string[] = [];
	try {
		return await store.transaction(async (tx) => {
			const row = await tx.get("payments", claim.id);
			if (row) assertSameRequest(claim, row);
			assertIdle(watch, claim);
			const reservation = await judge(deps, tx, { claim, row });
			watch.begin(claim.id, claim.idempotencyId);
			marked.push(claim.id);
			if (reservation.kind === "fresh" && reservation.earlier?.kind === "funded") {
				watch.begin(reservation.earlier.row.id, undefined);
				marked.push(reservation.earlier.row.id);
			}
			return reservation;
		});
	} catch (error) {
		for (const id of marked) watch.end(id);
		throw error;
	}
}

async function judge(
	deps: ReservationDeps,
	tx: StoreTransaction,
	{ claim, row }: { claim: PaymentClaim; row: PaymentRow | undefined },
): Promise<Reservation> {
	if (row?.jobId !== undefined) return { kind: "job", row, jobId: row.jobId };
	switch (row?.state) {
		case "settling":
		case "unknown":
			throw settlementUnknown(row.id);
		case "settled":
			assertSameKey(claim, row);
			return { kind: "funded", row, isProven: hasKeyOf(claim, row) };
		case "captured":
			return { kind: "captured", row };
		case "credited":
			throw creditedPayment(claim, row.tokenId);
		case undefined:
		case "reserved":
		case "released":
		case "refused": {
			if (claim.expired) throw rejectedPayment(claim, claim.expired);
			const earlier = await findEarlier(deps, tx, claim);
			// A refused one stays so until it is sent again: it may yet turn up on the chain.
			if (row?.state === "refused") {
				assertSameKey(claim, row);
				return { kind: "fresh", row, earlier, isProven: hasKeyOf(claim, row) };
			}
			const reserved = toPaymentRow(claim, deps.terms, deps.clock.now());
			await tx.put("payments", reserved);
			return { kind: "fresh", row: reserved, earlier, isProven: true };
		}
	}
}

/** One payment buys one thing, and only with the signature it was reserved with. */
function assertSameRequest(claim: PaymentClaim, row: PaymentRow): void {
	const { request, authorizationHash } = claim;
	if (row.fingerprint === request.fingerprint && row.authorizationHash === authorizationHash)
		return;
	throw usedPayment(claim, "was made for another request");
}

/** The retry key the payment came with, which no chain shows. */
export function hasKeyOf({ idempotencyId }: PaymentClaim, row: PaymentRow): boolean {
	return idempotencyId !== undefined && row.idempotencyId === idempotencyId;
}

function assertSameKey(claim: PaymentClaim, row: PaymentRow): void {
	if (row.idempotencyId === undefined || hasKeyOf(claim, row)) return;
	throw usedPayment(
		claim,
		"came with an Idempotency-Key and is good for the request with that key only",
	);
}

function assertIdle(watch: PaymentWatch, { id, idempotencyId }: PaymentClaim): void {
	if (watch.isBusy(id)) throw paymentInFlight(id);
	if (idempotencyId !== undefined && watch.isKeyBusy(idempotencyId)) throw paymentInFlight(id);
}

/** A client that lost the answer signs anew and repeats its retry key: what it paid for then must not be paid twice. */
async function findEarlier(
	{ clock, watch }: ReservationDeps,
	reader: StoreReader,
	{ id, request, idempotencyId }: PaymentClaim,
): Promise<Earlier | undefined> {
	if (idempotencyId === undefined) return undefined;
	const attempt = await reader.get("idempotency", idempotencyId);
	if (attempt && ((await hasOpenJob(reader, attempt)) || attempt.expiresAt > clock.now())) {
		if (attempt.fingerprint !== request.fingerprint) throw keyOfAnotherRequest();
		const bought = boughtWith(attempt);
		if (bought) return bought;
	}
	const openId = watch.openWithKey(idempotencyId);
	if (openId === undefined || openId === id) return undefined;
	return judgeOpen(reader, { openId, request, watch });
}

function boughtWith({ jobId, receiptId }: IdempotencyRow): Earlier | undefined {
	if (jobId !== undefined) return { kind: "job", jobId };
	return receiptId === undefined ? undefined : { kind: "receipt", receiptId };
}

async function judgeOpen(
	reader: StoreReader,
	{
		openId,
		request,
		watch,
	}: { openId: string; request: PaymentClaim["request"]; watch: PaymentWatch },
): Promise<Earlier | undefined> {
	const row = await reader.get("payments", openId);
	if (!row) return undefined;
	if (row.fingerprint !== request.fingerprint) throw keyOfAnotherRequest();
	if (watch.isBusy(openId)) throw paymentInFlight(openId);
	if (row.state === "settling" || row.state === "unknown") throw settlementUnknown(openId);
	const isUsable = row.state === "settled" && row.amountMicros === request.quote.amountMicros;
	return isUsable ? { kind: "funded", row } : undefined;
}
