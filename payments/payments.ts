export type {
	AnsweredPart,
	Charged,
	Credit,
	HeldAdmission,
	JobHold,
	JobOpening,
	LaunchedAdmission,
	OnchainMethod,
	OnchainRequest,
	PricedAdmission,
	Purchased,
	Released,
	ReplayedAdmission,
	SettledFunds,
} from "./admission.js";
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
export type { PaymentMethod, Purchase, Rail } from "./payment-method.js";
export { assertInScope } from "./payment-scope.js";
export { createPriceList, DEFAULT_PRICE_BOOK } from "./price-list.js";
export { createQuoteSeal, type QuotedTerms, type QuoteSeal } from "./quote-seal.js";
export { costOf, finishAttempt, noCost, toReceipt } from "./receipt.js";
