import type { Micros } from "../../src/kernel/kernel.js";

/** A row that belongs to one owner and may be dropped once it has expired. */
export interface OwnedRow {
	readonly id: string;
	readonly owner: string;
	/** Key, connection token or other grant of the account that it was made with. */
	readonly grantId?: string | undefined;
	readonly expiresAt: number;
}

export interface AccountRow {
	readonly id: string;
	/** Empty for accounts whose text is in their profile, a document that can vanish. */
	readonly label: string;
	readonly plan: "free";
	readonly hasPaymentMethod: boolean;
	readonly createdAt: number;
	/** When it was erased; ledger entries stay, nothing that identifies the holder does. */
	readonly closedAt?: number | undefined;
	/** When what its calls still wrote meanwhile was gone as well. */
	readonly erasedAt?: number | undefined;
	/** Keyed hash of issuer and claim, for accounts of an identity provider's subjects. */
	readonly subjectHash?: string | undefined;
	/** Keyed hash of the address that opened it by itself: its free calls are counted with all others of that address. */
	readonly quotaId?: string | undefined;
	/** "zero" keeps a hash of each query instead of its text; standard where absent. */
	readonly retention?: "standard" | "zero" | undefined;
	/** Last month whose invoice was looked at, `YYYY-MM`: what it cost is issued, or was nothing. */
	readonly invoicedMonth?: string | undefined;
	/** Whether its owner may choose zero retention. */
	readonly mayKeepNothing?: boolean | undefined;
	/** Most it spends in one UTC month. */
	readonly budgetMicros?: Micros | undefined;
	/** Since when it pays for nothing, because an operator said so. */
	readonly frozenAt?: number | undefined;
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
	/** Price of one call above which its owner wants to be asked first. */
	readonly askAboveMicros?: Micros | undefined;
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

/** A Shared Payment Token. Its balance is the ledger's `cust:<id>`; its secret is stored as a keyed hash only. */
export interface TokenRow {
	readonly id: string;
	readonly hash: string;
	readonly environment: "live" | "test";
	readonly label: string;
	readonly status: "active" | "suspended" | "revoked";
	readonly createdAt: number;
	readonly expiresAt: number | undefined;
	readonly maxPerCallMicros: Micros | undefined;
	/** Highest sum of prices it pays for on one UTC day. */
	readonly maxPerDayMicros?: Micros | undefined;
	/** Empty means every skill, every graph. */
	readonly skills: readonly string[];
	readonly graphs: readonly string[];
	/** The token this one was delegated from; its money came from there and goes back there. */
	readonly parentId?: string | undefined;
	/** Wallet (CAIP-10) that bought it or whose failed call it credits; absent for tokens an operator issued. */
	readonly owner?: string | undefined;
	readonly origin?: "operator" | "purchase" | "credit" | "delegation" | undefined;
	/** First time it paid for anything; absent until then. */
	readonly usedAt?: number | undefined;
	/** When its holder ended it; absent for tokens an operator revoked. */
	readonly closedAt?: number | undefined;
}

/**
 * What an authorization server keeps: a client, a grant, a code, a refresh token, that an access token was revoked, or where a
 * user is on the way through the pages. What it says is a document of the same id; the id is a keyed hash, so that no code and
 * no token can be read from it.
 */
export interface OAuthRow {
	readonly id: string;
	/** Account it belongs to; the same for all clients, which have no owner. */
	readonly owner: string;
	readonly kind:
		| ("client" | "grant" | "code" | "refresh_token" | "revoked_access")
		| ("session" | "interaction");
	readonly keyId?: string | undefined;
	/** Row of the client that a grant was given to. */
	readonly clientId?: string | undefined;
	/** Keys of earlier grants that end once the code of this one is redeemed. */
	readonly replaces?: readonly string[] | undefined;
	/** When it was used for the only time it can be. */
	readonly consumedAt?: number | undefined;
	/** Whether a client was ever given consent. */
	readonly isUsed?: boolean | undefined;
	/** Until when the key of a grant was last prolonged; a later change of the key takes precedence. */
	readonly prolongedTo?: number | undefined;
	/** What a session or an interaction says, instead of a document: it is worth something for some minutes only. */
	readonly sealed?: string | undefined;
	/** The process that changed a session or an interaction last, which counts it. */
	readonly processId?: string | undefined;
	readonly createdAt: number;
	readonly expiresAt: number;
}
