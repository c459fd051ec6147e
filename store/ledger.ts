import type { Micros } from "../src/kernel/kernel.js";

/** `cust:<id>`, `held:<id>`, `rev:<billing type>`, `cash:manual`, `cash:x402:<network>`, `promo:free_tier`, `refunds`, `suspense`. */
export type AccountName = string;

export interface LedgerEntry {
	readonly account: AccountName;
	/** Signed; the entries of one transaction sum to zero. */
	readonly amountMicros: Micros;
}

/**
 * credit: source → cust; settle: cash on a chain → cust; transfer: cust → cust; authorise: cust → held;
 * capture: held (or cust) → rev; release: held → cust; refund: rev or cust → refunds, payout: refunds → cash.
 */
export type LedgerKind =
	| "credit"
	| "settle"
	| "transfer"
	| "authorise"
	| "capture"
	| "release"
	| "refund"
	| "payout"
	| "adjust";

/**
 * Append only. `key` is unique within `LEDGER_KEY_WINDOW_MS`: the same key twice is one transaction. It is left out where
 * a row says as much already: a hold is opened once and closed once.
 */
export interface LedgerTransaction {
	readonly id: string;
	readonly key?: string | undefined;
	readonly kind: LedgerKind;
	readonly at: number;
	readonly entries: readonly LedgerEntry[];
	readonly ref: string;
	readonly memo?: string | undefined;
}

export const LEDGER_KEY_WINDOW_MS = 48 * 3_600_000;

/** Entries must sum to zero, `cust:` and `held:` accounts never go below zero, a key is used once. */
export class LedgerRefusal extends Error {
	readonly reason: "unbalanced" | "negative" | "duplicate_key";
	constructor(reason: LedgerRefusal["reason"], message: string) {
		super(message);
		this.name = "LedgerRefusal";
		this.reason = reason;
	}
}
