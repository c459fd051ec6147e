import type { Store } from "../../store/store.js";
import {
	createFindOwnGrant,
	createFindSubject,
	createIssuerKeys,
	createResourceVerifier,
	type FindGrant,
	type KeyFolder,
} from "../accounts/accounts.js";
import { createConfiguredEgress } from "../delivery/delivery.js";
import type { Clock, Ids, Logger } from "../kernel/kernel.js";
import type { OAuthSettings } from "../settings/settings.js";

export interface FindGrantDeps {
	readonly oauth: OAuthSettings | undefined;
	readonly store: Store;
	readonly keys: KeyFolder;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
	/** Public base address; known once the server listens. */
	readonly baseUrl: () => string;
}

/** What access tokens open: our own, or those of the issuer that was configured; undefined where none are taken. */
export function createGrantFinder(deps: FindGrantDeps): FindGrant | undefined {
	const { oauth = "own", store, clock, keys, baseUrl } = deps;
	if (oauth === "off") return undefined;
	if (oauth === "own") {
		const { oauthJwk: signingJwk, pepper } = keys;
		return createFindOwnGrant({ store, clock, baseUrl, signingJwk, pepper });
	}
	const { issuer, jwksUri } = oauth;
	const egress = createConfiguredEgress({ urls: jwksUri ? [issuer, jwksUri] : [issuer] });
	const verify = createResourceVerifier({
		clock,
		baseUrl,
		rules: () => oauth,
		keys: createIssuerKeys({ ...deps, ...oauth, egress }),
	});
	return async (token, resource, options) => {
		const find = createFindSubject({
			...deps,
			...oauth,
			pepper: keys.pepper,
			verify: (text) => verify(text, resource),
		});
		// An application that may call in somebody's name does not manage the account.
		return { ...(await find(token, options)), isManager: false };
	};
}
