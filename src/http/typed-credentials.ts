import type { Request } from "express";
import { ServiceError } from "../kernel/kernel.js";
import { type CallRates, toDigest } from "./rates.js";
import { toCallerAddress } from "./request.js";

export interface TypedCredential<T> {
	readonly secret: string;
	/** Throws UNAUTHENTICATED for one that is not known, and changes nothing. */
	readonly identify: () => Promise<unknown>;
	/** What it opens; throws as `identify` does. */
	readonly open: () => Promise<T>;
	/** What is said of one that is not known. */
	readonly unknown?: string;
}

export type OpenTyped = ReturnType<typeof createTypedCredentials>;

/**
 * What a credential opens that a person has put into a form. It is counted as those in headers are, so that a form is no other
 * way to guess. Throws UNAUTHENTICATED, and RATE_LIMITED after too many that are not valid.
 */
export function createTypedCredentials(callRates: Pick<CallRates, "take" | "end">) {
	return async <T>(
		req: Pick<Request, "ip">,
		{ secret, identify, open, unknown = UNKNOWN }: TypedCredential<T>,
	): Promise<T> => {
		const caller = {
			address: toCallerAddress(req.ip),
			credentialKey: toDigest(secret),
			isPolling: false,
		};
		const levels = await callRates.take(caller, identify);
		const full = levels.find(({ isLetIn }) => !isLetIn);
		if (full) {
			throw new ServiceError(
				"RATE_LIMITED",
				"Too many keys that are not valid came from your address; wait a minute, then try again.",
				{ retryAfterSeconds: full.retryAfterSeconds },
			);
		}
		try {
			return await open();
		} catch (error) {
			if (!(error instanceof ServiceError && error.code === "UNAUTHENTICATED")) throw error;
			callRates.end(caller, { isRefused: true, hasLeft: false });
			throw new ServiceError("UNAUTHENTICATED", unknown);
		}
	};
}

const UNKNOWN = "This key is not known here, has expired or was revoked.";
