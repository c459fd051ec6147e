import { type Credential, LIMITS } from "../contract/contract.js";
import { type CallRates, createTokenBucket, toCredentialKey, toRateRefusal } from "../http/http.js";
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
		if (!exchange.takesPayments) {
			throw new ServiceError(
				"INVALID_ARGUMENT",
				"This address takes no payments call by call, so this one was left alone and nothing was run; call again without it, and the account whose credential you showed pays.",
			);
		}
		const shown = readPayment(meta);
		takeFrom(exchange.address);
		if (shown?.credential && exchange.credential) {
			throw new ServiceError(
				"INVALID_ARGUMENT",
				`The call is paid with a prepaid token in "_meta", and its request shows another credential; send exactly one of them.`,
			);
		}
		return shown;
	};
}

/** Does the work that a prepaid token in `_meta` is to pay for. Throws what it throws, and RATE_LIMITED after too many guesses. */
export type TokenWatch = <T>(
	exchange: Pick<Exchange, "address">,
	token: Credential | undefined,
	work: () => Promise<T>,
) => Promise<T>;

/** Tokens in `_meta` are counted as those in headers are: a wrong one is a guess. */
export function createTokenWatch({ take, end }: Pick<CallRates, "take" | "end">): TokenWatch {
	return async ({ address }, token, work) => {
		if (!token) return work();
		const credentialKey = toCredentialKey(token);
		const caller = { address, credentialKey, isPolling: false, isInside: true };
		const full = take(caller).find((level) => !level.isLetIn);
		if (full) throw toRateRefusal(full);
		try {
			return await work();
		} catch (error) {
			const isRefused = error instanceof ServiceError && error.code === "UNAUTHENTICATED";
			end(caller, { isRefused, hasLeft: false });
			throw error;
		}
	};
}
