export { createJobBilling, type JobBilling, type JobPaid } from "./job-billing.js";
export {
	bookUnexplained,
	type Movement,
	type Reconciliation,
	reconcile,
} from "./reconciliation.js";
export { createRefunds, type Refunds, refundedOf } from "./refund-ledger.js";
export { createRefundPayouts, type RefundPayouts } from "./refund-payouts.js";
export {
	createRefundRequests,
	type OpenRequest,
	type RefundRequests,
	type RefundState,
	readRefundReason,
} from "./refund-requests.js";
export { createSweeper, type Sweeper } from "./sweep.js";
