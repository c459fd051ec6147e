import { custAccount } from "../../payments/payments.js";
import type { Store } from "../../store/store.js";
import {
	createOAuthGrants,
	createOAuthRecords,
	createRefreshTokens,
	createRevokeToken,
	setLabel,
} from "../accounts/accounts.js";
import { createCallerEgress } from "../delivery/delivery.js";
import { createOAuthRouter, createResourceRoutes } from "../oauth/oauth.js";
import type { Service } from "../service/service.js";
import type { Money } from "./app-money.js";
import type { Ports } from "./app-ports.js";

export interface OAuthParts {
	readonly ports: Ports;
	readonly store: Store;
	readonly money: Money;
	readonly service: Service;
}

/** The routes of whoever gives access; none where it is switched off. */
export function openOAuth({
	ports,
	store,
	money,
	service,
}: OAuthParts): readonly ReturnType<typeof createOAuthRouter>[] {
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
	const grants = createOAuthGrants({
		keys: apiKeys,
		store,
		clock,
		setLabel: (accountId, id, label) => setLabel({ store, profiles }, accountId, id, label),
	});
	const tokens = { clock, baseUrl: () => service.info.baseUrl(), signingJwk, pepper };
	const router = createOAuthRouter({
		...ports,
		service,
		callRates,
		egress,
		pepper,
		signingJwk,
		records: createOAuthRecords({ store, clock, pepper }),
		refreshTokens: createRefreshTokens({ pepper, random: ports.random }),
		grants,
		revokeToken: createRevokeToken({ ...tokens, store, grants }),
		isOpen: async (accountId) => (await readAccount(accountId)) !== undefined,
		readAccount,
	});
	return [router];
}
