import { LIMITS } from "../contract/contract.js";
import { createTokenBucket } from "../http/http.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";
import type { Exchange } from "./exchange.js";
import { type Meta, MPP, readPayment, type ShownPayment, X402 } from "./payment-meta.js";

/**
 * The payment of a call, counted before anybody judges it. Throws INVALID_ARGUMENT for one that cannot be read, or that
 * stands where none is taken: nothing runs then. Throws RATE_LIMITED when one address sends more than it could mean.
 */
export type PaymentGate = (exchange: Exchange, meta: Meta | undefined) => ShownPayment | undefined;

export function createPaymentGate(
	clock: Clock,
	perMinute: number = LIMITS.paymentsPerMinute,
): PaymentGate {
	const keysMax = LIMITS.rateLimitedCallersMax;
	const takeFrom = createTokenBucket({ clock, perMinute, keysMax });
	return (exchange, meta) => {
		if (meta?.[X402.payment] === undefined && meta?.[MPP.credential] === undefined)
			return undefined;
		if (!exchange.takesPayments) throw notTaken();
		const shown = readPayment(meta);
		takeFrom(exchange.address);
		if (shown?.credential && exchange.credential) throw twoCredentials();
		return shown;
	};
}

function notTaken(): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		"This address takes no payments call by call, so this one was left alone and nothing was run; call again without it, and the account whose credential you showed pays.",
	);
}

function twoCredentials(): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		`The call is paid with a prepaid token in "_meta", and its request shows another credential; send exactly one of them.`,
	);
}
