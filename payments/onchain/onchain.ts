export {
	type PaymentEnvelope,
	PaymentRefused,
	type PaymentReport,
	type SignedPayment,
} from "./envelope.js";
export { chainIdOf, findUsdc, isSameAddress, isTestNetwork } from "./evm-assets.js";
export type {
	AuthorizationState,
	ChainReader,
	ChainTransfer,
	EarlierTransfers,
	Facilitator,
	Hex,
	RefusalReason,
	SettlementTerms,
	SettleOptions,
	SettleOutcome,
	TransferAuthorization,
	TransferSpan,
	Treasury,
} from "./facilitator.js";
export { fromV1Network, toV1Network } from "./networks.js";
export type { OnchainMethod, Purchased, SettledFunds } from "./onchain-context.js";
export { createOnchainMethod, type OnchainPayments } from "./onchain-method.js";
export type { DemoWallet, OnchainParts } from "./onchain-parts.js";
export type { OpenPayments } from "./payment-watch.js";
export { captureJob, creditHeld } from "./settled-money.js";
export { type Along, changePayment, placeIn, settlementKey, toBooked } from "./settlement-book.js";
export { reportUnreachable } from "./unreachable-payments.js";
