import type { Request } from "express";
import { type CallRates, toCallerAddress, toCredentialKey } from "../http/http.js";
import { ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";

export interface SignInDeps {
	readonly identify: Service["identify"];
	/** Counts wrong keys together with all others that its address shows anywhere. */
	readonly callRates: Pick<CallRates, "take" | "end">;
}

/** The account that a key manages. Throws UNAUTHENTICATED, SCOPE_FORBIDDEN, and RATE_LIMITED for who keeps guessing. */
export type SignIn = (req: Request, key: string) => Promise<string>;

export function createSignIn({ identify, callRates }: SignInDeps): SignIn {
	return async (req, key) => {
		const credential = { scheme: "api_key", key } as const;
		const caller = {
			address: toCallerAddress(req.ip),
			credentialKey: toCredentialKey(credential),
			isPolling: false,
		};
		if (callRates.take(caller).some(({ isLetIn }) => !isLetIn)) throw tooManyGuesses();
		try {
			const { access } = await identify(credential);
			if (access?.isManager) return access.accountId;
		} catch (error) {
			if (!(error instanceof ServiceError && error.code === "UNAUTHENTICATED")) throw error;
			callRates.end(caller, { isRefused: true, hasLeft: false });
			throw new ServiceError(
				"UNAUTHENTICATED",
				"This key is not known here, has expired or was revoked.",
			);
		}
		throw new ServiceError(
			"SCOPE_FORBIDDEN",
			"This key may pay, but does not manage its account; use one that does.",
		);
	};
}

function tooManyGuesses(): ServiceError {
	return new ServiceError(
		"RATE_LIMITED",
		"Too many keys that are not valid came from your address; wait a minute, then try again.",
	);
}
