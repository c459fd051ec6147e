import { createDelegations, createSptAccounts } from "../../payments/spt/spt.js";
import {
	type AccountOperations,
	createAccountOperations,
	createFeedback,
	toKeySet,
} from "../accounts/accounts.js";
import { bindSkills, type ServiceInfo } from "../contract/contract.js";
import { createOperationRates } from "../http/http.js";
import { SOFTWARE_VERSION, stackOf } from "../kernel/kernel.js";
import {
	createInterruptedStreams,
	createInvoke,
	createInvokeStream,
	createJobGapRecorder,
	createKeptStreams,
	createPaymentOperations,
	createPaymentRecords,
	createPurchases,
	createSoldStreams,
	createUsageRecorder,
	demandPrice,
	type Purchases,
} from "../sales/sales.js";
import { OPERATIONS, type OwnerOperations, type Service } from "../service/service.js";
import type { Settings } from "../settings/settings.js";
import { environmentOf } from "./money.js";
import { createFreeOperations, createOwnerOperations } from "./operations.js";
import { createSkillServices, type Ports, type Wiring } from "./services.js";

/** What transports may ask, wired to one store. */
export function createService(
	wiring: Pick<
		Wiring,
		| keyof Ports
		| "store"
		| "money"
		| "catalog"
		| "search"
		| "sharedGraphs"
		| "time"
		| "chainBooks"
		| "research"
		| "jobs"
		| "address"
		| "pepper"
		| "renderPage"
		| "renderReport"
	>,
): Service {
	const { clock, store, money, catalog, search, research, address, settings, telemetry } = wiring;
	const { renderPage } = wiring;
	const { prices } = money;
	const cashier = telemetry.cashier(money.cashier);
	const info: ServiceInfo = {
		version: SOFTWARE_VERSION,
		baseUrl: () => address.baseUrl,
		mcpUrl: () => address.baseUrl || null,
		profile: settings.profile,
		contact: settings.contact,
	};
	const skillServices = createSkillServices({
		...{ catalog, search, clock, research },
		baseUrl: info.baseUrl,
	});
	const skills = telemetry.skills(bindSkills(OPERATIONS, skillServices));
	const recordUsage = createUsageRecorder({ ...wiring, queryLog: store.queryLog });
	recordJobGaps(wiring);
	const invokeStream = telemetry.invokeStream(createInvokeStream({ skills, cashier, recordUsage }));
	const free = createFree({ ...wiring, info, skills });
	const account = createAccountService({ ...wiring, info });
	const { owner, purchases } = createSptService({ ...wiring, account });
	return {
		info,
		skills,
		prices,
		services: { ...skillServices, ...free, ...owner, purchases, free, owner, renderPage },
		rates: createOperationRates(clock),
		invoke: telemetry.invoke(
			money.meter.watch(createInvoke({ ...wiring, ...research, skills, cashier, recordUsage })),
		),
		demand: telemetry.demand((call) => demandPrice({ skills, cashier }, call)),
		streams: createSoldStreams({
			...wiring,
			invokeStream,
			skills,
			kept: createKeptStreams({ ...research, store, clock }),
			interrupted: createInterruptedStreams({ store, clock }),
		}),
		identify: cashier.identify,
		free,
		owner,
		purchases,
	};
}

function recordJobGaps({
	store: { queryLog },
	jobs,
	clock,
	logger,
}: Pick<Wiring, "store" | "jobs" | "clock" | "logger">): void {
	const record = createJobGapRecorder({ queryLog, inputOf: jobs.inputOf, clock });
	jobs.onEnded((row) => {
		record(row).catch((error: unknown) => {
			logger.error("a job without an answer was not recorded", { error: stackOf(error) });
		});
	});
}

function createFree(
	wiring: Pick<
		Wiring,
		| keyof Ports
		| "store"
		| "money"
		| "catalog"
		| "search"
		| "sharedGraphs"
		| "research"
		| "info"
		| "skills"
		| "time"
		| "chainBooks"
	>,
): Service["free"] {
	const { clock, settings, keys, money, research } = wiring;
	const { cashier, methods, spts, guard } = money;
	const rails = methods.flatMap((method) => method.rails);
	return createFreeOperations({
		...wiring,
		prices: money.prices,
		rails,
		payments: createPaymentOperations({
			...wiring,
			...money,
			rails,
			environment: environmentOf(settings.profile),
			terms: wiring.onchain?.terms,
			seal: money.quoteSeal,
			identify: cashier.identify,
			signingKeys: keys.receiptKeys,
			keySet: () => toKeySet([...keys.cardKeys(), ...keys.receiptKeys()]),
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

/** What owners of accounts may ask, wired to one store. */
export function createAccountService(
	deps: Pick<Wiring, "money" | "store" | "catalog" | "clock" | "ids"> & {
		readonly info: Pick<ServiceInfo, "mcpUrl">;
		readonly settings: Pick<Settings, "seller">;
	},
): AccountOperations {
	const { apiKeys: keys, connections, profiles } = deps.money;
	const seller = deps.settings.seller ?? null;
	return createAccountOperations({ ...deps, keys, connections, profiles, seller });
}

/** What holders and buyers of tokens may ask, wired to one store. */
export function createSptService(
	deps: Pick<
		Wiring,
		| "money"
		| "store"
		| "catalog"
		| "research"
		| "jobs"
		| "clock"
		| "random"
		| "ids"
		| "pepper"
		| "renderReport"
	> & {
		readonly account: AccountOperations;
		readonly settings: Pick<Settings, "profile">;
	},
): { readonly owner: OwnerOperations; readonly purchases: Purchases } {
	const { ledger, guard, spts, refunds, refundRequests, cashier, onchain } = deps.money;
	const { issueFrom } = spts;
	const token = { ...deps, ledger, issueFrom };
	const accounts = createSptAccounts({
		...token,
		environment: environmentOf(deps.settings.profile),
		requestRefund: refunds.request,
	});
	const delegations = createDelegations({ ...token, isForSale: () => onchain !== undefined });
	return {
		owner: createOwnerOperations({
			...deps,
			accounts,
			delegations,
			feedback: createFeedback(deps),
			paymentRecords: createPaymentRecords({ ...deps, refundRequests }),
		}),
		purchases: createPurchases({ ...token, guard, identify: cashier.identify, onchain }),
	};
}
