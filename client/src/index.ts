export type { JobOperationId, OperationId, PaidOperationId, StreamOperationId } from "./address.js";
export { type Ledger, memoryLedger } from "./budget.js";
export {
	type Client,
	type ClientOptions,
	createClient,
	type Input,
	type Output,
} from "./client.js";
export {
	ClientError,
	type ClientErrorCode,
	type Continuation,
	type ErrorDetail,
} from "./errors.js";
export type { ServerEvent } from "./events.js";
export type { Job, JobStatus } from "./job.js";
export type { CallOptions, Quote } from "./order.js";
export { apiKey, type Payer, type PaymentDemand, type PaymentOffer, spt } from "./payers.js";
export type { Receipt, ReceiptKey, Receipts } from "./receipts.js";
export type { EventStream } from "./stream.js";
