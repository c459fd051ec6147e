import { createDelegations } from "../payments/spt/delegations.js";
import { createSptAccounts } from "../payments/spt/spt-accounts.js";
import type { Store } from "../store/store.js";
import { environmentOf, type Money } from "./app-money.js";
import type { Clock } from "./core/clock.js";
import type { Ids } from "./core/ids.js";
import type { Random } from "./core/random.js";
import type { Jobs } from "./jobs/jobs.js";
import type { GraphCatalog } from "./knowledge/catalog.js";
import type { AccountOperations } from "./service/account-operations.js";
import { createOwnerOperations } from "./service/create-owner-operations.js";
import { createFeedback } from "./service/feedback.js";
import type { OwnerOperations } from "./service/owner-operations.js";
import type { ResearchParts } from "./service/research-parts.js";
import { createPurchases, type Purchases } from "./service/spt-purchase.js";
import type { Settings } from "./settings.js";

export interface SptServiceDeps {
	readonly money: Money;
	readonly store: Store;
	readonly catalog: GraphCatalog;
	readonly account: AccountOperations;
	readonly research: ResearchParts;
	readonly jobs: Jobs;
	readonly clock: Clock;
	readonly random: Random;
	readonly ids: Ids;
	readonly pepper: Uint8Array;
	readonly profile: Settings["profile"];
}

/** What holders and buyers of tokens may ask, wired to one store. */
export function createSptService(deps: SptServiceDeps): {
	readonly owner: OwnerOperations;
	readonly purchases: Purchases;
} {
	const { money, store, catalog, account, research, jobs, clock, random, pepper, profile } = deps;
	const { ledger, guard, spts, refunds, cashier, onchain } = money;
	const { issueFrom } = spts;
	const accounts = createSptAccounts({
		store,
		ledger,
		clock,
		random,
		pepper,
		environment: environmentOf(profile),
		requestRefund: refunds.request,
	});
	const feedback = createFeedback(deps);
	const isForSale = () => onchain !== undefined;
	const delegations = createDelegations({ store, ledger, clock, pepper, issueFrom, isForSale });
	return {
		owner: createOwnerOperations({
			store,
			clock,
			catalog,
			accounts,
			delegations,
			account,
			feedback,
			research,
			jobs,
		}),
		purchases: createPurchases({
			store,
			ledger,
			clock,
			guard,
			catalog,
			issueFrom,
			identify: cashier.identify,
			onchain,
		}),
	};
}
