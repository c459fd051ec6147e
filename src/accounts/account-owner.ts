import { type AccountAccess, LIMITS, type OwnerRequest } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";

/** What operations for the owner of an account have in common. */

export const ACCOUNT_BASE = { scheme: "account" } as const;
export const ACCOUNT_READ = { ...ACCOUNT_BASE, callsPerMinute: LIMITS.accountReadsPerMinute };
export const ACCOUNT_CHANGE = { ...ACCOUNT_BASE, callsPerMinute: LIMITS.accountChangesPerMinute };

export const ACCOUNT_ID = "acc_01kg9yz3v0f6x2m8q4t7w1ab2c";
export const KEY_ID = "key_01kg9yz3v0f6x2m8q4t7w1ab2c";
export const KEY_SECRET = "sk_test_0123456789abcdefghijklmnopqrstuvwxyz";

/** What the caller's credential opens. Throws SCOPE_FORBIDDEN for one that opens no account. */
export function accessOf({ caller: { access } }: Pick<OwnerRequest, "caller">): AccountAccess {
	if (access) return access;
	throw new ServiceError("SCOPE_FORBIDDEN", "This operation is for the owner of an account.");
}
