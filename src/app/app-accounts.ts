import type { Store } from "../../store/store-port.js";
import { createAccountExport } from "../accounts/account-export.js";
import { createAccountKeys } from "../accounts/account-keys.js";
import type { AccountOperations } from "../accounts/account-operations.js";
import { createAccountProfile } from "../accounts/account-profile.js";
import { createAccountUsage } from "../accounts/account-usage.js";
import type { Clock } from "../kernel/clock.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import type { ServiceInfo } from "../service/service-interface.js";
import type { Money } from "./app-money.js";

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
