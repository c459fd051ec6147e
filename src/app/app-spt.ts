import { createDelegations, createSptAccounts } from "../../payments/spt/spt.js";
import type { Store } from "../../store/store.js";
import { type AccountOperations, createFeedback } from "../accounts/accounts.js";
import type { Jobs } from "../jobs/jobs.js";
import type { Clock, Ids, Random } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import { createPurchases, type Purchases } from "../sales/sales.js";
import type { OwnerOperations, ResearchParts } from "../service/service.js";
import type { Settings } from "../settings/settings.js";
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
