/** What a credential may pay for; empty means every operation, every graph. */
export interface AccessScope {
	/** Skills, or operations by their ids. */
	readonly skills: readonly string[];
	readonly graphs: readonly string[];
}

/** How a credential is looked at. */
export interface IdentifyOptions {
	/** Whether an identity token whose subject has no account opens one; a mere look never does. */
	readonly opens?: boolean | undefined;
}

/** What a credential opens: an account, and how much of it. */
export interface AccountAccess {
	readonly accountId: string;
	/** API key or connection token it was shown with; absent for a subject of an identity provider. */
	readonly keyId?: string | undefined;
	/** Stands for an identity token's subject and what it grants, as `keyId` does for a key. */
	readonly grantId?: string | undefined;
	/** What an identity token grants by itself, absent where that is everything; keys have theirs in their rows. */
	readonly scope?: AccessScope | undefined;
	/** Whether it may change the account and its keys. */
	readonly isManager: boolean;
	/** Shown by a secret that was replaced since: for the rest of its overlap it pays, and does nothing else. */
	readonly isReplaced?: boolean | undefined;
	/** Whether a hash of each query is kept instead of its text. */
	readonly keepsNoText: boolean;
}

/** Wallets are named by CAIP-10 account ids, which have colons; ids of ours have none. */
export function isWallet(owner: string): boolean {
	return owner.includes(":");
}

/** What tells callers of one account apart where what they did is kept. */
export function grantIdOf(access: AccountAccess | undefined): string | undefined {
	return access?.keyId ?? access?.grantId;
}

/** Whether a caller may see again what was done under a grant: anyone who manages the account sees all, others their own. */
export function maySeeAgain(
	access: AccountAccess | undefined,
	grantId: string | undefined,
): boolean {
	return access === undefined || access.isManager || grantIdOf(access) === grantId;
}
