import { LIMITS } from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import type { IdempotencyRow, PaymentRow, StoreTransaction } from "../../store/store.js";
import { hasOpenJob, noteRepeated, PaymentRequired } from "../payments.js";
import type { RefusalReason } from "./facilitator.js";
import type { OnchainContext } from "./onchain-context.js";
import { type PaymentClaim, type PaymentReport, toPaymentRow } from "./payment-claim.js";
import { isOpen } from "./payment-watch.js";

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

/** Binds a payment to one request durably and marks it busy until `marks.end`. Throws PAYMENT_ALREADY_USED, IDEMPOTENCY_* or SETTLEMENT_UNKNOWN. */
export async function reserve(context: OnchainContext, claim: PaymentClaim): Promise<Reservation> {
	const { store, marks } = context;
	const [own, ofFunded] = [marks.begin(), marks.begin()];
	try {
		const reservation = await store.transaction(async (tx) => {
			const row = await tx.get("payments", claim.id);
			if (row) assertSameRequest(claim, row);
			await assertIdle(marks, tx, claim);
			const judged = await judge(context, tx, { claim, row });
			await marks.put(tx, own, { id: claim.id, key: claim.idempotencyId });
			const funded = fundedBy(judged);
			if (funded === undefined) return judged;
			if (await marks.isBusy(tx, funded)) throw paymentInFlight(funded);
			await marks.put(tx, ofFunded, { id: funded });
			return judged;
		});
		marks.placed(own, claim.id);
		const funded = fundedBy(reservation);
		if (funded === undefined) marks.drop(ofFunded);
		else marks.placed(ofFunded, funded);
		return reservation;
	} catch (error) {
		for (const mark of [own, ofFunded]) marks.drop(mark);
		throw error;
	}
}

/** The earlier payment whose money is here already. */
function fundedBy(reservation: Reservation): string | undefined {
	const earlier = reservation.kind === "fresh" ? reservation.earlier : undefined;
	return earlier?.kind === "funded" ? earlier.row.id : undefined;
}

async function judge(
	context: OnchainContext,
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
			if (hasKeyOf(claim, row) || isOwed(row)) await noteRepeat(context, tx, row);
			return { kind: "captured", row };
		case "credited":
			throw creditedPayment(claim, row.tokenId);
		case undefined:
		case "reserved":
		case "released":
		case "refused": {
			if (claim.expired) throw rejectedPayment(claim, claim.expired);
			const earlier = await findEarlier(context, tx, claim);
			// A refused one stays so until it is sent again: it may yet turn up on the chain.
			if (row?.state === "refused") {
				assertSameKey(claim, row);
				return { kind: "fresh", row, earlier, isProven: hasKeyOf(claim, row) };
			}
			const reserved = toPaymentRow(claim, context.terms, context.clock.now());
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

/** Paid without a retry key, and never handed over: then a copy of the payment has the answer once. */
export function isOwed({ idempotencyId, isDelivered }: PaymentRow): boolean {
	return idempotencyId === undefined && !isDelivered;
}

async function noteRepeat(
	{ clock }: Pick<OnchainContext, "clock">,
	tx: StoreTransaction,
	{ receiptId, owner }: Pick<PaymentRow, "receiptId" | "owner">,
): Promise<void> {
	if (receiptId !== undefined) await noteRepeated(tx, { receiptId, owner, now: clock.now() });
}

function assertSameKey(claim: PaymentClaim, row: PaymentRow): void {
	if (row.idempotencyId === undefined || hasKeyOf(claim, row)) return;
	throw usedPayment(
		claim,
		"came with an Idempotency-Key and is good for the request with that key only",
	);
}

async function assertIdle(
	marks: OnchainContext["marks"],
	tx: StoreTransaction,
	{ id, idempotencyId }: PaymentClaim,
): Promise<void> {
	if (await marks.isBusy(tx, id)) throw paymentInFlight(id);
	const isKeyBusy = idempotencyId !== undefined && (await marks.isKeyBusy(tx, idempotencyId));
	if (isKeyBusy) throw paymentInFlight(id);
}

/** A client that lost the answer signs again and repeats its retry key: what it paid for then must not be paid twice. */
async function findEarlier(
	context: OnchainContext,
	tx: StoreTransaction,
	{ id, request, idempotencyId, payer: { owner } }: PaymentClaim,
): Promise<Earlier | undefined> {
	const { clock } = context;
	if (idempotencyId === undefined) return undefined;
	const attempt = await tx.get("idempotency", idempotencyId);
	if (attempt && ((await hasOpenJob(tx, attempt)) || attempt.expiresAt > clock.now())) {
		if (attempt.fingerprint !== request.fingerprint) throw keyOfAnotherRequest();
		const bought = boughtWith(attempt);
		if (bought) {
			await noteRepeat(context, tx, { ...attempt, owner });
			return bought;
		}
	}
	const paid = await tx.findBy("payments", "idempotencyId", idempotencyId);
	const open = paid.find((row) => row.id !== id && isOpen(row));
	return open && judgeOpen(context.marks, tx, open, request);
}

function boughtWith({ jobId, receiptId }: IdempotencyRow): Earlier | undefined {
	if (jobId !== undefined) return { kind: "job", jobId };
	return receiptId === undefined ? undefined : { kind: "receipt", receiptId };
}

async function judgeOpen(
	marks: OnchainContext["marks"],
	tx: StoreTransaction,
	row: PaymentRow,
	request: PaymentClaim["request"],
): Promise<Earlier | undefined> {
	if (row.fingerprint !== request.fingerprint) throw keyOfAnotherRequest();
	if (await marks.isBusy(tx, row.id)) throw paymentInFlight(row.id);
	if (row.state === "settling" || row.state === "unknown") throw settlementUnknown(row.id);
	const isUsable = row.state === "settled" && row.amountMicros === request.quote.amountMicros;
	return isUsable ? { kind: "funded", row } : undefined;
}

/** The envelope names no readable payment, so not even its resource is known: ask for a challenge first. */
export function unreadablePayment(message: string): ServiceError {
	return new ServiceError("PAYMENT_REJECTED", message, {
		reply: {
			body: {
				reason: "invalid_payload" satisfies RefusalReason,
				continuations: [
					{
						type: "x402",
						instructions:
							"Send the request without a payment; the 402 says what to sign. Nothing was charged.",
					},
				],
			},
		},
	});
}

export function rejectedPayment(
	claim: PaymentClaim,
	{ reason, message }: { readonly reason: RefusalReason; readonly message: string },
): PaymentRequired {
	return new PaymentRequired(
		"PAYMENT_REJECTED",
		`${message} This request was not charged.`,
		toChallenge(claim),
		{ reply: { headers: failureHeaders(claim, reason), body: { reason } } },
	);
}

/** The payment bought something before; `boughtAs` says what. */
export function usedPayment(
	claim: PaymentClaim,
	boughtAs: string,
	{
		transactionHash,
		body,
	}: { transactionHash?: string | undefined; body?: Readonly<Record<string, unknown>> } = {},
): PaymentRequired {
	const reason = "nonce_used";
	return new PaymentRequired(
		"PAYMENT_ALREADY_USED",
		`This payment ${boughtAs}. Sign a new one for a new request.`,
		toChallenge(claim),
		{
			reply: {
				// The receipt of what it bought is no receipt of this request.
				headers: failureHeaders(claim, reason, transactionHash),
				body: { reason, payment_id: claim.id, ...body },
			},
		},
	);
}

/** Its money became a token of the wallet's, which only a new payment of that wallet collects. */
export function creditedPayment(claim: PaymentClaim, tokenId: string | undefined): PaymentRequired {
	return usedPayment(
		claim,
		`had settled and was credited to the token ${tokenId}; POST /v1/spt with "recover": true collects it`,
		{ body: { token_id: tokenId } },
	);
}

function paymentInFlight(id: string): ServiceError {
	return new ServiceError(
		"IDEMPOTENCY_IN_FLIGHT",
		"A request with this payment is still being answered; send it again in a moment.",
		{ retryAfterSeconds: LIMITS.retryAfterSeconds, reply: { body: { payment_id: id } } },
	);
}

export function settlementUnknown(id: string): ServiceError {
	return new ServiceError(
		"SETTLEMENT_UNKNOWN",
		`It is not known yet whether the payment ${id} went through. Send the same request with the same payment again, and sign no new one: what went through is delivered or given back.`,
		{
			retryAfterSeconds: LIMITS.reconcileIntervalMs / 1_000,
			reply: { body: { payment_id: id } },
		},
	);
}

export function facilitatorUnreachable(cause: unknown): ServiceError {
	return new ServiceError(
		"UPSTREAM",
		"The payment could not be verified just now; nothing was charged. Send the same request again.",
		{ cause },
	);
}

function keyOfAnotherRequest(): ServiceError {
	return new ServiceError(
		"IDEMPOTENCY_MISMATCH",
		"This idempotency key was used for another request; use a new key for a new request. Nothing was charged.",
	);
}

function toChallenge({ request: { quote }, offers: offersOf }: PaymentClaim) {
	const offers = offersOf();
	return { quote, offers, continuations: offers.map((offer) => offer.continuation) };
}

function failureHeaders(
	{ envelope, request, signed }: PaymentClaim,
	reason: RefusalReason,
	transactionHash?: string,
) {
	const payer = signed.authorization.from;
	const report: PaymentReport = { kind: "failed", reason, payer, transactionHash };
	return envelope.receiptHeaders(request.payment, report);
}
