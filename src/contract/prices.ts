import type { Micros } from "../kernel/kernel.js";
import type { BillingType } from "./billing-types.js";
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
