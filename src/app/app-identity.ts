import type { Store } from "../../store/store.js";
import {
	createFindSubject,
	createIdentityVerifier,
	createIssuerKeys,
} from "../accounts/accounts.js";
import type { AccountAccess } from "../contract/contract.js";
import { createConfiguredEgress } from "../delivery/delivery.js";
import type { Clock, Ids, Logger } from "../kernel/kernel.js";
import type { IdentitySettings } from "../settings/settings.js";

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
