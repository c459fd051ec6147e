import type { Caller, Payment, ReleaseReason, SettlementWire } from "../src/contract/contract.js";
import type { Micros } from "../src/kernel/kernel.js";
import type { HoldRow, ReceiptRow, StoreTransaction } from "../store/store.js";
import type { Offer, Quote } from "./challenge.js";

/** What a capture leaves behind for the caller. */
export interface Charged {
	readonly receipt: ReceiptRow;
	readonly settlement?: SettlementWire | undefined;
	/** Receipt headers of the rail, for HTTP transports. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** A token that gives a payer back what was settled for work that then failed; its secret is shown once. */
export interface Credit {
	readonly token: string;
	readonly id: string;
	readonly amountMicros: Micros;
}

export interface Released {
	/** What the payer has left with us; undefined on rails that keep no balance. */
	readonly balanceMicros: Micros | undefined;
	readonly credit?: Credit | undefined;
	readonly settlement?: SettlementWire | undefined;
	readonly headers?: Readonly<Record<string, string>>;
}

/** What is taken of a price for several units when only some of them had an answer. */
export interface AnsweredPart {
	readonly amountMicros: Micros;
	/** Places of the units it is for. */
	readonly units: readonly number[];
}

/** Leave to work against a reserved price. Exactly one of `capture` and `release` is called, once. */
export interface HeldAdmission {
	readonly kind: "held";
	/** What receipts name as `holdId`: the same when the call is sent again. */
	readonly id: string;
	readonly payer: Caller;
	readonly quote: Quote;
	/**
	 * Takes what the answer is worth, at most what is held, and all of that where no part is named; what settles on a chain
	 * is taken whole. Durable before it resolves, and only then may the result leave. Throws PAYMENT_REJECTED, SETTLEMENT_UNKNOWN or
	 * UNAVAILABLE when the money did not come: then nothing is delivered.
	 */
	capture(part?: AnsweredPart): Promise<Charged>;
	/** Never throws: what cannot be released now expires or is reconciled. */
	release(reason: ReleaseReason): Promise<Released>;
	/** The whole answer was handed to the connection. */
	delivered?(): void;
	/** The connection closed before that. */
	abandoned?(): void;
}

/** Paid for and answered before: the same receipt, the work again at price zero. */
export interface ReplayedAdmission extends Charged {
	readonly kind: "replayed";
	readonly payer: Caller;
	delivered?(): void;
	abandoned?(): void;
}

/** What a call is held for that goes on when the call has ended. */
export interface JobOpening {
	/** Unguessable. */
	readonly id: string;
	/** Takes a place in the queue, once, before any money moves. Throws RATE_LIMITED or UNAVAILABLE where there is none. */
	reserve(): void;
	/** Writes the job's row in the transaction that opens its hold: neither is there without the other. */
	open(tx: StoreTransaction, held: JobHold): Promise<void>;
}

export interface JobHold {
	readonly hold: HoldRow;
	/** What the job may cost, as it was quoted. */
	readonly quote: Quote;
	readonly fingerprint: string;
	readonly graphIds: readonly string[];
	/** Whether only its payer can have sent the payment. */
	readonly isProven: boolean;
}

/** A job owns the hold: one that was opened for this call, or by an earlier one with the same retry key or payment. */
export interface LaunchedAdmission {
	readonly kind: "launched";
	readonly payer: Caller;
	readonly quote: Quote;
	readonly jobId: string;
	readonly isNew: boolean;
	readonly balanceMicros: Micros | undefined;
	readonly settlement?: SettlementWire | undefined;
	readonly headers?: Readonly<Record<string, string>>;
	delivered?(): void;
	abandoned?(): void;
}

/** Leave to work at a price: it is held, was paid before, or is a job's. */
export type PricedAdmission = HeldAdmission | ReplayedAdmission | LaunchedAdmission;

export interface OnchainRequest {
	readonly payment: Payment;
	readonly quote: Quote;
	/** Hash of operation and canonical input: what this payment may buy, and nothing else. */
	readonly fingerprint: string;
	readonly graphIds: readonly string[];
	/** Retry key of the caller, already bound to operation and payer by the method. */
	readonly idempotencyKey: string | undefined;
	/** D8: settle before the work (streams, jobs, 2 USD and more), or after it. */
	readonly settlesFirst: boolean;
	/** For work that outlives the call. */
	readonly job?: JobOpening | undefined;
}

/** Where a purchase finds its money, inside the transaction that books the settlement. */
export interface SettledFunds {
	/** Ledger account that holds the settled amount now: `cust:<wallet>`. */
	readonly account: string;
	/** CAIP-10 account id of the wallet. */
	readonly owner: string;
	readonly amountMicros: Micros;
	readonly paymentId: string;
	readonly settlement: SettlementWire;
}

export interface Purchased<T> {
	readonly value: T;
	readonly payer: Caller;
	readonly settlement: SettlementWire;
	readonly receiptId: string;
	readonly headers: Readonly<Record<string, string>>;
	delivered?(): void;
}

/** Ways to pay whose money moves on a chain: x402 in both versions, and MPP's evm charge. */
export interface OnchainMethod {
	/** What a caller without a credential is offered. */
	offers(quote: Quote): readonly Offer[];
	/** The wallet a payment names, from its envelope alone. Throws PAYMENT_REJECTED for one that cannot be read. */
	identify(payment: Payment): Caller;
	/**
	 * Reserves the payment durably, bound to the fingerprint, has it verified and, when it settles first, settled.
	 * Throws PAYMENT_REJECTED, PAYMENT_ALREADY_USED, IDEMPOTENCY_IN_FLIGHT, SETTLEMENT_UNKNOWN, UPSTREAM.
	 */
	admit(request: OnchainRequest): Promise<PricedAdmission>;
	/**
	 * Settles at once and books what is bought in the same transaction. `alongside` returns its value and the id of the
	 * token that took the money; sent again, the same payment throws PAYMENT_ALREADY_USED and names that token.
	 */
	purchase<T>(
		request: OnchainRequest,
		alongside: (
			tx: StoreTransaction,
			funds: SettledFunds,
		) => Promise<{ readonly value: T; readonly tokenId: string }>,
	): Promise<Purchased<T>>;
}
