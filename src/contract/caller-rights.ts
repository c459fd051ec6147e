import { isWallet, maySeeAgain } from "./account-access.js";
import type { Caller } from "./call.js";

/** What callers may see of what is kept, and whether anything of theirs is. */

/** Owns nothing: who shows no credential, and is told what an unguessable id opens. */
export const ANONYMOUS: Caller = { owner: "nobody", rail: "none" };

/** Whether text of a caller's may be kept: neither who pays nor the account beside it agreed on zero retention. */
export function keepsText({
	keepsNoText,
	access,
}: Pick<Caller, "keepsNoText" | "access">): boolean {
	return !keepsNoText && !access?.keepsNoText;
}

/** Whether what was kept for an owner is a caller's: made under a grant the caller may look into. */
export function isTheirs(
	{ owner, access }: Pick<Caller, "owner" | "access">,
	kept: KeptFor,
): boolean {
	return kept.owner === owner && maySeeAgain(access, kept.grantId);
}

/**
 * The same, and what a wallet paid for, and what no one had to pay for, is opened by its id: there is no session it could
 * belong to.
 */
export function mayRead(caller: Pick<Caller, "owner" | "access">, kept: KeptFor): boolean {
	return isWallet(kept.owner) || isTheirs(caller, kept);
}

interface KeptFor {
	readonly owner: string;
	readonly grantId?: string | undefined;
}
