/** What every way to pay, and everything that sells, shares of money. */

export { assertInScope, balanceOf, createBalanceMethod } from "./balance-method.js";
export {
	CONTINUATION_TYPES,
	type Continuation,
	createChallenge,
	type ListedRequest,
	type Offer,
	PaymentRequired,
	PriceNotAgreed,
	type Quote,
	refusePayment,
	toHttpChallenge,
	type X402Requirement,
} from "./challenge.js";
export {
	beginAttempt,
	fingerprintOf,
	hasOpenJob,
	idempotencyIdOf,
	judgeAttempt,
} from "./idempotency.js";
export {
	costOf,
	createLedger,
	custAccount,
	finishAttempt,
	heldAccount,
	type Ledger,
	noCost,
	REFUNDS_ACCOUNT,
	type RefundTerms,
	toEntries,
	toReceipt,
} from "./ledger.js";
export {
	createOwnersOf,
	isPayout,
	isShareAccount,
	OPERATOR,
	owedAccount,
	owedOf,
	ownerOf,
	PAYOUT_REF,
	shareEntries,
	splitMicros,
} from "./owner-shares.js";
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
export {
	createPriceList,
	createQuoteSeal,
	DEFAULT_PRICE_BOOK,
	type QuotedTerms,
	type QuoteSeal,
	type SettablePrices,
} from "./price-list.js";
export { isUndelivered, noteRepeated, noteUndelivered } from "./undelivered.js";
