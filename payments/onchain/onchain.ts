export type {
	AuthorizationState,
	ChainReader,
	ChainTransfer,
	DemoWallet,
	EarlierTransfers,
	Facilitator,
	Hex,
	OnchainParts,
	RefusalReason,
	SettlementTerms,
	SettleOptions,
	SettleOutcome,
	TransferAuthorization,
	TransferSpan,
	Treasury,
} from "./facilitator.js";
export {
	chainIdOf,
	findUsdc,
	fromV1Network,
	isSameAddress,
	isTestNetwork,
	toV1Network,
} from "./networks.js";
export {
	createOnchainMethod,
	type OnchainMethod,
	type OnchainPayments,
	type Purchased,
	type SettledFunds,
} from "./onchain-method.js";
export {
	type PaymentEnvelope,
	PaymentRefused,
	type PaymentReport,
	type SignedPayment,
} from "./payment-claim.js";
export type { OpenPayments } from "./payment-watch.js";
export { reportUnreachable } from "./reconciler.js";
export {
	type Along,
	captureJob,
	changePayment,
	creditHeld,
	placeIn,
	settlementKey,
	toBooked,
} from "./settlement-book.js";
