import { LIMITS } from "../../src/contract/contract.js";
import { type Micros, toIsoTime } from "../../src/kernel/kernel.js";
import { PaymentRefused, type SignedPayment } from "./envelope.js";
import type { SettlementTerms } from "./facilitator.js";

/**
 * What a transfer must say before anybody is asked about it, whichever envelope it came in: our network, asset and
 * address, exactly the price, valid now and for ten minutes at most. Throws PaymentRefused.
 */
export function checkAuthorization(
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
