import type { Store } from "../store/store.js";
import type { Money } from "./app-money.js";
import type { Clock } from "./core/clock.js";
import type { GraphCatalog } from "./knowledge/catalog.js";
import { createAccountExport } from "./service/account-export.js";
import { createAccountKeys } from "./service/account-keys.js";
import type { AccountOperations } from "./service/account-operations.js";
import { createAccountProfile } from "./service/account-profile.js";
import { createAccountUsage } from "./service/account-usage.js";
import type { ServiceInfo } from "./service/service.js";

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
	const shared = { ...deps, keys, connections, profiles };
	const lists = {
		...createAccountKeys(shared),
		...createAccountProfile(shared),
		...createAccountUsage(shared),
	};
	return { ...lists, accountExport: createAccountExport({ ...shared, lists }) };
}
