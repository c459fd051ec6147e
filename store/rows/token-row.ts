import type { Micros } from "../../src/kernel/kernel.js";

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
