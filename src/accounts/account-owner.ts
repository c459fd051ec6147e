import { type AccountAccess, type Caller, LIMITS } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";

/** What routes for the owner of an account have in common. */

export const ACCOUNT_BASE = {
	scheme: "account",
} as const;
export const ACCOUNT_READ = { ...ACCOUNT_BASE, callsPerMinute: LIMITS.accountReadsPerMinute };
export const ACCOUNT_CHANGE = { ...ACCOUNT_BASE, callsPerMinute: LIMITS.accountChangesPerMinute };

/** What the caller's credential opens. Throws SCOPE_FORBIDDEN for one that opens no account. */
export function accessOf({ access }: Caller): AccountAccess {
	if (access) return access;
	throw new ServiceError("SCOPE_FORBIDDEN", "This operation is for the owner of an account.");
}
