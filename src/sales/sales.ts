export { type CallMeter, createCallMeter, endingOf } from "./call-meter.js";
export { type Cashier, createCashier, offersOf } from "./cashier.js";
export { createInterruptedStreams } from "./interrupted-streams.js";
export { createInvoke, demandPrice } from "./invoke.js";
export { createInvokeStream, type InvokeStream } from "./invoke-stream.js";
export { createPaymentOperations, type PaymentOperations } from "./payment-operations.js";
export { createPaymentRecords, type PaymentRecords } from "./payment-records.js";
export { continuationSchema } from "./payment-wire.js";
export { createRedeemQuote } from "./quotes.js";
export { createScheduleBilling } from "./schedule-billing.js";

export { createSoldStreams, type SoldStream, type SoldStreams } from "./sold-streams.js";
export {
	createPurchases,
	type Purchases,
} from "./spt-purchase.js";
export { createKeptStreams } from "./stored-streams.js";
export type { FollowedStream, NumberedEvent } from "./stream-record.js";
export { createJobGapRecorder, createUsageRecorder } from "./usage.js";
