import type { Micros } from "../../src/kernel/kernel.js";
import type { OwnedRow } from "./account-rows.js";

/**
 * One payment on a chain, from its reservation on; `id` is made of (network, asset, payer, nonce), so that one
 * authorization is reserved once.
 *
 * reserved → settling → settled → captured | credited; reserved → released; settling → refused → released | settled;
 * settling → unknown → settled | released.
 */
export interface PaymentRow {
	readonly id: string;
	readonly state: PaymentState;
	readonly rail: "x402" | "mpp";
	/** CAIP-2, e.g. `eip155:84532`. */
	readonly network: string;
	readonly asset: string;
	readonly payer: string;
	readonly nonce: string;
	readonly payTo: string;
	/** Epoch seconds, as signed. */
	readonly validAfter: number;
	/** Kept while the outcome is open, so that a facilitator can be asked again. */
	readonly signature?: string | undefined;
	readonly amountMicros: Micros;
	/** End of the authorization's validity: from then on no one can settle it any more. */
	readonly validBefore: number;
	/** CAIP-10 account id of the payer; names its ledger accounts. */
	readonly owner: string;
	/** Hash of operation and input: what this payment may buy. */
	readonly fingerprint: string;
	/** Hash of the signed authorization, so that its nonce alone proves nothing once the signature is gone. */
	readonly authorizationHash: string;
	readonly operationId: string;
	readonly billingType: string;
	readonly graphIds: readonly string[];
	readonly idempotencyId?: string | undefined;
	readonly transactionHash?: string | undefined;
	/** Ledger transaction that booked the settlement. */
	readonly settlementId?: string | undefined;
	readonly holdId?: string | undefined;
	readonly receiptId?: string | undefined;
	/** Token that was bought with it, or that credits a failed call. */
	readonly tokenId?: string | undefined;
	/** Job that owns its money, or owned it. */
	readonly jobId?: string | undefined;
	/** Why it was refused or released. */
	readonly reason?: string | undefined;
	/** The whole answer was handed to the caller's connection, or is being given for the second and last time. */
	readonly isDelivered?: boolean | undefined;
	readonly createdAt: number;
	readonly updatedAt: number;
	/** When the row may be forgotten: never before `validBefore`, never while its outcome is open. */
	readonly expiresAt: number;
}

export type PaymentState =
	| "reserved"
	| "settling"
	| "unknown"
	| "refused"
	| "settled"
	| "captured"
	| "credited"
	| "released";

/** A payment that a request is being answered with; `id` is the payment's. */
export interface PaymentMarkRow {
	readonly id: string;
	/** Retry key that the request came with: row of `idempotency`. */
	readonly key?: string | undefined;
	readonly markId: string;
	readonly processId: string;
	/** Epoch milliseconds from which on it counts for no other process. */
	readonly until: number;
}

/** A transaction on a chain that was accepted as a settlement; kept forever. */
export interface SettlementRow {
	/** 16 bytes of the hash of network and transaction. */
	readonly id: string;
}

/** Money on its way back: out of the ledger's `refunds` account once it is paid. */
export interface RefundRow {
	readonly id: string;
	/** The receipt or token it refunds. */
	readonly ref: string;
	readonly owner: string;
	readonly amountMicros: Micros;
	readonly reason: string;
	/** `paying` from before its transfer is sent until its outcome is known: it is never sent again meanwhile. */
	readonly state: "pending" | "paying" | "paid";
	/** CAIP-10 account it goes to; absent when the operator pays it by other means. */
	readonly destination?: string | undefined;
	readonly transactionHash?: string | undefined;
	/** Number of its transfer among those of our key; a second transfer of the same number replaces the first. */
	readonly nonce?: number | undefined;
	/** Transfers that were signed for it before; each of them may be the one that was carried out. */
	readonly earlierHashes?: readonly string[] | undefined;
	readonly createdAt: number;
	/** When its latest transfer was about to be sent. */
	readonly payingSince?: number | undefined;
	readonly paidAt?: number | undefined;
}

/** What a caller asked back of a call; the refund that grants it has the same id. */
export interface RefundRequestRow extends OwnedRow {
	readonly receiptId: string;
	/** Whether the document of its id has a reason, in the caller's words. */
	readonly hasReason: boolean;
	readonly state: "open" | "granted" | "declined";
	readonly createdAt: number;
	readonly decidedAt?: number | undefined;
}

/** A party to an invoice, as it was when that was issued. */
export interface InvoiceParty {
	readonly name: string;
	readonly address: string;
	/** ISO 3166-1 alpha-2; empty where it was not told. */
	readonly country: string;
	readonly vatId: string;
}

/** What an account was charged in one month, and what went back to it; it never changes once it is issued. */
export interface InvoiceRow {
	readonly id: string;
	readonly accountId: string;
	/** From 1 on, over all accounts and without gaps. */
	readonly number: number;
	/** `YYYY-MM`, UTC. */
	readonly month: string;
	readonly issuedAt: number;
	readonly lines: readonly InvoiceLine[];
	readonly credits: readonly InvoiceCredit[];
	/** Lines less credits, VAT included. */
	readonly totalMicros: Micros;
	/** Part of the total. */
	readonly vatMicros: Micros;
	/** Of its lines; of its first credit where it has none. */
	readonly vatBasisPoints: number;
	readonly isReverseCharge: boolean;
	readonly seller: InvoiceParty | null;
	/** Null where its account said nothing, and once that is erased. */
	readonly customer: InvoiceParty | null;
}

export interface InvoiceLine {
	readonly operationId: string;
	readonly calls: number;
	readonly amountMicros: Micros;
}

export interface InvoiceCredit {
	readonly refundId: string;
	readonly receiptId: string;
	readonly at: number;
	readonly amountMicros: Micros;
	/** As the invoice of its call has them. */
	readonly vatBasisPoints: number;
	readonly isReverseCharge: boolean;
}

/** A number that only grows, e.g. that of the invoice issued last. */
export interface CounterRow {
	readonly id: string;
	readonly value: number;
}

/** A paid answer of which no byte was written before its connection closed; `id` is its receipt's. */
export interface UndeliveredRow extends OwnedRow {
	/** It was asked for again and may have arrived then; it is never taken for undelivered any more. */
	readonly wasRepeated?: true | undefined;
}
