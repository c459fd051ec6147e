import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Request, RequestHandler } from "express";
import { OAUTH_LIMITS } from "../accounts/accounts.js";
import { isSafeIssuer, LIMITS } from "../contract/contract.js";
import { createTokenBuckets, toCallerAddress } from "../http/http.js";
import { type Logger, ServiceError, stackOf } from "../kernel/kernel.js";
import { failurePage } from "./interaction-pages.js";
import { OAUTH_COOKIES, type OAuthProvider, openProvider, type ProviderDeps } from "./provider.js";

export interface ProviderGateDeps
	extends Pick<
		ProviderDeps,
		| "records"
		| "grants"
		| "refreshTokens"
		| "revokeToken"
		| "clock"
		| "egress"
		| "signingJwk"
		| "isOpen"
	> {
	readonly pepper: Uint8Array;
	/** Public base address; see assertSafeIssuer. */
	readonly baseUrl: () => string;
	readonly logger: Logger;
}

/** The way to the provider, which is loaded by the first who takes it. */
export interface ProviderGate {
	open(): Promise<OAuthProvider>;
	/** Replaces what a proxy or a caller says of our address by what the operator says. */
	prepare(req: Request): void;
	/** Whatever the provider answers. */
	readonly handle: RequestHandler;
}

export function createProviderGate(deps: ProviderGateDeps): ProviderGate {
	const { clock, baseUrl, pepper, logger } = deps;
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
				...deps,
				cookieKey,
				addressOf: (req) => addresses.get(req),
				mayFetch: (req) => fetches.take(addresses.get(req) ?? "").isLetIn,
				renderError: (description) =>
					failurePage(`The request for access cannot go on: ${description}.`),
				logUnexpected: (error) => logger.error("unexpected failure", { error: stackOf(error) }),
			});
			opened = { issuer, provider };
			// The next request tries again.
			provider.catch(() => {
				if (opened?.provider === provider) opened = undefined;
			});
		}
		return opened.provider;
	};
	const prepare = (req: Request): void => {
		const { host, protocol, pathname } = new URL(baseUrl());
		addresses.set(req, toCallerAddress(req.ip));
		req.headers.host = host;
		req.headers["x-forwarded-proto"] = protocol.slice(0, -1);
		delete req.headers["x-forwarded-host"];
		req.originalUrl = `${pathname.replace(/\/$/, "")}${req.url}`;
	};
	return {
		open,
		prepare,
		async handle(req, res) {
			prepare(req);
			const { handle } = await open();
			await handle(req, res);
		},
	};
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
