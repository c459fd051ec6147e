import type { Micros } from "../../src/kernel/kernel.js";

/** Accounts, and what their holders show: keys and connection tokens. */

export interface AccountRow {
	readonly id: string;
	/** Empty for accounts whose text is in their profile, a document that can vanish. */
	readonly label: string;
	readonly plan: "free";
	readonly hasPaymentMethod: boolean;
	readonly createdAt: number;
	/** When it was erased; what the ledger says of it stays, nothing that tells whose it was. */
	readonly closedAt?: number | undefined;
	/** When what its calls still wrote meanwhile was gone as well. */
	readonly erasedAt?: number | undefined;
	/** Keyed hash of issuer and claim, for accounts of an identity provider's subjects. */
	readonly subjectHash?: string | undefined;
	/** Keyed hash of the address that opened it by itself: its free calls are counted with all others of that address. */
	readonly quotaId?: string | undefined;
	/** "zero" keeps a hash of each query instead of its text; standard where absent. */
	readonly retention?: "standard" | "zero" | undefined;
	/** Whether its owner may choose zero retention. */
	readonly mayKeepNothing?: boolean | undefined;
	/** Most it spends in one UTC month. */
	readonly budgetMicros?: Micros | undefined;
	/** Percentages of the budget that its owner wants to know of. */
	readonly budgetAlerts?: readonly number[] | undefined;
}

/** What a key or a connection token may pay for; empty means every operation, every graph. */
interface GrantFields {
	readonly skills?: readonly string[] | undefined;
	readonly graphs?: readonly string[] | undefined;
	readonly expiresAt?: number | undefined;
	/** UTC day on which it last paid for anything. */
	readonly usedDay?: string | undefined;
}

export interface KeyRow extends GrantFields {
	readonly id: string;
	readonly hash: string;
	readonly accountId: string;
	/** Empty for keys whose label is in their account's profile. */
	readonly label: string;
	readonly status: "active" | "revoked";
	readonly createdAt: number;
	/** Whether it may change the account and its keys; true where absent. */
	readonly isManager?: boolean | undefined;
	readonly maxTotalMicros?: Micros | undefined;
	/** Most it spends in one UTC month. */
	readonly maxPerMonthMicros?: Micros | undefined;
	/** The secret before the latest rotation, good until `previousUntil`. */
	readonly previousHash?: string | undefined;
	readonly previousUntil?: number | undefined;
	readonly rotatedAt?: number | undefined;
	readonly revokedAt?: number | undefined;
}

/** A secret in an MCP address, for clients that cannot send headers. */
export interface ConnectionRow extends GrantFields {
	readonly id: string;
	readonly hash: string;
	readonly accountId: string;
	readonly status: "active" | "revoked";
	readonly createdAt: number;
	readonly revokedAt?: number | undefined;
}
