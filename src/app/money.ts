import { createInvariantGuard, type InvariantGuard } from "../../payments/audit/audit.js";
import {
	createChallengeIssuer,
	createEvmCharge,
	withPrepaidCharge,
} from "../../payments/mpp/mpp.js";
import {
	createOnchainMethod,
	type OnchainParts,
	type OnchainPayments,
} from "../../payments/onchain/onchain.js";
import {
	type Balance,
	createBalanceMethod,
	createLedger,
	createOwnersOf,
	createPriceList,
	createQuoteSeal,
	type Ledger,
	type Offer,
	type PaymentMethod,
	type Quote,
	type QuoteSeal,
	type SettablePrices,
} from "../../payments/payments.js";
import { createPlanBalance } from "../../payments/plan/plan.js";
import {
	createJobBilling,
	createRefundPayouts,
	createRefundRequests,
	createRefunds,
	createSweeper,
	type JobBilling,
	type RefundPayouts,
	type RefundRequests,
	type Refunds,
	type Sweeper,
} from "../../payments/refunds/refunds.js";
import {
	createSptBalance,
	createSptIssuer,
	type Environment,
	type SptIssuer,
	sourceOf,
} from "../../payments/spt/spt.js";
import { createX402Envelope } from "../../payments/x402/x402.js";
import type { Store } from "../../store/store.js";
import {
	type AccountProfiles,
	type ApiKeys,
	type ConnectionTokens,
	createAccountProfiles,
	createApiKeys,
	createConnectionTokens,
	createFindAccess,
	createFindOwnGrant,
	createFindSubject,
	createIdentityVerifier,
	createIssuerKeys,
	createOpenAccount,
	createResourceVerifier,
	type FindGrant,
	finishErasures,
	type KeyFolder,
	type OpenAccount,
} from "../accounts/accounts.js";
import { type AccountAccess, type GraphTermsSource, LIMITS } from "../contract/contract.js";
import { createConfiguredEgress } from "../delivery/delivery.js";
import { type CallRates, createCallRates } from "../http/http.js";
import type { Clock, Ids, Logger, Random } from "../kernel/kernel.js";
import {
	type CallMeter,
	type Cashier,
	createCallMeter,
	createCashier,
	createRedeemQuote,
	offersOf,
} from "../sales/sales.js";
import type { Settings } from "../settings/settings.js";

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
	/** How many processes share the books; one where absent. */
	readonly processCount?: (() => number) | undefined;
	/** Prices and owners of the graphs on sale; none where absent. */
	readonly graphs?: GraphTermsSource | undefined;
	/** Undefined while no chain is configured: then tokens and keys only. */
	readonly onchain?: OnchainParts | undefined;
}

/** Everything that knows of money, wired to one store. */
export interface Money {
	readonly ledger: Ledger;
	readonly prices: SettablePrices;
	readonly meter: CallMeter;
	readonly methods: readonly PaymentMethod[];
	readonly spts: SptIssuer;
	readonly apiKeys: ApiKeys;
	readonly connections: ConnectionTokens;
	readonly profiles: AccountProfiles;
	readonly openAccount: OpenAccount;
	readonly finishErasures: () => Promise<void>;
	readonly guard: InvariantGuard;
	readonly refunds: Refunds;
	readonly refundRequests: RefundRequests;
	readonly refundPayouts: RefundPayouts;
	readonly sweeper: Sweeper;
	readonly jobBilling: JobBilling;
	readonly cashier: Cashier;
	readonly callRates: CallRates;
	/** Payments on a chain; undefined while none is configured. */
	readonly onchain: OnchainPayments | undefined;
	readonly quoteSeal: QuoteSeal;
	/** Every way to pay, as listed to a caller without a credential. */
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
	const ledger = createLedger({ clock, ids, ownersOf: createOwnersOf(deps.graphs) });
	const prices = createPriceList(settings.prices, deps.graphs);
	const apiKeys = createApiKeys({ store, clock, random, ids, pepper, environment });
	const connections = createConnectionTokens({ store, clock, random, ids, pepper });
	const profiles = createAccountProfiles(store.documents);
	const findGrant = createGrantFinder(deps);
	const findSubject = createIdentity(deps);
	const sources = { store, keys: apiKeys, connections, findSubject, findGrant };
	const findAccess = createFindAccess(sources);
	const paymentChallenges = createChallengeIssuer({ pepper, clock, random, baseUrl: deps.baseUrl });
	const spts = createSptIssuer({ store, ledger, clock, random, ids, pepper, environment });
	const onchain = createOnchain(deps, { ledger, spts, paymentChallenges });
	const isForSale = () => onchain !== undefined;
	const spt = createSptBalance({ ledger, clock, pepper, environment, isForSale });
	const plan = createPlanBalance({ ledger, clock, findAccess });
	const refunds = createRefunds({ store, clock, ids });
	const refundRequests = createRefundRequests({ store, clock, ids, refunds });
	const methods = listMethods(deps, { onchain, paymentChallenges, spt, plan, refundRequests });
	const guard = createInvariantGuard({ store, clock });
	const quoteSeal = createQuoteSeal(pepper);
	const redeemQuote = createRedeemQuote({ seal: quoteSeal, clock });
	const { requestsPerMinute } = settings;
	const callRates = createCallRates({ clock, requestsPerMinute, share: deps.processCount });
	const sell = { prices, methods, guard, redeemQuote, isForSale };
	const cashier = callRates.watch(createCashier(sell));
	return {
		ledger,
		prices,
		meter: createCallMeter({ store, clock }),
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
		refunds,
		refundRequests,
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
		cashier,
		callRates,
		onchain,
		quoteSeal,
		offersOf: (quote) => offersOf(sell, quote),
	};
}

/** Every way to pay, in the order in which they are offered: x402 clients read the first offer they know. */
function listMethods(
	{ store, clock }: Pick<MoneyDeps, "store" | "clock">,
	parts: {
		readonly onchain: PaymentMethod | undefined;
		readonly paymentChallenges: ReturnType<typeof createChallengeIssuer>;
		readonly spt: Balance;
		readonly plan: Balance;
		readonly refundRequests: RefundRequests;
	},
): readonly PaymentMethod[] {
	const { onchain, paymentChallenges, spt, plan, refundRequests } = parts;
	const { refundLost, noteUnwritten } = refundRequests;
	const books = { store, clock, refundLost, noteUnwritten };
	const prepaid = createBalanceMethod({ ...books, balance: spt });
	return [
		...(onchain ? [onchain] : []),
		withPrepaidCharge(prepaid, paymentChallenges),
		createBalanceMethod({ ...books, balance: plan }),
	];
}

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
): OnchainPayments | undefined {
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
		envelopes: [createX402Envelope(terms), createEvmCharge(terms, issuer)],
		issueCredit: spts.issueFrom,
	});
}

/** The demo profile's token, filled up whenever it is asked for; undefined in production. */
export function createDemoSpt({
	settings,
	spts,
	keys,
}: Pick<MoneyDeps, "settings" | "keys"> & Pick<Money, "spts">) {
	return async (): Promise<string | undefined> =>
		settings.profile === "demo" ? provideDemoSpt(spts, keys) : undefined;
}

/** The same over restarts, with 25 USD of paper money again. */
async function provideDemoSpt(spts: SptIssuer, keys: KeyFolder): Promise<string> {
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

/** Accounts of an identity provider's subjects; undefined where none is configured. */
function createIdentity(deps: MoneyDeps): ((token: string) => Promise<AccountAccess>) | undefined {
	const { identity } = deps.settings;
	const { pepper } = deps.keys;
	if (!identity) return undefined;
	const { issuer, jwksUri } = identity;
	const egress = createConfiguredEgress({ urls: jwksUri ? [issuer, jwksUri] : [issuer] });
	const keys = createIssuerKeys({ ...deps, ...identity, egress });
	const verify = createIdentityVerifier({ ...deps, rules: identity, keys });
	return createFindSubject({ ...deps, ...identity, pepper, verify });
}

/** What access tokens open: our own, or those of the issuer that was configured; undefined where none are taken. */
function createGrantFinder(deps: MoneyDeps): FindGrant | undefined {
	const { settings, store, clock, keys, baseUrl } = deps;
	const { oauth = "own" } = settings;
	if (oauth === "off") return undefined;
	if (oauth === "own") {
		const { oauthKeys: signingKeys, pepper } = keys;
		return createFindOwnGrant({ store, clock, baseUrl, signingKeys, pepper });
	}
	const { issuer, jwksUri } = oauth;
	const egress = createConfiguredEgress({ urls: jwksUri ? [issuer, jwksUri] : [issuer] });
	const verify = createResourceVerifier({
		clock,
		baseUrl,
		rules: () => oauth,
		keys: createIssuerKeys({ ...deps, ...oauth, egress }),
	});
	return async (token, resource, options) => {
		const find = createFindSubject({
			...deps,
			...oauth,
			pepper: keys.pepper,
			verify: (text) => verify(text, resource),
		});
		// An application that may call in somebody's name does not manage the account.
		return { ...(await find(token, options)), isManager: false };
	};
}
