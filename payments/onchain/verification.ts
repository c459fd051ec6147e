import { LIMITS, type Payment } from "../../src/contract/contract.js";
import { type Micros, ServiceError, toIsoTime } from "../../src/kernel/kernel.js";
import type { Offer, Quote } from "../payments.js";
import { releaseUnsent } from "./delivery.js";
import type { SettlementTerms } from "./facilitator.js";
import type { OnchainContext } from "./onchain-context.js";
import {
	type OnchainRequest,
	type PaymentClaim,
	type PaymentEnvelope,
	PaymentRefused,
	type SignedPayment,
	toClaim,
} from "./payment-claim.js";
import { facilitatorUnreachable, rejectedPayment, unreadablePayment } from "./reservation.js";
import { within } from "./settlement-proof.js";

/** Reads and checks a payment locally. Throws PAYMENT_REJECTED, but not for an expired one, which may have been sent in time. */
export function readClaim(
	{ envelopes, terms, clock }: OnchainContext,
	request: OnchainRequest,
): PaymentClaim {
	const { payment, quote } = request;
	const envelope = envelopeOf(envelopes, payment);
	const signed = readSigned(envelope, payment);
	const claim = toClaim(request, { envelope, signed, offers: () => offersOf(envelopes, quote) });
	try {
		envelope.match(payment, quote);
		checkAuthorization(signed, { terms, amountMicros: quote.amountMicros, now: clock.now() });
	} catch (error) {
		if (!(error instanceof PaymentRefused)) throw error;
		if (error.reason === "expired") return { ...claim, expired: error };
		throw rejectedPayment(claim, error);
	}
	return claim;
}

export function offersOf(envelopes: readonly PaymentEnvelope[], quote: Quote): readonly Offer[] {
	return envelopes.flatMap((envelope) => envelope.offer(quote) ?? []);
}

/** Throws PAYMENT_REJECTED for a payload of another shape. */
export function readSigned(envelope: PaymentEnvelope, payment: Payment): SignedPayment {
	try {
		return envelope.read(payment);
	} catch (error) {
		throw error instanceof PaymentRefused ? unreadablePayment(error.message) : error;
	}
}

export function envelopeOf(
	envelopes: readonly PaymentEnvelope[],
	payment: Payment,
): PaymentEnvelope {
	const envelope = envelopes.find((candidate) => candidate.accepts(payment));
	if (envelope) return envelope;
	throw new ServiceError(
		"PAYMENT_REJECTED",
		"Payments of this kind are not accepted here; GET /v1/payments/methods lists what is.",
	);
}

/** Throws PAYMENT_REJECTED, or UPSTREAM without a verdict; either deletes the reservation, so that unfunded payments never fill the store. */
export async function verify(context: OnchainContext, claim: PaymentClaim): Promise<void> {
	const { facilitator, terms, clock } = context;
	// A facilitator that throws at once must not escape the reservation.
	const asked = Promise.resolve().then(() => facilitator.verify(terms, claim.signed.authorization));
	const verdict = await within(asked, LIMITS.verifyTimeoutMs, clock).catch(
		async (error: unknown) => {
			await releaseUnsent(context, claim, "unverified", { forget: true });
			throw facilitatorUnreachable(error);
		},
	);
	if (verdict.kind === "valid") return;
	await releaseUnsent(context, claim, verdict.reason, { forget: true });
	throw rejectedPayment(claim, verdict);
}

/** The transfer must name our network, asset and address, the exact price, and be valid now and for at most ten minutes. Throws PaymentRefused. */
function checkAuthorization(
	{ authorization, network, asset }: SignedPayment,
	{ terms, amountMicros, now }: { terms: SettlementTerms; amountMicros: Micros; now: number },
): void {
	const { to, value, validAfter, validBefore } = authorization;
	if (network !== terms.network) {
		throw new PaymentRefused(
			"network_mismatch",
			`The payment was made for the network "${network}"; this service takes ${terms.network}.`,
		);
	}
	if (asset !== undefined && asset !== terms.asset.toLowerCase()) {
		throw new PaymentRefused(
			"network_mismatch",
			`The payment is in another asset; this service takes ${terms.asset} on ${terms.network}.`,
		);
	}
	if (to !== terms.payTo.toLowerCase()) {
		throw new PaymentRefused("wrong_recipient", `The payment does not go to ${terms.payTo}.`);
	}
	if (value !== amountMicros) {
		throw new PaymentRefused(
			"invalid_amount",
			`The payment is over ${value} atomic units; this costs ${amountMicros}.`,
		);
	}
	checkTimes({ validAfter, validBefore }, now);
}

/** Clocks differ; the sentence says which time was seen here. */
function checkTimes(
	{ validAfter, validBefore }: { validAfter: number; validBefore: number },
	now: number,
): void {
	const seen = `our clock says ${toIsoTime(now)}`;
	if (validBefore * 1_000 <= now) {
		throw new PaymentRefused("expired", `The payment's validBefore has passed; ${seen}.`);
	}
	if (validBefore * 1_000 > now + LIMITS.authorizationTtlMs) {
		throw new PaymentRefused(
			"invalid_payload",
			`The payment is valid for more than ${LIMITS.authorizationTtlMs / 1_000} seconds; sign a shorter one (${seen}).`,
		);
	}
	if (validAfter * 1_000 > now) {
		throw new PaymentRefused("not_yet_valid", `The payment is not valid yet; ${seen}.`);
	}
}
