import type { Clock, Ids, Logger } from "../../src/kernel/kernel.js";
import type { Store } from "../../store/store.js";
import type { Ledger } from "../payments.js";
import type { SptIssuer } from "../spt/spt.js";
import type { ChainReader, Facilitator, SettlementTerms } from "./facilitator.js";
import type { PaymentEnvelope } from "./payment-claim.js";
import type { PaymentMarks } from "./payment-marks.js";
import type { PaymentWatch } from "./payment-watch.js";

/** What every step of a payment on a chain has at hand. */
export interface OnchainContext {
	readonly store: Store;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
	readonly terms: SettlementTerms;
	readonly facilitator: Facilitator;
	/** Without it only the facilitator's success ends a payment of unknown outcome. */
	readonly chain?: ChainReader | undefined;
	/** In the order in which they are offered. */
	readonly envelopes: readonly PaymentEnvelope[];
	readonly watch: PaymentWatch;
	readonly marks: PaymentMarks;
	/** Turns money of an account into a token of its payer. */
	readonly issueCredit: SptIssuer["issueFrom"];
}
