import type { AccountAccess } from "../core/account-access.js";
import type { Json } from "./service-info.js";

/** What a key or connection token is for, as its account's owner writes it. */
export interface KeyScope {
	readonly label?: string | undefined;
	/** Skills, or operations by their ids; all where absent. */
	readonly skills?: readonly string[] | undefined;
	readonly graphs?: readonly string[] | undefined;
	/** Days from now until it expires; it never does by default. */
	readonly expires_in_days?: number | undefined;
}

export interface KeyOrder extends KeyScope {
	/** Most it spends, ever and in one UTC month. */
	readonly max_total_usd?: string | undefined;
	readonly max_per_month_usd?: string | undefined;
	/** Whether it may change the account and its keys; such a key has no limits. */
	readonly manages_account?: boolean | undefined;
}

/** What is left out stays, null lifts a limit. */
export type KeyChange = { readonly [Field in keyof KeyOrder]: KeyOrder[Field] | null };

/** What an account's owner may ask, paying nothing. Changes throw SCOPE_FORBIDDEN for a key that does not manage it. */
export interface AccountOperations {
	accountKeys(access: AccountAccess): Promise<Json>;
	/** The secret is shown once. */
	accountCreateKey(access: AccountAccess, order: KeyOrder): Promise<Json>;
	accountChangeKey(access: AccountAccess, keyId: string, change: KeyChange): Promise<Json>;
	/** A new secret, shown once; the old one works for so many seconds more. Every key may rotate itself. */
	accountRotateKey(access: AccountAccess, keyId: string, overlapSeconds?: number): Promise<Json>;
	accountRevokeKey(access: AccountAccess, keyId: string): Promise<Json>;
	accountConnections(access: AccountAccess): Promise<Json>;
	/** The secret is shown once, with the MCP address it is part of. */
	accountCreateConnection(access: AccountAccess, order: KeyScope): Promise<Json>;
	accountRevokeConnection(access: AccountAccess, id: string): Promise<Json>;
}
