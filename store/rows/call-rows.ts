import type { OwnerShare } from "../../src/contract/contract.js";
import type { Micros } from "../../src/kernel/kernel.js";

export interface HoldRow {
	readonly id: string;
	/** Account whose money is held: `cust:<id>` or `promo:free_tier`. */
	readonly from: string;
	readonly held: string;
	readonly amountMicros: Micros;
	readonly owner: string;
	readonly rail: string;
	readonly operationId: string;
	readonly billingType: string;
	readonly createdAt: number;
	readonly expiresAt: number;
	/** The process whose call it is: once that has ended, no one captures it any more. */
	readonly processId?: string | undefined;
	/** Quota counters to release when the call is not billable. */
	readonly quotaKeys?: readonly string[] | undefined;
	readonly idempotencyId?: string | undefined;
	/** Row of `spending` this hold counts in. */
	readonly spendingId?: string | undefined;
	/** Further rows of `spending`: the key's caps and the account's budget. */
	readonly spendingIds?: readonly string[] | undefined;
	/** API key or connection token it was asked for with. */
	readonly keyId?: string | undefined;
	/** Payment on a chain whose money it holds. */
	readonly paymentId?: string | undefined;
	readonly graphIds?: readonly string[] | undefined;
	/** Who shares in the revenue, where that is not the operator alone. */
	readonly owners?: readonly OwnerShare[] | undefined;
	/** The job it belongs to, and ends with: it outlives its call and its process. */
	readonly jobId?: string | undefined;
}

/** Decision D4; `id` is the hash of (principal, operation, key). */
export interface IdempotencyRow {
	readonly id: string;
	readonly fingerprint: string;
	readonly state: "in_flight" | "done";
	readonly holdId: string;
	/** Absent while it is in flight, and for a job that was not charged. */
	readonly receiptId: string | undefined;
	/** Job that was begun with it: the same one whenever it is used again. */
	readonly jobId?: string | undefined;
	/** Key, connection token or other grant of the account it was used with. */
	readonly grantId?: string | undefined;
	readonly createdAt: number;
	readonly expiresAt: number;
}

export interface ReceiptRow {
	readonly id: string;
	readonly holdId: string;
	readonly transactionId: string;
	readonly owner: string;
	readonly rail: string;
	readonly operationId: string;
	readonly billingType: string;
	/** What the caller paid; zero for a call of the free plan. */
	readonly amountMicros: Micros;
	readonly balanceAfterMicros: Micros;
	readonly fingerprint: string;
	readonly at: number;
	readonly graphIds?: readonly string[] | undefined;
	readonly keyId?: string | undefined;
	/** Retry key it was asked for with: row of `idempotency` while that is remembered. */
	readonly idempotencyId?: string | undefined;
	/** Places of the units that were paid for, where that was not all of them. */
	readonly paidUnits?: readonly number[] | undefined;
	/** Who shares in what was paid, where that is not the operator alone. */
	readonly owners?: readonly OwnerShare[] | undefined;
	/** Where the money moved, for payments on a chain. */
	readonly settlement?: SettlementFacts | undefined;
}

interface SettlementFacts {
	readonly network: string;
	readonly transactionHash: string;
	readonly payer: string;
	readonly paymentId: string;
}

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
