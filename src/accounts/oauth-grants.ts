import { isUsable } from "../../payments/plan/plan.js";
import type { Store } from "../../store/store.js";
import { type Clock, type Micros, ServiceError } from "../kernel/kernel.js";
import type { ApiKeys } from "./api-keys.js";
import { grantedAccessOf } from "./granted-access.js";
import { OAUTH_LIMITS } from "./oauth-limits.js";
import { removeOAuthRows } from "./oauth-removal.js";

/** What a user agrees to. */
export interface Consent {
	readonly accountId: string;
	/** Most the client may spend in one UTC month. */
	readonly budgetMicros: Micros;
	/** As the account's list of keys will name it. */
	readonly label: string;
}

/** Whom access was given to, and where. */
export interface GrantHolder {
	readonly accountId: string;
	readonly clientId: string;
	readonly resource: string;
}

/**
 * A grant is an API key whose secret nobody has: caps, usage, and its end by the account's owner are those of any key.
 */
export interface OAuthGrants {
	/**
	 * Returns the id of the key, which ends soon unless the grant is claimed; what the account still has of grants that
	 * are over is removed. Throws NOT_FOUND, and INVALID_ARGUMENT for one key too many.
	 */
	open(consent: Consent): Promise<string>;
	/** Keys by which the same client can call at the same address for the same account. */
	find(holder: GrantHolder): Promise<readonly string[]>;
	/** Its access tokens are refused from now on, and nothing else is kept of it; safe to call again. */
	end(keyId: string): Promise<void>;
}

export interface OAuthGrantDeps {
	readonly keys: Pick<ApiKeys, "add" | "revoke" | "list">;
	readonly store: Store;
	readonly clock: Clock;
	readonly setLabel: (accountId: string, keyId: string, label: string) => Promise<void>;
}

export function createOAuthGrants(deps: OAuthGrantDeps): OAuthGrants {
	const { keys, clock, store, setLabel } = deps;
	const end = async (keyId: string): Promise<void> => {
		await keys.revoke(keyId).catch((error: unknown) => {
			if (!(error instanceof ServiceError && error.code === "NOT_FOUND")) throw error;
		});
		// The key first: without it nothing else of the grant is worth anything.
		const rows = await store.read((reader) => reader.findBy("oauth_records", "keyId", keyId));
		await removeOAuthRows(store, rows);
	};
	const findUsable = async (accountId: string): Promise<ReadonlySet<string>> => {
		const rows = await keys.list(accountId);
		return new Set(rows.filter((row) => isUsable(row, clock.now())).map(({ id }) => id));
	};
	/** Those that nobody claimed, and those that were ended by their key alone. */
	const removeLapsed = async (accountId: string): Promise<void> => {
		const rows = await store.read((reader) => reader.findBy("oauth_records", "owner", accountId));
		// After the records, so that the key of one that is made meanwhile is seen.
		const usable = await findUsable(accountId);
		const lapsed = rows.filter(({ keyId }) => keyId !== undefined && !usable.has(keyId));
		await removeOAuthRows(store, lapsed);
	};
	return {
		async open({ accountId, budgetMicros, label }) {
			await removeLapsed(accountId);
			const { id } = await keys.add(accountId, {
				isManager: false,
				maxPerMonthMicros: budgetMicros,
				expiresAt: clock.now() + OAUTH_LIMITS.unclaimedSeconds * 1000,
			});
			try {
				await setLabel(accountId, id, label);
			} catch (error) {
				await end(id);
				throw error;
			}
			return id;
		},
		async find({ accountId, clientId, resource }) {
			const usable = await findUsable(accountId);
			const found: string[] = [];
			for await (const grant of grantedAccessOf(store, accountId, usable)) {
				const isSame = grant.client_id === clientId && grant.resources.includes(resource);
				if (isSame && grant.key_id !== null) found.push(grant.key_id);
			}
			return found;
		},
		end,
	};
}
