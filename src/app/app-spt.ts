import { createDelegations } from "../../payments/spt/delegations.js";
import { createSptAccounts } from "../../payments/spt/spt-accounts.js";
import type { Store } from "../../store/store-port.js";
import type { AccountOperations } from "../accounts/account-operations.js";
import { createFeedback } from "../accounts/feedback.js";
import type { Jobs } from "../jobs/job-control.js";
import type { Clock } from "../kernel/clock.js";
import type { Ids } from "../kernel/ids.js";
import type { Random } from "../kernel/random.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import { createPurchases, type Purchases } from "../sales/spt-purchase.js";
import type { OwnerOperations } from "../service/owner-operations.js";
import type { ResearchParts } from "../service/research-parts.js";
import type { Settings } from "../settings/read-settings.js";
import { environmentOf, type Money } from "./app-money.js";
import { createOwnerOperations } from "./create-owner-operations.js";

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
