import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Micros } from "../core/money.js";
import { OAUTH_LIMITS } from "../core/oauth-limits.js";
import type { ApiKeys } from "./api-keys.js";

/** What a user agrees to. */
export interface Consent {
	readonly accountId: string;
	/** Most the client may spend in one UTC month. */
	readonly budgetMicros: Micros;
	/** As the account's list of keys will name it. */
	readonly label: string;
}

/**
 * A grant is an API key whose secret nobody has: caps, usage, and its end by the account's owner are those of any key.
 */
export interface OAuthGrants {
	/** Returns the key's id. Throws NOT_FOUND, and INVALID_ARGUMENT for one key too many. */
	open(consent: Consent): Promise<string>;
	/** Its access tokens are refused from now on; safe to call again. */
	end(keyId: string): Promise<void>;
}

export interface OAuthGrantDeps {
	readonly keys: Pick<ApiKeys, "add" | "revoke">;
	readonly clock: Clock;
	readonly setLabel: (accountId: string, keyId: string, label: string) => Promise<void>;
}

export function createOAuthGrants({ keys, clock, setLabel }: OAuthGrantDeps): OAuthGrants {
	return {
		async open({ accountId, budgetMicros, label }) {
			const { id } = await keys.add(accountId, {
				isManager: false,
				maxPerMonthMicros: budgetMicros,
				expiresAt: clock.now() + OAUTH_LIMITS.refreshTokenSeconds * 1000,
			});
			await setLabel(accountId, id, label);
			return id;
		},
		async end(keyId) {
			await keys.revoke(keyId).catch((error: unknown) => {
				if (!(error instanceof ServiceError && error.code === "NOT_FOUND")) throw error;
			});
		},
	};
}
