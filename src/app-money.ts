import type { Offer, Quote } from "../payments/challenge.js";
import { createInvariantGuard, type InvariantGuard } from "../payments/invariants.js";
import { createLedger, type Ledger } from "../payments/ledger.js";
import { createChallengeIssuer } from "../payments/mpp/challenge-issuer.js";
import { createPrepaidCharge, offerPrepaid } from "../payments/mpp/prepaid-charge.js";
import type { PaymentMethod } from "../payments/payment-method.js";
import { createPlanMethod } from "../payments/plan/plan-method.js";
import { createPriceList, type PriceList } from "../payments/price-list.js";
import { createQuoteSeal, type QuoteSeal } from "../payments/quote-seal.js";
import { createRefunds, type Refunds } from "../payments/refunds.js";
import { createSptIssuer, type SptIssuer } from "../payments/spt/spt-issuer.js";
import { createSptMethod } from "../payments/spt/spt-method.js";
import type { Environment } from "../payments/spt/token.js";
import { createSweeper, type Sweeper } from "../payments/sweep.js";
import type { Store } from "../store/store.js";
import { type ApiKeys, createApiKeys } from "./auth/api-keys.js";
import type { KeyFolder } from "./auth/key-folder.js";
import type { Clock } from "./core/clock.js";
import type { Ids } from "./core/ids.js";
import { LIMITS } from "./core/limits.js";
import type { Random } from "./core/random.js";
import { type Cashier, createCashier, offersOf } from "./service/cashier.js";
import { createRedeemQuote } from "./service/quotes.js";
import type { Settings } from "./settings.js";

export interface MoneyDeps {
	readonly store: Store;
	readonly keys: KeyFolder;
	readonly settings: Settings;
	readonly clock: Clock;
	readonly random: Random;
	readonly ids: Ids;
}

/** Everything that knows of money, wired to one store. */
export interface Money {
	readonly ledger: Ledger;
	readonly prices: PriceList;
	readonly methods: readonly PaymentMethod[];
	readonly spts: SptIssuer;
	readonly apiKeys: ApiKeys;
	readonly guard: InvariantGuard;
	readonly refunds: Refunds;
	readonly sweeper: Sweeper;
	readonly cashier: Cashier;
	readonly quoteSeal: QuoteSeal;
	/** Every way to pay, as a caller without a credential is told. */
	readonly offersOf: (quote: Quote) => readonly Offer[];
}

/** The demo profile deals in paper money. */
export function environmentOf(profile: Settings["profile"]): Environment {
	return profile === "demo" ? "test" : "live";
}

export function createMoney({ store, keys, settings, clock, random, ids }: MoneyDeps): Money {
	const { pepper } = keys;
	const environment = environmentOf(settings.profile);
	const ledger = createLedger({ clock, ids });
	const prices = createPriceList(settings.prices);
	const apiKeys = createApiKeys({ store, clock, random, ids, pepper });
	const paymentChallenges = createChallengeIssuer({ pepper, clock, random });
	const prepaid = createPrepaidCharge({ issuer: paymentChallenges });
	const methods = [
		offerPrepaid(createSptMethod({ ledger, clock, pepper, environment }), prepaid),
		createPlanMethod({ ledger, clock, findAccountId: apiKeys.findAccountId }),
	];
	const guard = createInvariantGuard({ store, clock });
	const quoteSeal = createQuoteSeal(pepper);
	const redeemQuote = createRedeemQuote({ seal: quoteSeal, clock });
	return {
		ledger,
		prices,
		methods,
		apiKeys,
		guard,
		refunds: createRefunds({ store, clock, ids }),
		spts: createSptIssuer({ store, ledger, clock, random, ids, pepper, environment }),
		sweeper: createSweeper({ store, ledger, clock }),
		cashier: createCashier({ store, clock, prices, methods, guard, redeemQuote, prepaid }),
		quoteSeal,
		offersOf: (quote) => offersOf({ methods }, quote),
	};
}

/** The demo profile's token, the same over restarts, with 25 USD of paper money at each start. */
export async function provideDemoSpt(spts: SptIssuer, keys: KeyFolder): Promise<string> {
	const kept = keys.readDemoSpt();
	const row = kept === undefined ? undefined : await spts.find(kept);
	if (kept !== undefined && row?.status === "active") {
		await spts.fillUp(row.id, LIMITS.demoSptMicros);
		return kept;
	}
	const { token } = await spts.issue({ amountMicros: LIMITS.demoSptMicros, label: "demo" });
	keys.writeDemoSpt(token);
	return token;
}
