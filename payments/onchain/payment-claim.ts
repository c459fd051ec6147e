import { hash } from "node:crypto";
import type { Caller, Payment, SettlementWire } from "../../src/contract/contract.js";
import type { PaymentRow } from "../../store/store.js";
import { type AdmissionRequest, idempotencyIdOf, type Offer, type Quote } from "../payments.js";
import type { Hex, RefusalReason, SettlementTerms, TransferAuthorization } from "./facilitator.js";

const ID_CHARS = 32;
const HOUR_MS = 3_600_000;

/** A call or a purchase that a payment on a chain is to pay. */
export interface OnchainRequest
	extends Pick<AdmissionRequest, "quote" | "fingerprint" | "graphIds" | "idempotencyKey" | "job"> {
	readonly payment: Payment;
	/** D8: settle before the work (streams, jobs, 2 USD and more), or after it. */
	readonly settlesFirst: boolean;
}

/** One signed payment and what it is meant to buy. */
export interface PaymentClaim {
	readonly id: string;
	readonly envelope: PaymentEnvelope;
	readonly signed: SignedPayment;
	readonly request: OnchainRequest;
	readonly payer: Caller;
	readonly authorizationHash: string;
	/** The caller's retry key, bound to payer and operation. */
	readonly idempotencyId: string | undefined;
	/** The challenge of a refusal, so that a client can pay again at once. */
	readonly offers: () => readonly Offer[];
	/** Too late to be sent; what was sent in time may still be asked for. */
	readonly expired?: PaymentRefused | undefined;
}

export function toClaim(
	request: OnchainRequest,
	parts: Pick<PaymentClaim, "envelope" | "signed" | "offers">,
): PaymentClaim {
	const payer = payerOf(parts.signed);
	const { idempotencyKey: key, quote } = request;
	return {
		...parts,
		id: toPaymentId(parts.signed),
		request,
		payer,
		authorizationHash: hashAuthorization(parts.signed.authorization),
		idempotencyId:
			key === undefined ? undefined : idempotencyIdOf(payer.owner, quote.operationId, key),
	};
}

/** The wallet as its CAIP-10 account id. */
export function payerOf({ rail, network, authorization }: SignedPayment): Caller {
	return { owner: `${network}:${authorization.from.toLowerCase()}`, rail };
}

/** The reservation's row; it says everything that settling or asking again later needs. */
export function toPaymentRow(claim: PaymentClaim, terms: SettlementTerms, now: number): PaymentRow {
	const { signed, request, payer } = claim;
	const { authorization, rail } = signed;
	const { quote, fingerprint, graphIds } = request;
	return {
		id: claim.id,
		state: "reserved",
		rail,
		network: terms.network,
		asset: terms.asset.toLowerCase(),
		payer: authorization.from,
		nonce: authorization.nonce,
		payTo: authorization.to,
		validAfter: authorization.validAfter,
		validBefore: authorization.validBefore,
		signature: authorization.signature,
		amountMicros: authorization.value,
		owner: payer.owner,
		fingerprint,
		authorizationHash: claim.authorizationHash,
		operationId: quote.operationId,
		billingType: quote.billingType,
		graphIds,
		idempotencyId: claim.idempotencyId,
		createdAt: now,
		updatedAt: now,
		expiresAt: endOfBinding(authorization.validBefore),
	};
}

/** An unsent payment is remembered until it has expired, plus an hour of clock skew. */
export function endOfBinding(validBefore: number): number {
	return validBefore * 1_000 + HOUR_MS;
}

/** The authorization a row was reserved for, as long as its outcome is open. */
export function authorizationOf(row: PaymentRow): TransferAuthorization {
	return {
		from: row.payer as Hex,
		to: row.payTo as Hex,
		value: row.amountMicros,
		validAfter: row.validAfter,
		validBefore: row.validBefore,
		nonce: row.nonce as Hex,
		signature: (row.signature ?? "0x") as Hex,
	};
}

/** One id for one nonce of one payer, whatever else is signed with it. */
function toPaymentId({ network, authorization }: SignedPayment): string {
	const text = `${network}\n${authorization.from}\n${authorization.nonce}`.toLowerCase();
	return `pay_${hash("sha256", text, "hex").slice(0, ID_CHARS)}`;
}

function hashAuthorization(authorization: TransferAuthorization): string {
	const { from, to, value, validAfter, validBefore, nonce, signature } = authorization;
	const text = [from, to, value, validAfter, validBefore, nonce, signature].join("\n");
	return hash("sha256", text.toLowerCase(), "base64url");
}

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

/** One protocol that carries a signed transfer; the transfer itself is checked once for all of them by `checkAuthorization`. */
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
