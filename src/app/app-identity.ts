import type { Store } from "../../store/store-port.js";
import { createFindSubject } from "../accounts/identity-accounts.js";
import { createIdentityVerifier } from "../accounts/identity-verifier.js";
import { createIssuerKeys } from "../accounts/issuer-keys.js";
import type { AccountAccess } from "../contract/account-access.js";
import { createConfiguredEgress } from "../delivery/configured-egress.js";
import type { Clock } from "../kernel/clock.js";
import type { Ids } from "../kernel/ids.js";
import type { Logger } from "../kernel/logger.js";
import type { IdentitySettings } from "../settings/identity-settings.js";

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
