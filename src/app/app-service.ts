import type { Store } from "../../store/store.js";
import { type KeyFolder, toKeySet } from "../accounts/accounts.js";
import type { ServiceInfo } from "../contract/contract.js";
import { bindSkills } from "../contract/contract.js";
import { createOperationRates } from "../http/http.js";
import type { Jobs } from "../jobs/jobs.js";
import { SOFTWARE_VERSION } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import {
	createInvoke,
	createInvokeStream,
	createKeptStreams,
	createPaymentOperations,
	createSoldStreams,
	createUsageRecorder,
} from "../sales/sales.js";
import type { SearchEngine } from "../search/search.js";
import type { ResearchParts, Service } from "../service/service.js";
import { OPERATIONS } from "../service/service.js";
import { createAccountService } from "./app-accounts.js";
import { environmentOf, type Money } from "./app-money.js";
import type { Ports } from "./app-ports.js";
import { createSptService } from "./app-spt.js";
import { createFreeOperations } from "./create-free-operations.js";
import { createSkillServices } from "./services.js";

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
