import type { Store } from "../../store/store.js";
import {
	type AccountOperations,
	createAccountExport,
	createAccountKeys,
	createAccountProfile,
	createAccountUsage,
} from "../accounts/accounts.js";
import type { ServiceInfo } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
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
