import { LIMITS } from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { PaymentRequired } from "../payments.js";
import type { RefusalReason } from "./facilitator.js";
import type { PaymentClaim, PaymentReport } from "./payment-claim.js";

/** Refusals of payments, each with a new challenge, so that a client can pay again at once. */

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

export function paymentInFlight(id: string): ServiceError {
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

export function keyOfAnotherRequest(): ServiceError {
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
