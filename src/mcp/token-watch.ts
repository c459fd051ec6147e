import type { Credential } from "../contract/contract.js";
import { type CallRates, toCredentialKey, toRateRefusal } from "../http/http.js";
import { ServiceError } from "../kernel/kernel.js";
import type { Exchange } from "./exchange.js";

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
