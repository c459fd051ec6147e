import type { Micros } from "../../src/kernel/kernel.js";

/** What is counted until its time is over: money spent, calls used. */

/** What a token has held or spent on one UTC day (`tok_…|2026-11-21`), an account or key in a month, a key ever (`key_…|total`). */
export interface SpendingRow {
	readonly id: string;
	readonly spentMicros: Micros;
	readonly expiresAt: number;
}

/** A money-like counter, e.g. `acc_…|2026-11` (month) or `acc_…|2026-11-21` (day), free calls used; by a keyed hash where accounts share it. */
export interface QuotaRow {
	readonly id: string;
	readonly used: number;
	readonly expiresAt: number;
}

/** What an account was answered for on one UTC day (`acc_…|2026-11-21`) or, once that is long ago, in one month (`acc_…|2026-11`). */
export interface UsageRow {
	readonly id: string;
	readonly accountId: string;
	readonly operations: Readonly<Record<string, UsageCount>>;
	readonly graphs: Readonly<Record<string, UsageCount>>;
	readonly keys: Readonly<Record<string, UsageCount>>;
	readonly expiresAt: number;
}

export interface UsageCount {
	readonly calls: number;
	readonly spentMicros: Micros;
}
