import type { Micros } from "../kernel/kernel.js";
import type { PricedOperationId } from "./operations.js";

export interface Price {
	readonly amountMicros: Micros;
	readonly billingType: BillingType;
}

export type PriceBook = Readonly<Record<PricedOperationId, Price>>;

/** The one graph that a call names, and the one concept of it that it reads. */
export interface PriceSubject {
	readonly graphId: string;
	readonly conceptId?: string | undefined;
}

/** Prices are asked for by operation, never by skill or path; with a subject it is the price there. */
export interface PriceList {
	priceOf(operationId: PricedOperationId, subject?: PriceSubject): Price;
	all(): PriceBook;
	/** Graphs that have prices of their own, in the order of their ids. */
	graphs(): readonly PricedGraph[];
}

export interface PricedGraph {
	readonly graphId: string;
	readonly terms: GraphTerms;
	/** Concepts with a price of their own, by id. */
	readonly concepts: ReadonlyMap<string, Micros>;
}

/** What a graph says of its price and of who shares in its revenue. */
export interface GraphTerms {
	/** Of any call of billing type per_call that names this graph alone. */
	readonly priceMicros?: Micros | undefined;
	/** By operation; it goes before the graph's price. */
	readonly prices: Readonly<Partial<Record<PricedOperationId, Micros>>>;
	/** All of its revenue; none where it is the operator's. */
	readonly owners: readonly OwnerShare[];
}

export interface OwnerShare {
	/** The operator's own share goes by the name "operator". */
	readonly owner: string;
	/** Hundredths of a percent; those of a graph add up to 10,000. */
	readonly basisPoints: number;
}

/** Where the terms of graphs on sale are found. */
export interface GraphTermsSource {
	find(graphId: string): GraphTerms | undefined;
	conceptPrices(graphId: string): ReadonlyMap<string, Micros>;
	/** In their own order. */
	graphIds(): readonly string[];
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
