import type {
	Caller,
	Credential,
	IdentifyOptions,
	ReleaseReason,
} from "../src/contract/contract.js";
import type { Micros } from "../src/kernel/kernel.js";
import type { HoldRow, Store, StoreReader, StoreTransaction } from "../store/store.js";
import type { Offer, Quote } from "./challenge.js";

export type Rail = "spt" | "plan" | "x402" | "mpp";

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

/** A way to pay from a balance we keep. A method knows money, never skills' work, and never the transport that carried the credential. */
export interface PaymentMethod {
	readonly rail: Rail;
	/** True when this method understands the credential. */
	accepts(credential: Credential): boolean;
	/** What a caller without a credential is offered; undefined when the rail is not configured. */
	offer(quote: Quote): Offer | undefined;
	/**
	 * Who the credential belongs to. Throws UNAUTHENTICATED, alike for unknown, expired and revoked ones, and NOT_FOUND for
	 * a subject that has no account and opens none.
	 */
	identify(
		store: Pick<Store, "read">,
		credential: Credential,
		options?: IdentifyOptions,
	): Promise<Caller>;
	/**
	 * Judges scope and credential alone, where something paid for is given out again. Throws UNAUTHENTICATED,
	 * SCOPE_FORBIDDEN. Absent where both are as they were.
	 */
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
