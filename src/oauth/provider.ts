import type { IncomingMessage } from "node:http";
import type { Request as HttpRequest, RequestHandler } from "express";
import type { Configuration, KoaContextWithOIDC, Provider } from "oidc-provider";
import { OAUTH_LIMITS, type RevokeToken } from "../accounts/accounts.js";
import {
	isSafeIssuer,
	LIMITS,
	OAUTH_KEY_CLAIM,
	OAUTH_RESOURCE_PATHS,
	OAUTH_SCOPE,
} from "../contract/contract.js";
import { createTokenBuckets, toCallerAddress, toServiceError } from "../http/http.js";
import { type Egress, keysFor, stackOf, unavailable } from "../kernel/kernel.js";
import { toPlainDocument } from "./client-registration.js";
import { failurePage } from "./interaction-pages.js";
import { OAUTH_PATHS } from "./oauth-documents.js";
import type { OAuthServices } from "./oauth-services.js";
import { createPassing, createRecordAdapter, type Passing } from "./record-adapter.js";

type Library = typeof import("oidc-provider");

interface ProviderDeps extends OAuthServices {
	/** The first one signs. */
	readonly cookieKeys: readonly string[];
	readonly passing: Passing;
	readonly addressOf: (req: IncomingMessage) => string | undefined;
	/** Whether the address a request came from may have one more document fetched. */
	readonly mayFetch: (req: IncomingMessage) => boolean;
}

/** What users and clients meet; the certified part of it. Loaded at the first request, since few servers ever need it. */
export type OAuthProvider = Awaited<ReturnType<typeof openProvider>>;

/** The way to the provider, which is loaded by the first request that takes it. */
export type ProviderGate = ReturnType<typeof createProviderGate>;

export function createProviderGate(services: OAuthServices) {
	const { clock, pepper, signingKeys } = services;
	const { baseUrl } = services.service.info;
	const fetches = createTokenBuckets({
		clock,
		perMinute: OAUTH_LIMITS.documentFetchesPerMinute,
		keysMax: LIMITS.rateLimitedCallersMax,
	});
	const addresses = new WeakMap<IncomingMessage, string>();
	const passing = createPassing(services);
	let opened: { readonly terms: string; readonly provider: Promise<OAuthProvider> } | undefined;
	const open = (): Promise<OAuthProvider> => {
		const issuer = baseUrl();
		assertSafeIssuer(issuer);
		const cookieKeys = keysFor(pepper, "tollgraph oauth cookies v1").map((key) =>
			key.toString("base64url"),
		);
		const terms = [issuer, ...cookieKeys, ...signingKeys().map(({ kid }) => kid)].join(" ");
		if (opened?.terms !== terms) {
			const provider = openProvider(issuer, {
				...services,
				cookieKeys,
				passing,
				addressOf: (req) => addresses.get(req),
				mayFetch: (req) => fetches.take(addresses.get(req) ?? "").isLetIn,
			});
			opened = { terms, provider };
			// The next request tries again.
			provider.catch(() => {
				if (opened?.provider === provider) opened = undefined;
			});
		}
		return opened.provider;
	};
	/** Replaces what a proxy or a caller says of our address by what the operator says. */
	const prepare = (req: HttpRequest): void => {
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
	return { open, prepare, handle, interactions: passing.Interaction };
}

/** Whose session the provider is to see: no one's, or that of a step. What a browser says of it is worth nothing. */
export function setSession(req: HttpRequest, uid: string | undefined): void {
	const { cookie = "" } = req.headers;
	const others = cookie.split(";").filter((pair) => !pair.trim().startsWith(OAUTH_COOKIES.session));
	const own = uid === undefined ? [] : [`${OAUTH_COOKIES.session}=${uid}`];
	req.headers.cookie = [...others, ...own].join("; ");
}

/** Throws UNAVAILABLE where codes and tokens would travel in the open. */
export function assertSafeIssuer(base: string): void {
	if (isSafeIssuer(base)) return;
	throw unavailable(
		"Access can be given over https only; the operator has to set public_url to the https address of this server.",
		{ retryable: false },
	);
}

async function openProvider(issuer: string, deps: ProviderDeps) {
	if (typeof URL.parse !== "function") {
		throw unavailable(
			"Access can be given from Node 20.18 on; the operator has to run a newer Node, or set oauth to off.",
			{ retryable: false },
		);
	}
	const library = await import("oidc-provider");
	const provider = new library.Provider(issuer, toConfiguration(issuer, deps, library));
	// What a proxy says is replaced by what the operator says before a request gets here.
	provider.proxy = true;
	nameFamilies(provider, deps);
	provider.use(async (ctx, next) => {
		await next();
		const cookies = [ctx.response.get("Set-Cookie")].flat().filter(Boolean);
		const sent = cookies.filter((cookie) => !cookie.startsWith(OAUTH_COOKIES.session));
		if (sent.length < cookies.length) ctx.set("Set-Cookie", sent);
	});
	provider.use(async (ctx, next) => {
		await next();
		const { route, entities } = (ctx as Partial<KoaContextWithOIDC>).oidc ?? {};
		const keyId = entities?.AccessToken?.grantId;
		if (route === "token" && ctx.status === 200 && keyId) await endReplaced(deps, keyId);
	});
	acceptAccessTokens(provider, deps.revokeToken);
	const log = (error: unknown) =>
		deps.logger.error("unexpected failure", { error: stackOf(error) });
	provider.on("server_error", (_ctx, error) => log(error));
	(provider as NodeJS.EventEmitter).on("error", log);
	return { provider, handle: provider.callback() };
}

/** Lets refresh tokens be made by us; the library's types leave out the method that it makes each with. */
function nameFamilies({ RefreshToken }: Provider, { refreshTokens }: ProviderDeps): void {
	const made = RefreshToken.prototype as unknown as { generateTokenId: () => string };
	made.generateTokenId = function (this: { readonly grantId?: string }) {
		return refreshTokens.next(this.grantId ?? "");
	};
}

/** A client that holds a new token has no need of the access which that takes the place of. */
async function endReplaced({ records, grants }: ProviderDeps, keyId: string): Promise<void> {
	const replaced = await records.getReplaced(keyId);
	for (const earlier of replaced) await grants.end(earlier);
	if (replaced.length > 0) await records.setReplaced(keyId, []);
}

function toConfiguration(issuer: string, deps: ProviderDeps, library: Library): Configuration {
	const { signingKeys, isOpen } = deps;
	const currentAddress = () => {
		const { ctx } = library.Provider;
		return ctx && deps.addressOf(ctx.req);
	};
	const { InvalidGrant, SessionNotFound } = library.errors;
	const toInvalidGrant = (reason: string) => new InvalidGrant(reason);
	const toLostStep = () => new SessionNotFound("it is no longer open");
	return {
		adapter: createRecordAdapter({ ...deps, currentAddress, toInvalidGrant, toLostStep }),
		jwks: { keys: signingKeys().map((key) => ({ ...key, kty: "EC" })) },
		routes: {
			authorization: OAUTH_PATHS.authorize,
			token: OAUTH_PATHS.token,
			revocation: OAUTH_PATHS.revoke,
			jwks: OAUTH_PATHS.jwks,
		},
		scopes: [OAUTH_SCOPE],
		claims: {},
		responseTypes: ["code"],
		clientAuthMethods: ["none"],
		clientDefaults: {
			grant_types: ["authorization_code", "refresh_token"],
			response_types: ["code"],
			token_endpoint_auth_method: "none",
			id_token_signed_response_alg: "ES256",
		},
		enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
		pkce: { required: () => true },
		// An address that was not sent is not compared.
		allowOmittingSingleRegisteredRedirectUri: false,
		cookies: toCookies(issuer, deps),
		features: toFeatures(issuer, deps, library),
		ttl: TIMES,
		findAccount: async (_ctx, accountId) =>
			(await isOpen(accountId))
				? { accountId, claims: async () => ({ sub: accountId }) }
				: undefined,
		// A grant is made by one consent and never found again by another request.
		loadExistingGrant: async ({ oidc }) => {
			const grantId = oidc.result?.consent?.grantId;
			return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
		},
		issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
		expiresWithSession: async () => false,
		rotateRefreshToken: true,
		extraTokenClaims: async (_ctx, token) =>
			"grantId" in token ? { [OAUTH_KEY_CLAIM]: token.grantId } : undefined,
		interactions: {
			policy: toInteractionPolicy(library),
			url: (_ctx, { uid }) =>
				`${new URL(issuer).pathname.replace(/\/$/, "")}${OAUTH_PATHS.interaction}/${uid}`,
		},
		clientBasedCORS: () => true,
		renderError: async (ctx, out) => {
			// Shown to users whose request cannot go on, and cannot go back to its client either.
			const description = out.error_description ?? out.error;
			const message = `The request for access cannot go on: ${description}.`;
			const { body, policy = "" } = await deps.renderPage(failurePage(message));
			ctx.type = "html";
			ctx.set("Content-Security-Policy", policy);
			ctx.body = body;
		},
		fetch: (url, options) => fetchDocument(deps.egress, url, options),
	};
}

const TIMES = {
	AccessToken: OAUTH_LIMITS.accessTokenSeconds,
	AuthorizationCode: OAUTH_LIMITS.codeSeconds,
	RefreshToken: OAUTH_LIMITS.refreshTokenSeconds,
	Grant: OAUTH_LIMITS.grantSeconds,
	Interaction: OAUTH_LIMITS.interactionSeconds,
	Session: OAUTH_LIMITS.interactionSeconds,
} as const;

/** Names of the cookies. That of the session never leaves the server: which it is follows from the step. */
const OAUTH_COOKIES = {
	session: "tollgraph_oauth_session",
	interaction: "tollgraph_oauth_step",
	resume: "tollgraph_oauth_resume",
} as const;

function toCookies(issuer: string, { cookieKeys }: ProviderDeps): Configuration["cookies"] {
	const secure = issuer.startsWith("https:");
	const options = { httpOnly: true, sameSite: "lax", secure } as const;
	return {
		names: OAUTH_COOKIES,
		keys: [...cookieKeys],
		long: { ...options, signed: false },
		short: { ...options, signed: true },
	};
}

function toFeatures(
	issuer: string,
	{ mayFetch }: ProviderDeps,
	{ errors }: Library,
): Configuration["features"] {
	const resources: readonly string[] = OAUTH_RESOURCE_PATHS.map((path) => `${issuer}${path}`);
	return {
		devInteractions: { enabled: false },
		dPoP: { enabled: false },
		userinfo: { enabled: false },
		rpInitiatedLogout: { enabled: false },
		pushedAuthorizationRequests: { enabled: false },
		// RFC 7009: other clients learn nothing of a token.
		revocation: {
			enabled: true,
			allowedPolicy: async (_ctx, { clientId }, token) => token.clientId === clientId,
		},
		clientIdMetadataDocument: {
			enabled: true,
			ack: "draft-02",
			allowFetch: (ctx: KoaContextWithOIDC | undefined) => ctx !== undefined && mayFetch(ctx.req),
			// What a user is asked about stays what it is for as long as the user may take.
			cacheDuration: { min: OAUTH_LIMITS.interactionSeconds },
		},
		resourceIndicators: {
			enabled: true,
			// Clients that name none speak an older protocol, which had one address.
			defaultResource: async (_ctx, _client, oneOf) => {
				if (oneOf === undefined) return `${issuer}${OAUTH_RESOURCE_PATHS[0]}`;
				throw new errors.InvalidTarget("name one resource, and one only");
			},
			useGrantedResource: async () => true,
			getResourceServerInfo: async ({ oidc }, resource) => {
				const isOne = !Array.isArray(oidc.params?.["resource"]);
				if (!resources.includes(resource) || !isOne) {
					throw new errors.InvalidTarget(`name one resource out of ${resources.join(", ")}`);
				}
				return {
					scope: OAUTH_SCOPE,
					audience: resource,
					accessTokenFormat: "jwt",
					accessTokenTTL: OAUTH_LIMITS.accessTokenSeconds,
					jwt: { sign: { alg: "ES256" } },
				};
			},
		},
	};
}

/** Documents in which clients describe themselves, and nothing else, are fetched. */
async function fetchDocument(
	egress: Egress,
	request: string | URL | Request,
	{ method, signal }: RequestInit = {},
): Promise<Response> {
	if (request instanceof Request || (method !== undefined && method !== "GET")) {
		throw new TypeError("Only GET is sent.");
	}
	const response = await egress.request({
		method: "GET",
		url: String(request),
		headers: { Accept: "application/json" },
		timeoutMs: OAUTH_LIMITS.documentTimeoutMs,
		signal: signal ?? undefined,
	});
	return response.ok ? toPlainDocument(response) : response;
}

/** Every request for access is signed in to and agreed to, whatever was agreed to before. */
function toInteractionPolicy({ interactionPolicy: { Prompt, Check } }: Library) {
	// Persisted with each step, so that a page never has to ask for the client again.
	const details = ({ oidc }: KoaContextWithOIDC) => ({ clientName: oidc.client?.clientName });
	const prompt = (name: "login" | "consent", description: string) => {
		const isMissing = ({ oidc }: KoaContextWithOIDC) => !oidc.result?.[name];
		const check = new Check(`no_${name}`, description, `${name}_required`, isMissing);
		return new Prompt({ name, requestable: true }, details, check);
	};
	return [prompt("login", "the user has to sign in"), prompt("consent", "the user has to agree")];
}

/**
 * Lets clients revoke access tokens as well as refresh tokens (RFC 7009). The library, which keeps nothing of tokens that it
 * has signed, reads the request, knows its client, and refuses; what it refuses for that alone is done here.
 */
export function acceptAccessTokens(provider: Provider, revokeToken: RevokeToken): void {
	const refused = new WeakSet<KoaContextWithOIDC>();
	provider.on("revocation.error", (ctx, error) => {
		if (error.error === "unsupported_token_type") refused.add(ctx);
	});
	provider.use(async (ctx, next) => {
		await next();
		const { client, params } = (ctx as Partial<KoaContextWithOIDC>).oidc ?? {};
		if (!client || !refused.has(ctx as KoaContextWithOIDC)) return;
		try {
			await revokeToken(String(params?.["token"]), client.clientId);
			ctx.status = 200;
			ctx.type = "text";
			ctx.body = "";
		} catch (error) {
			const { code, message, retryAfterSeconds } = toServiceError(error);
			if (code === "INTERNAL") throw error;
			// RFC 7009, section 2.2.1: the client is to take its token for good still, and to come back.
			ctx.status = 503;
			ctx.type = "json";
			ctx.body = { error: "temporarily_unavailable", error_description: message };
			if (retryAfterSeconds !== undefined)
				ctx.set("Retry-After", `${Math.ceil(retryAfterSeconds)}`);
		}
	});
}
