import { isUsable } from "../../payments/plan/plan.js";
import type { Store } from "../../store/store.js";
import type { AccountAccess } from "../contract/contract.js";
import type { FindGrant } from "./account-access.js";
import { createReadOwnToken, type OwnTokenDeps } from "./own-tokens.js";
import { keepsNoText } from "./text-retention.js";

export interface FindOwnGrantDeps extends OwnTokenDeps {
	readonly store: Store;
}

/** Accepts the access tokens of our own authorization server, for as long as neither they nor the key behind them ended. */
export function createFindOwnGrant({ store, ...deps }: FindOwnGrantDeps): FindGrant {
	const read = createReadOwnToken(deps);
	return async (token, resource) => {
		const { accountId, keyId, recordId } = await read(token, resource);
		return store.read(async (reader): Promise<AccountAccess | undefined> => {
			const account = await reader.get("accounts", accountId);
			const key = await reader.get("keys", keyId);
			if (!account || account.closedAt !== undefined || key?.accountId !== accountId) return;
			if (!isUsable(key, deps.clock.now())) return;
			if (await reader.get("oauth_records", recordId)) return;
			return { accountId, keyId, isManager: false, keepsNoText: keepsNoText(account) };
		});
	};
}
