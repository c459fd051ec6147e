import type { Test } from "tap";
import type { Clock } from "../../src/kernel/clock.js";
import type { Egress } from "../../src/kernel/outbound.js";
import type { PairJudge } from "../../src/search/judge/pair-judge.js";
import type { Settings } from "../../src/settings/read-settings.js";
import { type Answer, startApp, type TestApp } from "../support/start-app.js";

/** A server with one funded account. */
export interface OAuthShop extends TestApp {
	readonly key: string;
	readonly accountId: string;
	/** Registers a client; its id. */
	register(metadata?: object): Promise<string>;
	/** The access token's account as the service sees it. */
	identify(token: string, at?: string): Promise<{ keyId?: string | undefined }>;
	ask(method: string, path: string, body?: object): Promise<Answer>;
	token(fields: Record<string, string>): Promise<Answer>;
}

export const REDIRECT = "https://client.example/callback";

export async function openOAuthShop(
	t: Test,
	options: {
		folder?: string;
		clock?: Clock;
		key?: string;
		accountId?: string;
		callerEgress?: Egress;
		settings?: Partial<Settings>;
		judge?: PairJudge;
	} = {},
): Promise<OAuthShop> {
	const { folder, clock, callerEgress, settings, judge } = options;
	const shop = await startApp(t, {
		settings: { model: "none", ...settings },
		...(folder !== undefined && { folder }),
		...(clock && { clock }),
		...(callerEgress && { callerEgress }),
		...(judge && { judge }),
	});
	const made =
		options.key === undefined
			? await shop.app.operator.createKey({ label: "the shop", usd: "20" })
			: undefined;
	const key = options.key ?? made?.key ?? "";
	return {
		...shop,
		key,
		accountId: options.accountId ?? made?.account_id ?? "",
		async register(metadata = {}) {
			const sent = { client_name: "Example Agent", redirect_uris: [REDIRECT], ...metadata };
			const { status, body } = await shop.send("/oauth/register", {
				method: "POST",
				headers: { "Content-Type": "application/json" },
				body: JSON.stringify(sent),
			});
			if (status !== 201) throw new Error(JSON.stringify(body));
			return body.client_id;
		},
		async identify(token, at = "/mcp") {
			const resource = `${shop.baseUrl}${at}`;
			const { access } = await shop.app.service.identify({ scheme: "oauth", token, resource });
			return { keyId: access?.keyId };
		},
		ask: (method, path, body) =>
			shop.send(path, {
				method,
				headers: { "X-API-Key": key, "Content-Type": "application/json" },
				...(body && { body: JSON.stringify(body) }),
			}),
		token: (fields) =>
			shop.send("/oauth/token", { method: "POST", body: new URLSearchParams(fields) }),
	};
}

/** From now on the account pays for every call of this month. */
export async function spendFreeCalls({ app, accountId }: OAuthShop): Promise<void> {
	const month = new Date().toISOString().slice(0, 7);
	const row = { id: `${accountId}|${month}`, used: 100, expiresAt: Date.now() + 4e9 };
	await app.store.transaction((tx) => tx.put("quotas", row));
}
