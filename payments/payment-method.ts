import type {
	Abandonment,
	Caller,
	Credential,
	IdentifyOptions,
	Payment,
	ReleaseReason,
	SettlementWire,
	Skill,
} from "../src/contract/contract.js";
import type { Micros } from "../src/kernel/kernel.js";
import type { HoldRow, ReceiptRow, Store, StoreReader, StoreTransaction } from "../store/store.js";
import type { Offer, Quote } from "./challenge.js";

/** What a caller sent to pay with: a credential that opens a balance, or the payment of this one call. */
export type PaymentProof = Credential | Payment;

/** One priced call that asks to be admitted. */
export interface AdmissionRequest {
	readonly proof: PaymentProof;
	/** Whom `identify` found. */
	readonly payer: Caller;
	readonly quote: Quote;
	/** Hash of operation and canonical input: what a payment or a retry key may buy, and nothing else. */
	readonly fingerprint: string;
	readonly graphIds: readonly string[];
	/** When the price is taken: what outlives an answer is held durably, or settled before the work. */
	readonly capture: Skill["capture"];
	readonly idempotencyKey: string | undefined;
	/** For work that outlives the call: then it is launched, not held. */
	readonly job?: JobOpening | undefined;
}

/** One way to pay, and all that the cashier knows of it: methods know money, never skills or transports (order: src/app/money.ts). */
export interface PaymentMethod {
	/** Its names in receipts and in GET /v1/payments/methods. */
	readonly rails: readonly string[];
	/** Where it holds prices on a balance that we keep: jobs and renewals take their money from there, without a call. */
	readonly balance?: Balance | undefined;
	/** What callers may pay it with. */
	readonly schemes: readonly PaymentProof["scheme"][];
	/** What a caller without a proof is offered. */
	offers(quote: Quote): readonly Offer[];
	/** Who pays. Throws UNAUTHENTICATED, NOT_FOUND for a subject without an account, PAYMENT_REJECTED for an unreadable payment. */
	identify(proof: PaymentProof, options?: IdentifyOptions): Promise<Caller>;
	/** Reserves the price before any work, or finds what the same retry key or payment bought. Throws PaymentRequired, IDEMPOTENCY_* and others. */
	admit(request: AdmissionRequest): Promise<PricedAdmission>;
}

/** Whether money moves for this one call, and not from a balance that the proof opens. */
export function isPayment(proof: PaymentProof): proof is Payment {
	return proof.scheme === "x402" || proof.scheme === "mpp";
}

/** What a hold is for: enough to check limits and scopes, nothing about the content. */
export interface Purchase {
	readonly quote: Quote;
	readonly graphIds: readonly string[];
	readonly idempotencyId: string | undefined;
}

export interface Captured {
	readonly transactionId: string;
	/** What the payer was charged; zero for a call of a free plan. */
	readonly paidMicros: Micros;
	readonly balanceAfterMicros: Micros;
}

/** Money that we keep for the owners of a kind of credential, and how it is held, taken and released inside a transaction. */
export interface Balance {
	readonly rail: string;
	/** What opens it. */
	readonly schemes: readonly Credential["scheme"][];
	/** What a caller without a credential is offered. */
	offer(quote: Quote): Offer;
	/** The credential's owner. Throws UNAUTHENTICATED, alike for unknown, expired and revoked ones, and NOT_FOUND for a subject without an account. */
	identify(
		store: Pick<Store, "read" | "transaction">,
		credential: Credential,
		options?: IdentifyOptions,
	): Promise<Caller>;
	/** Checks scope and credential before a replay; absent where neither can change. Throws UNAUTHENTICATED, SCOPE_FORBIDDEN. */
	assertMayBuy?(reader: StoreReader, payer: Caller, purchase: Purchase): Promise<void>;
	/** Holds the price. Throws INSUFFICIENT_BALANCE, SPENDING_LIMIT, QUOTA_EXCEEDED, SCOPE_FORBIDDEN. */
	authorize(tx: StoreTransaction, payer: Caller, purchase: Purchase): Promise<HoldRow>;
	/** Moves the amount, at most what is held and all of it by default; the rest goes back and the hold is closed. */
	capture(tx: StoreTransaction, hold: HoldRow, amountMicros?: Micros): Promise<Captured>;
	/** Gives the reservation back; never fails a caller. */
	release(tx: StoreTransaction, hold: HoldRow, reason: ReleaseReason): Promise<void>;
	/** What the payer has left, held money not counted. */
	balance(reader: StoreReader, payer: Caller): Promise<Micros>;
}

/** What a payment on a chain adds to an answer. */
interface Settled {
	readonly settlement?: SettlementWire | undefined;
	/** Receipt headers of the rail, for HTTP transports. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** What a capture leaves behind for the caller. */
export interface Charged extends Settled {
	readonly receipt: ReceiptRow;
}

/** A token that gives a payer back what was settled for work that then failed; its secret is shown once. */
export interface Credit {
	readonly token: string;
	readonly id: string;
	readonly amountMicros: Micros;
}

export interface Released extends Settled {
	/** What the payer has left with us; undefined on rails that keep no balance. */
	readonly balanceMicros: Micros | undefined;
	readonly credit?: Credit | undefined;
}

/** What is taken of a price for several units when only some of them had an answer. */
export interface AnsweredPart {
	readonly amountMicros: Micros;
	/** Places of the units it is for. */
	readonly units: readonly number[];
}

interface Admitted {
	readonly payer: Caller;
	/** The whole answer was handed to the connection. */
	delivered?(): void;
	/** The connection closed before that. */
	abandoned?(how: Abandonment): void;
}

/** Leave to work against a reserved price. Exactly one of `capture` and `release` is called, once. */
export interface HeldAdmission extends Admitted {
	readonly kind: "held";
	/** What receipts name as `holdId`: the same when the call is sent again. */
	readonly id: string;
	readonly quote: Quote;
	/** Takes a part, or all, of what is held, durably before it resolves. Throws PAYMENT_REJECTED, SETTLEMENT_UNKNOWN or UNAVAILABLE: nothing is delivered. */
	capture(part?: AnsweredPart): Promise<Charged>;
	/** Never throws: what cannot be released now expires or is reconciled. */
	release(reason: ReleaseReason): Promise<Released>;
}

/** Paid for and answered before: the same receipt, the work again at price zero. */
export interface ReplayedAdmission extends Admitted, Charged {
	readonly kind: "replayed";
}

/** A job whose row is written together with the hold of its call. */
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
export interface LaunchedAdmission extends Admitted, Settled {
	readonly kind: "launched";
	readonly quote: Quote;
	readonly jobId: string;
	readonly isNew: boolean;
	readonly balanceMicros: Micros | undefined;
}

/** Leave to work at a price: it is held, was paid before, or is a job's. */
export type PricedAdmission = HeldAdmission | ReplayedAdmission | LaunchedAdmission;
