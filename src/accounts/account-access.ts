import type { Store, StoreReader } from "../../store/store.js";
import type { AccountAccess, Credential, IdentifyOptions } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import type { ApiKeys, FoundKey } from "./api-keys.js";
import type { ConnectionTokens } from "./connection-tokens.js";
import type { FindSubject } from "./identity-accounts.js";
import { keepsNoText } from "./text-retention.js";

/** What a credential opens; undefined for one nobody issued or that has ended. */
export type FindAccess = (
	credential: Credential,
	options?: IdentifyOptions,
) => Promise<AccountAccess | undefined>;

export interface AccountAccessDeps {
	readonly store: Store;
	readonly keys: ApiKeys;
	readonly connections: ConnectionTokens;
	/** Undefined where no identity provider is configured. */
	readonly findSubject?: FindSubject | undefined;
	/** Undefined where no authorization server is known. Throws UNAUTHENTICATED for a token that is not for this resource. */
	readonly findGrant?: FindGrant | undefined;
}

/** What an access token opens at the address it was shown at; undefined once its grant has ended. */
export type FindGrant = (
	token: string,
	resource: string,
	options?: IdentifyOptions,
) => Promise<AccountAccess | undefined>;

/** Every kind of credential that opens an account, each judged in its own way. */
export function createFindAccess(deps: AccountAccessDeps): FindAccess {
	const { store, keys, connections, findSubject, findGrant } = deps;
	return async (credential, options) => {
		switch (credential.scheme) {
			case "api_key":
				return store.read(async (reader) => {
					const found = await keys.find(reader, credential.key);
					return found && openWithKey(reader, found);
				});
			case "connection":
				return store.read(async (reader) => {
					const token = await connections.find(reader, credential.token);
					return token && toAccess(reader, token, false);
				});
			case "oidc":
				if (findSubject) return findSubject(credential.token, options);
				throw new ServiceError(
					"UNAUTHENTICATED",
					"Identity tokens are not taken here; send an API key (sk_live_…) or a Shared Payment Token (spt_…).",
				);
			case "oauth":
				if (findGrant) return findGrant(credential.token, credential.resource, options);
				throw new ServiceError(
					"UNAUTHENTICATED",
					"Access tokens are not taken here; send an API key.",
				);
			case "spt":
				return undefined;
		}
	};
}

/** Whoever still holds the secret before a rotation may be the one it was rotated for: it manages nothing. */
async function openWithKey(
	reader: StoreReader,
	{ row, isReplaced }: FoundKey,
): Promise<AccountAccess | undefined> {
	const access = await toAccess(reader, row, !isReplaced && (row.isManager ?? true));
	return access && { ...access, isReplaced };
}

async function toAccess(
	reader: StoreReader,
	{ id: keyId, accountId }: { readonly id: string; readonly accountId: string },
	isManager: boolean,
): Promise<AccountAccess | undefined> {
	const account = await reader.get("accounts", accountId);
	if (!account || account.closedAt !== undefined) return undefined;
	return { accountId, keyId, isManager, keepsNoText: keepsNoText(account) };
}
