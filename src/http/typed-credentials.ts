import type { Request } from "express";
import type { Caller, Credential } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import { type CallRates, toCredentialKey } from "./rates.js";
import { toCallerAddress } from "./request.js";

/**
 * Who a credential belongs to that a person has put into a form. It is counted as those in headers are, so that a form is no other
 * way to guess. Throws UNAUTHENTICATED, and RATE_LIMITED after too many that are not valid.
 */
export function createTypedCredentials({
	identify,
	callRates,
}: {
	readonly identify: (credential: Credential) => Promise<Caller>;
	readonly callRates: Pick<CallRates, "take" | "end">;
}) {
	return async (req: Pick<Request, "ip">, credential: Credential): Promise<Caller> => {
		const caller = {
			address: toCallerAddress(req.ip),
			credentialKey: toCredentialKey(credential),
			isPolling: false,
		};
		const levels = await callRates.take(caller, () => identify(credential));
		if (levels.some(({ isLetIn }) => !isLetIn)) {
			throw new ServiceError(
				"RATE_LIMITED",
				"Too many keys that are not valid came from your address; wait a minute, then try again.",
			);
		}
		try {
			return await identify(credential);
		} catch (error) {
			if (!(error instanceof ServiceError && error.code === "UNAUTHENTICATED")) throw error;
			callRates.end(caller, { isRefused: true, hasLeft: false });
			throw new ServiceError(
				"UNAUTHENTICATED",
				"This key is not known here, has expired or was revoked.",
			);
		}
	};
}
