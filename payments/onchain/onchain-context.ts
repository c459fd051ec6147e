import type { Clock, Ids } from "../../src/kernel/kernel.js";
import type { Store } from "../../store/store.js";
import type { Ledger, Offer, Quote } from "../payments.js";
import type { SptIssuer } from "../spt/spt.js";
import type { PaymentEnvelope } from "./envelope.js";
import type { Facilitator, SettlementTerms } from "./facilitator.js";
import type { PaymentWatch } from "./payment-watch.js";
import type { Settler } from "./settler.js";

/** What every step of a payment has at hand. */
export interface Desk {
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
