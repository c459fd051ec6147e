import { createDelegations, createSptAccounts } from "../../payments/spt/spt.js";
import type { Store } from "../../store/store.js";
import {
	type AccountOperations,
	createAccountOperations,
	createFeedback,
	type KeyFolder,
	toKeySet,
} from "../accounts/accounts.js";
import { bindSkills, type ServiceInfo } from "../contract/contract.js";
import { createOperationRates } from "../http/http.js";
import type { Jobs } from "../jobs/jobs.js";
import { type Clock, type Ids, type Random, SOFTWARE_VERSION } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import {
	createInvoke,
	createInvokeStream,
	createKeptStreams,
	createPaymentOperations,
	createPurchases,
	createSoldStreams,
	createUsageRecorder,
	type Purchases,
} from "../sales/sales.js";
import type { SearchEngine } from "../search/search.js";
import {
	OPERATIONS,
	type OwnerOperations,
	type ResearchParts,
	type Service,
} from "../service/service.js";
import type { Settings } from "../settings/settings.js";
import { environmentOf, type Money } from "./money.js";
import { createFreeOperations, createOwnerOperations } from "./operations.js";
import { createSkillServices, type Ports } from "./services.js";

export interface ServiceParts {
	readonly ports: Ports;
	readonly store: Store;
	readonly keys: KeyFolder;
	readonly money: Money;
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	readonly research: ResearchParts;
	readonly jobs: Jobs;
	readonly address: { readonly baseUrl: string };
}

/** What transports may ask, wired to one store. */
export function createService(parts: ServiceParts): Service {
	const { ports, store, keys, money, catalog, search, research, jobs, address } = parts;
	const { clock, settings } = ports;
	const { cashier, prices } = money;
	const info: ServiceInfo = {
		version: SOFTWARE_VERSION,
		baseUrl: () => address.baseUrl,
		mcpUrl: () => address.baseUrl || null,
		profile: settings.profile,
		contact: settings.contact,
	};
	const { baseUrl } = info;
	const skillServices = createSkillServices({ search, catalog, clock, baseUrl, research });
	const skills = bindSkills(OPERATIONS, skillServices);
	const usage = { queryLog: store.queryLog, pepper: keys.pepper };
	const recordUsage = createUsageRecorder({ ...usage, clock });
	const invokeStream = createInvokeStream({ skills, cashier, recordUsage });
	const free = createFree({ ...parts, info, skills });
	const { owner, purchases } = createSptService({
		...ports,
		research,
		jobs,
		money,
		store,
		catalog,
		account: createAccountService({ money, store, catalog, clock, info }),
		pepper: keys.pepper,
		profile: settings.profile,
	});
	return {
		info,
		skills,
		prices,
		services: { ...skillServices, ...free, ...owner, purchases, free, owner },
		rates: createOperationRates(clock),
		invoke: createInvoke({ ...ports, ...research, skills, cashier, recordUsage, jobs }),
		streams: createSoldStreams({
			...ports,
			invokeStream,
			skills,
			kept: createKeptStreams({ ...research, store, clock }),
		}),
		identify: cashier.identify,
		free,
		owner,
		purchases,
	};
}

interface FreeParts extends ServiceParts {
	readonly info: ServiceInfo;
	readonly skills: Service["skills"];
}

function createFree(parts: FreeParts): Service["free"] {
	const { ports, store, keys, money, catalog, search, research, info, skills } = parts;
	const { clock, settings } = ports;
	const { cashier, prices, methods, spts, guard } = money;
	const rails = methods.flatMap((method) => method.rails);
	return createFreeOperations({
		info,
		clock,
		catalog,
		search,
		store,
		prices,
		skills,
		rails,
		payments: createPaymentOperations({
			...money,
			info,
			clock,
			catalog,
			store,
			skills,
			rails,
			environment: environmentOf(settings.profile),
			terms: ports.onchain?.terms,
			seal: money.quoteSeal,
			identify: cashier.identify,
			signingKey: keys.receiptJwk,
			keySet: toKeySet([keys.signingJwk, keys.receiptJwk]),
		}),
		openAccount: money.openAccount,
		validateSpt: spts.validate,
		invariants: guard.latest,
		openPayments: money.onchain?.openPayments,
		writer: research.writer.name,
		feeds: research.feeds,
		schedules: research.schedules.free,
		startedAtMs: clock.now(),
	});
}

export interface AccountServiceDeps {
	readonly money: Money;
	readonly store: Store;
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
	readonly info: Pick<ServiceInfo, "mcpUrl">;
}

/** What owners of accounts may ask, wired to one store. */
export function createAccountService(deps: AccountServiceDeps): AccountOperations {
	const { apiKeys: keys, connections, profiles } = deps.money;
	return createAccountOperations({ ...deps, keys, connections, profiles });
}

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
