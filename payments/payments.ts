export { balanceOf, createBalanceMethod } from "./balance-method.js";
export {
	CONTINUATION_TYPES,
	type Continuation,
	createChallenge,
	type Offer,
	type PaymentErrorCode,
	PaymentRequired,
	type Quote,
	type X402Requirement,
} from "./challenge.js";
export { toHttpChallenge } from "./http-challenge.js";
export { beginAttempt, fingerprintOf, idempotencyIdOf, judgeAttempt } from "./idempotency.js";
export {
	createLedger,
	custAccount,
	heldAccount,
	type Ledger,
	REFUNDS_ACCOUNT,
	type RefundTerms,
} from "./ledger.js";
export { hasOpenJob } from "./open-job.js";
export {
	type AdmissionRequest,
	type AnsweredPart,
	type Balance,
	type Charged,
	type Credit,
	type HeldAdmission,
	isPayment,
	type JobHold,
	type JobOpening,
	type LaunchedAdmission,
	type PaymentMethod,
	type PaymentProof,
	type PricedAdmission,
	type Purchase,
	type Released,
	type ReplayedAdmission,
} from "./payment-method.js";
export { assertInScope } from "./payment-scope.js";
export { createPriceList, DEFAULT_PRICE_BOOK } from "./price-list.js";
export { createQuoteSeal, type QuotedTerms, type QuoteSeal } from "./quote-seal.js";
export { costOf, finishAttempt, noCost, toReceipt } from "./receipt.js";
