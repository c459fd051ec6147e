import type { AccountAccess, Json, PageRequest } from "../contract/contract.js";

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

export interface AccountChange {
	readonly label?: string | undefined;
	/** How the operator reaches the owner. */
	readonly contact?: string | undefined;
	readonly retention?: "standard" | "zero" | undefined;
}

export const USAGE_GROUPINGS = ["day", "operation", "graph", "key"] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

export interface UsageRequest {
	readonly by: UsageGrouping;
	/** UTC days, both included; the last thirty by default. */
	readonly from?: string | undefined;
	readonly to?: string | undefined;
}

export interface BudgetOrder {
	/** Most the account spends in one UTC month; null for no limit. */
	readonly limit_usd: string | null;
	/** Percentages of it that the owner wants to know of. */
	readonly alert_percent?: readonly number[] | undefined;
}

/** What an account's owner may ask, paying nothing. Changes throw SCOPE_FORBIDDEN for a key that does not manage it. */
export interface AccountOperations {
	accountGet(access: AccountAccess): Promise<Json>;
	accountChange(access: AccountAccess, change: AccountChange): Promise<Json>;
	/** Ends it; a balance that is left must be named. What the books need stays, under an id alone. */
	accountErase(access: AccountAccess, confirm: string | undefined): Promise<Json>;
	/** All that is held about it, as pieces of one JSON object. Throws RATE_LIMITED while others run. */
	accountExport(access: AccountAccess, signal: AbortSignal): AsyncIterable<string>;
	accountUsage(access: AccountAccess, request: UsageRequest): Promise<Json>;
	/** Receipts, newest first. Throws RATE_LIMITED while too many such questions wait already. */
	accountCalls(access: AccountAccess, page: PageRequest, signal: AbortSignal): Promise<Json>;
	accountQuota(access: AccountAccess): Promise<Json>;
	accountBudget(access: AccountAccess, order: BudgetOrder): Promise<Json>;
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
