import { createInvariantGuard, type InvariantGuard } from "../../payments/audit/invariants.js";
import type { Offer, Quote } from "../../payments/challenge.js";
import { createLedger, type Ledger } from "../../payments/ledger.js";
import { createChallengeIssuer } from "../../payments/mpp/challenge-issuer.js";
import { createEvmCharge } from "../../payments/mpp/evm-charge.js";
import { createPrepaidCharge, offerPrepaid } from "../../payments/mpp/prepaid-charge.js";
import { createOnchainMethod, type OnchainContext } from "../../payments/onchain/onchain-method.js";
import type { OnchainParts } from "../../payments/onchain/onchain-parts.js";
import type { PaymentMethod } from "../../payments/payment-method.js";
import { createPlanMethod } from "../../payments/plan/plan-method.js";
import { createPriceList } from "../../payments/price-list.js";
import { createQuoteSeal, type QuoteSeal } from "../../payments/quote-seal.js";
import { createJobBilling, type JobBilling } from "../../payments/refunds/job-billing.js";
import { createRefundPayouts, type RefundPayouts } from "../../payments/refunds/refund-payouts.js";
import { createRefunds, type Refunds } from "../../payments/refunds/refunds.js";
import { createSweeper, type Sweeper } from "../../payments/refunds/sweep.js";
import { createSptIssuer, type SptIssuer } from "../../payments/spt/spt-issuer.js";
import { createSptMethod } from "../../payments/spt/spt-method.js";
import { type Environment, sourceOf } from "../../payments/spt/token.js";
import { createX402Envelope } from "../../payments/x402/x402-envelope.js";
import type { Store } from "../../store/store-port.js";
import { createFindAccess } from "../accounts/account-access.js";
import { createOpenAccount, type OpenAccount } from "../accounts/account-opening.js";
import { finishErasures } from "../accounts/account-profile.js";
import { type AccountProfiles, createAccountProfiles } from "../accounts/account-profiles.js";
import { type ApiKeys, createApiKeys } from "../accounts/api-keys.js";
import { type ConnectionTokens, createConnectionTokens } from "../accounts/connection-tokens.js";
import type { KeyFolder } from "../accounts/key-folder.js";
import { LIMITS } from "../contract/limits.js";
import type { PriceList } from "../contract/prices.js";
import { type CallRates, createCallRates } from "../http/call-rates.js";
import type { Clock } from "../kernel/clock.js";
import type { Ids } from "../kernel/ids.js";
import type { Logger } from "../kernel/logger.js";
import type { Random } from "../kernel/random.js";
import { type Cashier, createCashier, offersOf } from "../sales/cashier.js";
import { createRedeemQuote } from "../sales/quotes.js";
import type { Settings } from "../settings/read-settings.js";
import { createIdentity } from "./app-identity.js";
import { createGrantFinder } from "./app-oauth-access.js";

export interface MoneyDeps {
	readonly store: Store;
	readonly keys: KeyFolder;
	readonly settings: Settings;
	readonly clock: Clock;
	readonly random: Random;
	readonly ids: Ids;
	readonly logger: Logger;
	/** Public base address; known once the server listens. */
	readonly baseUrl: () => string;
	/** Undefined while no chain is configured: then tokens and keys only. */
	readonly onchain?: OnchainParts | undefined;
}

/** Everything that knows of money, wired to one store. */
export interface Money {
	readonly ledger: Ledger;
	readonly prices: PriceList;
	readonly methods: readonly PaymentMethod[];
	readonly spts: SptIssuer;
	readonly apiKeys: ApiKeys;
	readonly connections: ConnectionTokens;
	readonly profiles: AccountProfiles;
	readonly openAccount: OpenAccount;
	readonly finishErasures: () => Promise<void>;
	readonly guard: InvariantGuard;
	readonly refunds: Refunds;
	readonly refundPayouts: RefundPayouts;
	readonly sweeper: Sweeper;
	readonly jobBilling: JobBilling;
	readonly cashier: Cashier;
	readonly callRates: CallRates;
	/** Payments on a chain; undefined while none is configured. */
	readonly onchain: OnchainContext | undefined;
	readonly quoteSeal: QuoteSeal;
	/** Every way to pay, as a caller without a credential is told. */
	readonly offersOf: (quote: Quote) => readonly Offer[];
}

/** The demo profile deals in paper money. */
export function environmentOf(profile: Settings["profile"]): Environment {
	return profile === "demo" ? "test" : "live";
}

export function createMoney(deps: MoneyDeps): Money {
	const { store, keys, settings, clock, random, ids } = deps;
	const { pepper } = keys;
	const environment = environmentOf(settings.profile);
	const ledger = createLedger({ clock, ids });
	const prices = createPriceList(settings.prices);
	const apiKeys = createApiKeys({ store, clock, random, ids, pepper });
	const connections = createConnectionTokens({ store, clock, random, ids, pepper });
	const profiles = createAccountProfiles(store.documents);
	const findSubject = createIdentity({ ...deps, identity: settings.identity, pepper });
	const findGrant = createGrantFinder({ ...deps, oauth: settings.oauth });
	const findAccess = createFindAccess({
		store,
		keys: apiKeys,
		connections,
		findSubject,
		findGrant,
	});
	const paymentChallenges = createChallengeIssuer({ pepper, clock, random });
	const isForSale = () => onchain !== undefined;
	const prepaid = createPrepaidCharge({ issuer: paymentChallenges });
	const methods = [
		offerPrepaid(createSptMethod({ ledger, clock, pepper, environment, isForSale }), prepaid),
		createPlanMethod({ ledger, clock, findAccess }),
	];
	const spts = createSptIssuer({ store, ledger, clock, random, ids, pepper, environment });
	const onchain = createOnchain(deps, { ledger, spts, paymentChallenges });
	const guard = createInvariantGuard({ store, clock });
	const quoteSeal = createQuoteSeal(pepper);
	const redeemQuote = createRedeemQuote({ seal: quoteSeal, clock });
	const callRates = createCallRates({ clock, requestsPerMinute: settings.requestsPerMinute });
	const sell = { store, clock, prices, methods, guard, redeemQuote, prepaid, onchain };
	return {
		ledger,
		prices,
		methods,
		apiKeys,
		connections,
		profiles,
		openAccount: createOpenAccount({
			keys: apiKeys,
			profiles,
			accounts: settings.accounts,
			pepper,
		}),
		finishErasures: () => finishErasures({ store, clock, profiles }),
		guard,
		refunds: createRefunds({ store, clock, ids }),
		refundPayouts: createRefundPayouts({
			store,
			clock,
			ids,
			manualSource: sourceOf(environment),
			onchain: deps.onchain,
		}),
		spts,
		sweeper: createSweeper({ store, ledger, clock }),
		jobBilling: createJobBilling({ clock, ledger, methods, spts }),
		cashier: callRates.watch(createCashier(sell)),
		callRates,
		onchain,
		quoteSeal,
		offersOf: (quote) => offersOf({ methods, onchain }, quote),
	};
}

/** x402 first: its clients read the first offer they know. */
function createOnchain(
	{ onchain: parts, store, clock, ids, logger }: MoneyDeps,
	{
		ledger,
		spts,
		paymentChallenges: issuer,
	}: {
		ledger: Ledger;
		spts: SptIssuer;
		paymentChallenges: ReturnType<typeof createChallengeIssuer>;
	},
): OnchainContext | undefined {
	if (!parts) return undefined;
	const { terms, facilitator, chain } = parts;
	return createOnchainMethod({
		store,
		ledger,
		clock,
		ids,
		logger,
		terms,
		facilitator,
		chain,
		envelopes: [createX402Envelope(terms), createEvmCharge({ terms, issuer })],
		issueCredit: spts.issueFrom,
	});
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
