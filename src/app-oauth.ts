import type { Router } from "express";
import { custAccount } from "../payments/ledger.js";
import type { Store } from "../store/store.js";
import type { Money } from "./app-money.js";
import type { Ports } from "./app-ports.js";
import type { FindGrant } from "./auth/account-access.js";
import { createFindSubject } from "./auth/identity-accounts.js";
import { createIssuerKeys } from "./auth/issuer-keys.js";
import type { KeyFolder } from "./auth/key-folder.js";
import {
	createFindOwnGrant,
	createOAuthGrants,
	createResourceVerifier,
} from "./auth/oauth-grants.js";
import { createOAuthRecords } from "./auth/oauth-records.js";
import type { Clock } from "./core/clock.js";
import type { Ids } from "./core/ids.js";
import type { Logger } from "./core/logger.js";
import { createCallerEgress } from "./delivery/caller-egress.js";
import { createConfiguredEgress } from "./delivery/egress.js";
import { createOAuthRouter, createResourceRoutes } from "./oauth/oauth-router.js";
import type { OAuthSettings } from "./oauth-settings.js";
import { setLabel } from "./service/account-keys.js";
import type { Service } from "./service/service.js";

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
		return createFindOwnGrant({ store, clock, baseUrl, signingJwk: keys.oauthJwk });
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

export interface OAuthParts {
	readonly ports: Ports;
	readonly store: Store;
	readonly money: Money;
	readonly service: Service;
}

/** The routes of whoever gives access; none where it is switched off. */
export function openOAuth({ ports, store, money, service }: OAuthParts): readonly Router[] {
	const { settings, keys, clock, callerEgress: egress = createCallerEgress() } = ports;
	const { oauth = "own" } = settings;
	if (oauth === "off") return [];
	if (oauth !== "own") return [createResourceRoutes(service, oauth.issuer)];
	const { profiles, apiKeys, callRates } = money;
	const { pepper, oauthJwk: signingJwk } = keys;
	const readAccount = async (accountId: string) => {
		const [account, balanceMicros] = await store.read(
			async (reader) =>
				[
					await reader.get("accounts", accountId),
					await reader.balance(custAccount(accountId)),
				] as const,
		);
		if (!account || account.closedAt !== undefined) return undefined;
		const { label } = await profiles.get(accountId);
		return { name: label || account.label || accountId, balanceMicros };
	};
	const router = createOAuthRouter({
		...ports,
		service,
		callRates,
		egress,
		pepper,
		signingJwk,
		records: createOAuthRecords({ store, clock, pepper }),
		grants: createOAuthGrants({
			keys: apiKeys,
			clock,
			setLabel: (accountId, id, label) => setLabel({ store, profiles }, accountId, id, label),
		}),
		isOpen: async (accountId) => (await readAccount(accountId)) !== undefined,
		readAccount,
	});
	return [router];
}
