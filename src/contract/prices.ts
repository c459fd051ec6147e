import type { Micros } from "../kernel/kernel.js";
import type { PricedOperationId } from "./operations.js";

export interface Price {
	readonly amountMicros: Micros;
	readonly billingType: BillingType;
}

export type PriceBook = Readonly<Record<PricedOperationId, Price>>;

/** Prices are asked for by operation, never by skill or path. */
export interface PriceList {
	priceOf(operationId: PricedOperationId): Price;
	all(): PriceBook;
}

/** By what a call is billed; each has its account of revenue in the ledger, `rev:<billing type>`. */
export const BILLING_TYPES = [
	"free",
	"per_call",
	"brand_flat",
	"deep_research_light",
	"deep_research_heavy",
	"research_chat",
	"research_stream",
	"weekly_tracker",
	"prepaid",
] as const;
export type BillingType = (typeof BILLING_TYPES)[number];

/** Why a hold was released; kept as the memo of the release. */
export type ReleaseReason =
	| "no_answer"
	| "failed"
	| "client_gone"
	| "timeout"
	| "expired"
	| "cancelled"
	| "restart";
