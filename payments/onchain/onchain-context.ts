import type { Caller, SettlementWire } from "../../src/contract/contract.js";
import type { Clock, Ids, Micros } from "../../src/kernel/kernel.js";
import type { Store, StoreTransaction } from "../../store/store.js";
import type { Ledger, Offer, PaymentMethod, Quote } from "../payments.js";
import type { SptIssuer } from "../spt/spt.js";
import type { Facilitator, SettlementTerms } from "./facilitator.js";
import type { OnchainRequest, PaymentEnvelope } from "./payment-claim.js";
import type { PaymentWatch } from "./payment-watch.js";
import type { Settler } from "./settler.js";

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
export interface OnchainMethod extends PaymentMethod {
	/** Settles and books what is bought in one transaction; `alongside` names the token that took the money. Throws PAYMENT_ALREADY_USED on a repeat. */
	purchase<T>(
		request: OnchainRequest,
		alongside: (
			tx: StoreTransaction,
			funds: SettledFunds,
		) => Promise<{ readonly value: T; readonly tokenId: string }>,
	): Promise<Purchased<T>>;
}

/** What every step of a payment has at hand. */
export interface OnchainContext {
	readonly store: Store;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly terms: SettlementTerms;
	readonly facilitator: Facilitator;
	readonly envelopes: readonly PaymentEnvelope[];
	readonly watch: PaymentWatch;
	readonly settler: Settler;
	/** Turns money of an account into a token of its payer. */
	readonly issueCredit: SptIssuer["issueFrom"];
	readonly offers: (quote: Quote) => readonly Offer[];
}
