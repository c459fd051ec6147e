import type { Store } from "../store/store.js";
import { createFindSubject } from "./auth/identity-accounts.js";
import { createIdentityVerifier } from "./auth/identity-verifier.js";
import { createIssuerKeys } from "./auth/issuer-keys.js";
import type { AccountAccess } from "./core/account-access.js";
import type { Clock } from "./core/clock.js";
import type { Ids } from "./core/ids.js";
import type { Logger } from "./core/logger.js";
import { createConfiguredEgress } from "./delivery/egress.js";
import type { IdentitySettings } from "./identity-settings.js";

export interface IdentityDeps {
	readonly identity: IdentitySettings | undefined;
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
	readonly pepper: Uint8Array;
}

/** Accounts of an identity provider's subjects; undefined where none is configured. */
export function createIdentity({
	identity,
	...deps
}: IdentityDeps): ((token: string) => Promise<AccountAccess>) | undefined {
	if (!identity) return undefined;
	const { issuer, jwksUri } = identity;
	const egress = createConfiguredEgress({ urls: jwksUri ? [issuer, jwksUri] : [issuer] });
	const keys = createIssuerKeys({ ...deps, ...identity, egress });
	const verify = createIdentityVerifier({ ...deps, rules: identity, keys });
	return createFindSubject({ ...deps, ...identity, verify });
}
