import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Request, RequestHandler } from "express";
import { OAUTH_LIMITS } from "../accounts/accounts.js";
import { isSafeIssuer, LIMITS } from "../contract/contract.js";
import { createTokenBuckets, toCallerAddress } from "../http/http.js";
import { ServiceError } from "../kernel/kernel.js";
import type { OAuthServices } from "./oauth-services.js";
import { OAUTH_COOKIES, type OAuthProvider, openProvider } from "./provider.js";

/** The way to the provider, which is loaded by the first request that takes it. */
export type ProviderGate = ReturnType<typeof createProviderGate>;

export function createProviderGate(services: OAuthServices) {
	const { clock, pepper } = services;
	const { baseUrl } = services.service.info;
	const fetches = createTokenBuckets({
		clock,
		perMinute: OAUTH_LIMITS.documentFetchesPerMinute,
		keysMax: LIMITS.rateLimitedCallersMax,
	});
	const addresses = new WeakMap<IncomingMessage, string>();
	const cookieKey = createHmac("sha256", pepper)
		.update("tollgraph oauth cookies v1")
		.digest("base64url");
	let opened: { readonly issuer: string; readonly provider: Promise<OAuthProvider> } | undefined;
	const open = (): Promise<OAuthProvider> => {
		const issuer = baseUrl();
		assertSafeIssuer(issuer);
		if (opened?.issuer !== issuer) {
			const provider = openProvider(issuer, {
				...services,
				cookieKey,
				addressOf: (req) => addresses.get(req),
				mayFetch: (req) => fetches.take(addresses.get(req) ?? "").isLetIn,
			});
			opened = { issuer, provider };
			// The next request tries again.
			provider.catch(() => {
				if (opened?.provider === provider) opened = undefined;
			});
		}
		return opened.provider;
	};
	/** Replaces what a proxy or a caller says of our address by what the operator says. */
	const prepare = (req: Request): void => {
		const { host, protocol, pathname } = new URL(baseUrl());
		addresses.set(req, toCallerAddress(req.ip));
		req.headers.host = host;
		req.headers["x-forwarded-proto"] = protocol.slice(0, -1);
		delete req.headers["x-forwarded-host"];
		req.originalUrl = `${pathname.replace(/\/$/, "")}${req.url}`;
	};
	/** Whatever the provider answers. */
	const handle: RequestHandler = async (req, res) => {
		prepare(req);
		await (await open()).handle(req, res);
	};
	return { open, prepare, handle };
}

/** Whose session the provider is to see: no one's, or one that we know of. What a browser says of it is worth nothing. */
export function setSession(req: Request, id: string | undefined): void {
	const { cookie = "" } = req.headers;
	const others = cookie.split(";").filter((pair) => !pair.trim().startsWith(OAUTH_COOKIES.session));
	const own = id === undefined ? [] : [`${OAUTH_COOKIES.session}=${id}`];
	req.headers.cookie = [...others, ...own].join("; ");
}

/** Throws UNAVAILABLE where codes and tokens would travel in the open. */
export function assertSafeIssuer(base: string): void {
	if (isSafeIssuer(base)) return;
	throw new ServiceError(
		"UNAVAILABLE",
		"Access can be given over https only; the operator has to set public_url to the https address of this server.",
		{ retryable: false },
	);
}
