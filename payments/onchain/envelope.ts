import type { Payment, SettlementWire } from "../../src/contract/contract.js";
import type { Offer, Quote } from "../payments.js";
import type { RefusalReason, TransferAuthorization } from "./facilitator.js";

/** What an envelope carried: one EIP-3009 authorization, whichever protocol wrapped it. */
export interface SignedPayment {
	readonly rail: "x402" | "mpp";
	/** Addresses, nonce and signature in lower case. */
	readonly authorization: TransferAuthorization;
	/** CAIP-2 network the envelope names, known to us or not. */
	readonly network: string;
	/** Asset the envelope names, in lower case; undefined where its protocol leaves that to the challenge. */
	readonly asset?: string | undefined;
}

/** How a payment ended, for the protocol's own receipt. */
export type PaymentReport =
	| {
			readonly kind: "settled";
			readonly settlement: SettlementWire;
			readonly amountMicros: bigint;
			/** Epoch milliseconds of the settlement as we booked it. */
			readonly at: number;
	  }
	| {
			readonly kind: "failed";
			readonly reason: RefusalReason;
			/** Lower-case address; undefined when the payload could not be read. */
			readonly payer: string | undefined;
			readonly transactionHash?: string | undefined;
	  };

/**
 * One way to carry a signed transfer: how it is asked for, read and answered. What the transfer itself must say (network,
 * asset, recipient, amount, times) is checked once for all of them by `checkAuthorization`.
 */
export interface PaymentEnvelope {
	readonly rail: "x402" | "mpp";
	/** True when this envelope carries the payment. */
	accepts(payment: Payment): boolean;
	/** What the challenge adds for this envelope's clients; undefined when it cannot carry this quote. */
	offer(quote: Quote): Offer | undefined;
	/** Reads the payload, free of any quote. Throws PaymentRefused ("invalid_payload") for one of another shape. */
	read(payment: Payment): SignedPayment;
	/** What the envelope says beside the transfer must fit what is bought: its resource, its challenge. Throws PaymentRefused. */
	match(payment: Payment, quote: Quote): void;
	/** Receipt headers of the protocol, for a success and for a failure; empty where it has none for failures. */
	receiptHeaders(payment: Payment, report: PaymentReport): Readonly<Record<string, string>>;
}

/** A payment that buys nothing as it stands; the method turns it into PAYMENT_REJECTED with the challenge. */
export class PaymentRefused extends Error {
	readonly reason: RefusalReason;

	constructor(reason: RefusalReason, message: string) {
		super(message);
		this.name = "PaymentRefused";
		this.reason = reason;
	}
}
