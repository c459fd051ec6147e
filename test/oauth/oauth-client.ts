import { createHash, randomBytes } from "node:crypto";
import type { Test } from "tap";
import type { Clock } from "../../src/core/clock.js";
import type { Egress } from "../../src/core/egress.js";
import type { Settings } from "../../src/settings.js";
import { type Answer, startApp, type TestApp } from "../support/start-app.js";

/** A server with one funded account, and a client with a browser's memory for cookies. */
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
	} = {},
): Promise<OAuthShop> {
	const { folder, clock, callerEgress, settings } = options;
	const shop = await startApp(t, {
		settings: { model: "none", ...settings },
		...(folder !== undefined && { folder }),
		...(clock && { clock }),
		...(callerEgress && { callerEgress }),
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

export interface Browser {
	/** What it remembers, by name and path. */
	readonly cookies: Map<string, Cookie>;
	/** Follows redirects within the server; the last answer, and where it would lead outside. */
	get(url: string): Promise<Visited>;
	post(
		url: string,
		fields: Record<string, string>,
		headers?: Record<string, string>,
	): Promise<Visited>;
	/** Sends a form, and does not wait to be led on. */
	press(url: string, fields: Record<string, string>): Promise<void>;
}

interface Cookie {
	readonly name: string;
	readonly value: string;
	readonly path: string;
	/** As it was sent. */
	readonly line: string;
}

export interface Visited {
	readonly url: string;
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	/** Where the server sent the browser, outside of itself. */
	readonly left: URL | undefined;
}

/** `known` is the address the server goes by, where that is another than the one it listens on. */
export function createBrowser(baseUrl: string, known = baseUrl): Browser {
	// A proxy in front takes off the path it is known by.
	const prefix = new URL(known).pathname.replace(/\/$/, "");
	const cookies = new Map<string, Cookie>();
	const cookiesFor = (url: URL) =>
		[...cookies.values()]
			.filter(({ path }) => `${prefix}${url.pathname}`.startsWith(path))
			.map(({ name, value }) => `${name}=${value}`)
			.join("; ");
	const keep = (headers: Headers) => {
		for (const line of headers.getSetCookie()) {
			const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
			const at = pair.indexOf("=");
			const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
			const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? "/";
			const key = `${name} ${path}`;
			if (value === "") cookies.delete(key);
			else cookies.set(key, { name, value, path, line });
		}
	};
	const visit = async (url: string, init: RequestInit = {}): Promise<Visited> => {
		const target = new URL(url, baseUrl);
		const headers = {
			Cookie: cookiesFor(target),
			Accept: "text/html",
			...(init.headers as object),
		};
		const response = await fetch(target, { ...init, headers, redirect: "manual" });
		keep(response.headers);
		const text = await response.text();
		const location = response.headers.get("location");
		const next = location === null ? undefined : new URL(location, target);
		if (next && [target.origin, new URL(known).origin].includes(next.origin)) {
			const { pathname, search } = next;
			const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
			return visit(`${path}${search}`);
		}
		return {
			url: target.href,
			status: response.status,
			headers: response.headers,
			text,
			left: next,
		};
	};
	const origin = new URL(known).origin;
	return {
		cookies,
		async press(url, fields) {
			const target = new URL(url, baseUrl);
			const response = await fetch(target, {
				method: "POST",
				body: new URLSearchParams(fields),
				headers: { Origin: origin, Cookie: cookiesFor(target) },
				redirect: "manual",
			});
			keep(response.headers);
		},
		get: (url) => visit(url),
		post: (url, fields, headers = {}) =>
			visit(url, {
				method: "POST",
				body: new URLSearchParams(fields),
				headers: { Origin: origin, ...headers },
			}),
	};
}

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

export function csrfOf(text: string): string {
	return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
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
	const consent = await browser.post(login.url, {
		csrf: csrfOf(login.text),
		key: shop.key,
		step: "login",
	});
	const done = await browser.post(consent.url, {
		csrf: csrfOf(consent.text),
		budget,
		step: "agree",
	});
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

/** From now on the account pays for every call of this month. */
export async function spendFreeCalls({ app, accountId }: OAuthShop): Promise<void> {
	const month = new Date().toISOString().slice(0, 7);
	const row = { id: `${accountId}|${month}`, used: 100, expiresAt: Date.now() + 4e9 };
	await app.store.transaction((tx) => tx.put("quotas", row));
}
