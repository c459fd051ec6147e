/** What every way to pay, and everything that sells, shares of money. */

export * from "./balance-method.js";
export * from "./challenge.js";
export * from "./idempotency.js";
export * from "./ledger.js";
export * from "./payment-method.js";
export * from "./price-list.js";
