import { LIMITS } from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { type Offer, PaymentRequired, type Quote } from "../payments.js";
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
	{ envelope, request, signed }: Pick<PaymentClaim, "envelope" | "request" | "signed">,
	{
		reason,
		message,
		offers,
		transactionHash,
	}: {
		reason: RefusalReason;
		message: string;
		offers: readonly Offer[];
		transactionHash?: string | undefined;
	},
): PaymentRequired {
	const payer = signed.authorization.from;
	const report: PaymentReport = { kind: "failed", reason, payer, transactionHash };
	return new PaymentRequired(
		"PAYMENT_REJECTED",
		`${message} This request was not charged.`,
		toChallenge(request.quote, offers),
		{ reply: { headers: envelope.receiptHeaders(request.payment, report), body: { reason } } },
	);
}

/** The payment bought something before; `boughtAs` says what. */
export function usedPayment(
	{ envelope, request, id, signed }: PaymentClaim,
	{
		boughtAs,
		offers,
		transactionHash,
		body,
	}: {
		boughtAs: string;
		offers: readonly Offer[];
		transactionHash?: string | undefined;
		body?: Readonly<Record<string, unknown>>;
	},
): PaymentRequired {
	// The receipt of what it bought is no receipt of this request.
	const payer = signed.authorization.from;
	const report: PaymentReport = { kind: "failed", reason: "nonce_used", payer, transactionHash };
	return new PaymentRequired(
		"PAYMENT_ALREADY_USED",
		`This payment ${boughtAs}. Sign a new one for a new request.`,
		toChallenge(request.quote, offers),
		{
			reply: {
				headers: envelope.receiptHeaders(request.payment, report),
				body: { reason: "nonce_used" satisfies RefusalReason, payment_id: id, ...body },
			},
		},
	);
}

/** Its money became a token of the wallet's, which only a new payment of that wallet collects. */
export function creditedPayment(
	claim: PaymentClaim,
	{ tokenId, offers }: { tokenId: string | undefined; offers: readonly Offer[] },
): PaymentRequired {
	return usedPayment(claim, {
		boughtAs: `had settled and was credited to the token ${tokenId}; POST /v1/spt with "recover": true collects it`,
		offers,
		body: { token_id: tokenId },
	});
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

function toChallenge(quote: Quote, offers: readonly Offer[]) {
	return { quote, offers, continuations: offers.map((offer) => offer.continuation) };
}
