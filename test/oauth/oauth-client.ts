import { createHash, randomBytes } from "node:crypto";
import type { TestApp } from "../support/start-app.js";
import { submitBudget, submitKey } from "./access-pages.js";
import { createBrowser, type Visited } from "./cookie-browser.js";
import { type OAuthShop, REDIRECT } from "./oauth-shop.js";

export function createPkce() {
	const verifier = randomBytes(32).toString("base64url");
	return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export function authorizeUrl(shop: TestApp, fields: Record<string, string | undefined>): string {
	const all = {
		response_type: "code",
		redirect_uri: REDIRECT,
		state: "the-state",
		code_challenge_method: "S256",
		resource: `${shop.app.service.info.baseUrl()}/mcp`,
		...fields,
	};
	const sent = Object.entries(all).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, value] as [string, string]],
	);
	return `/oauth/authorize?${new URLSearchParams(sent)}`;
}

/** From the first page to the code. */
export async function obtainCode(
	shop: OAuthShop,
	{
		clientId,
		challenge,
		budget = "5.00",
		fields = {},
	}: {
		clientId: string;
		challenge: string;
		budget?: string;
		fields?: Record<string, string | undefined>;
	},
): Promise<{ code: string; consent: Visited; left: URL }> {
	const browser = createBrowser(shop.baseUrl, shop.app.service.info.baseUrl());
	const login = await browser.get(
		authorizeUrl(shop, { client_id: clientId, code_challenge: challenge, ...fields }),
	);
	const consent = await submitKey(browser, login, shop.key);
	const done = await submitBudget(browser, consent, budget);
	if (!done.left) throw new Error(`${done.status} ${done.text}`);
	return { code: done.left.searchParams.get("code") ?? "", consent, left: done.left };
}

export interface Tokens {
	readonly clientId: string;
	readonly access: string;
	readonly refresh: string;
}

/** Everything from registration to tokens. */
export async function connect(
	shop: OAuthShop,
	options: { budget?: string; resource?: string } = {},
): Promise<Tokens> {
	const clientId = await shop.register();
	const { verifier, challenge } = createPkce();
	const { budget = "5.00", resource = `${shop.baseUrl}/mcp` } = options;
	const { code } = await obtainCode(shop, { clientId, challenge, budget, fields: { resource } });
	const { status, body } = await shop.token({
		grant_type: "authorization_code",
		client_id: clientId,
		code,
		code_verifier: verifier,
		redirect_uri: REDIRECT,
		resource,
	});
	if (status !== 200) throw new Error(JSON.stringify(body));
	return { clientId, access: body.access_token, refresh: body.refresh_token };
}
