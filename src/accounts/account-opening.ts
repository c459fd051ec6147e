import type { Json } from "../contract/contract.js";
import { hashSecret, ServiceError } from "../kernel/kernel.js";
import type { AccountChange } from "./account-operations.js";
import type { AccountProfiles } from "./account-profiles.js";
import type { ApiKeys } from "./api-keys.js";

/** Opens an account for whoever asks. Throws SCOPE_FORBIDDEN where only the operator does. */
export type OpenAccount = (
	order: Pick<AccountChange, "label" | "contact">,
	/** IP address or network that asks; all accounts it opens share one quota of free calls. */
	address: string,
) => Promise<Json>;

export interface AccountOpeningDeps {
	readonly keys: ApiKeys;
	readonly profiles: AccountProfiles;
	readonly accounts: "open" | "closed" | undefined;
	/** Key of the addresses' hashes. */
	readonly pepper: Uint8Array;
}

export function createOpenAccount(deps: AccountOpeningDeps): OpenAccount {
	const { keys, profiles, accounts, pepper } = deps;
	return async ({ label = "", contact = "" }, address) => {
		if (accounts !== "open") throw closed();
		const { id, key, accountId } = await keys.create({
			quotaId: hashSecret(`quota\u0000${address}`, pepper),
		});
		if (label !== "" || contact !== "") {
			await profiles.change(accountId, (profile) => ({ ...profile, label, contact }));
		}
		return { account_id: accountId, key, key_id: id, plan: "free" };
	};
}

function closed(): ServiceError {
	return new ServiceError(
		"SCOPE_FORBIDDEN",
		"Accounts are opened by the operator here; ask for an API key, or pay per call with a Shared Payment Token or on the chain.",
	);
}
