/** OAuth 2.1: how clients get access to an account, and how much of it its owner lets them spend. */

import express, { type ErrorRequestHandler, type RequestHandler, type Router } from "express";
import { OAUTH_LIMITS, toKeySet } from "../accounts/accounts.js";
import { LIMITS, OAUTH_RESOURCE_PATHS } from "../contract/contract.js";
import {
	createTokenBucket,
	STATUS_OF,
	sendDocument,
	sendPage,
	toCallerAddress,
	toDocument,
	toServiceError,
} from "../http/http.js";
import type { Service } from "../service/service.js";
import { createRegistration } from "./client-registration.js";
import { failurePage } from "./interaction-pages.js";
import { createInteractionRoutes } from "./interaction-routes.js";
import {
	OAUTH_PATHS,
	toAuthorizationQuery,
	toResourceMetadata,
	toServerMetadata,
} from "./oauth-documents.js";
import type { OAuthServices } from "./oauth-services.js";
import { assertSafeIssuer, createProviderGate, setSession } from "./provider.js";

const RESOURCES = "/.well-known/oauth-protected-resource";
/** Where clients look for the server's metadata, by whichever rule they were written. */
const METADATA = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

/** Our own authorization server; mount it at the root. */
export function createOAuthRouter(services: OAuthServices): Router {
	const { service, signingKeys, clock } = services;
	const gate = createProviderGate(services);
	const { show, submit, resume } = createInteractionRoutes(services, gate);
	const atMost = (perMinute: number): RequestHandler => {
		const count = createTokenBucket({ clock, perMinute, keysMax: LIMITS.rateLimitedCallersMax });
		return (req, _res, next) => {
			count(toCallerAddress(req.ip));
			next();
		};
	};
	const begin: RequestHandler = (req, _res, next) => {
		const [path = "", ...query] = req.url.split("?");
		req.url = `${path}?${toAuthorizationQuery(query.join("?"))}`;
		setSession(req, undefined);
		next();
	};
	const { authorize, token, revoke, register, jwks, interaction } = OAUTH_PATHS;
	const lookUps = atMost(OAUTH_LIMITS.authorizationsPerMinute);
	const forms = atMost(OAUTH_LIMITS.authorizationsPerMinute);
	const tokens = atMost(OAUTH_LIMITS.tokensPerMinute);
	return express
		.Router({ caseSensitive: true, strict: true })
		.use(createResourceRoutes(service, undefined))
		.get(METADATA.flatMap(variantsOf), (req, res) => {
			const base = service.info.baseUrl();
			assertSafeIssuer(base);
			sendDocument(req, res, toJson(toServerMetadata(base)));
		})
		.get(jwks, (req, res) => sendDocument(req, res, toJson(toKeySet(signingKeys()))))
		.use("/oauth", keepPrivate)
		.post(register, atMost(OAUTH_LIMITS.registrationsPerMinute), createRegistration(services))
		.get(authorize, lookUps, openToOpeners, begin, gate.handle)
		.get(`${authorize}/:uid`, openToOpeners, resume, gate.handle)
		.post([token, revoke], tokens, gate.handle)
		.get(`${interaction}/:uid`, openToOpeners, show)
		.post(`${interaction}/:uid`, forms, openToOpeners, submit)
		.use([authorize, interaction], createUserRefusal(services))
		.use("/oauth", answerClient);
}

/** RFC 9728, for our own authorization server or another one. */
export function createResourceRoutes(
	{ info }: Pick<Service, "info">,
	issuer: string | undefined,
): Router {
	const router = express.Router({ caseSensitive: true, strict: true });
	for (const path of ["", ...OAUTH_RESOURCE_PATHS]) {
		router.get(`${RESOURCES}${path}`, (req, res) => {
			const base = info.baseUrl();
			if (issuer === undefined) assertSafeIssuer(base);
			const resource = path || OAUTH_RESOURCE_PATHS[0];
			sendDocument(req, res, toJson(toResourceMetadata(base, { path: resource, issuer })));
		});
	}
	return router;
}

/** With the path of an address after it, as RFC 8414 has it, and before it, as OpenID Connect has it. */
function variantsOf(path: string): readonly string[] {
	return [path, ...OAUTH_RESOURCE_PATHS.flatMap((at) => [`${path}${at}`, `${at}${path}`])];
}

const toJson = (value: object) => toDocument("application/json", JSON.stringify(value));

const keepPrivate: RequestHandler = (_req, res, next) => {
	res.set("Cache-Control", "no-store");
	next();
};

/** Clients open these pages in windows of their own and wait for them to come back. */
const openToOpeners: RequestHandler = (_req, res, next) => {
	res.removeHeader("Access-Control-Allow-Origin");
	res.set("Cross-Origin-Opener-Policy", "unsafe-none");
	// Without an origin a browser does not say where a form comes from.
	res.set("Referrer-Policy", "same-origin");
	next();
};

function createUserRefusal({ renderPage }: OAuthServices): ErrorRequestHandler {
	// Express recognizes an error handler by its four parameters.
	return async (error: unknown, _req, res, next) => {
		const { code, message } = toServiceError(error);
		if (code === "INTERNAL" || res.headersSent) return next(error);
		sendPage(res, STATUS_OF[code], await renderPage(failurePage(message)));
	};
}

/** RFC 6749, section 5.2; RFC 7591, section 3.2.2. */
const answerClient: ErrorRequestHandler = (error: unknown, req, res, next) => {
	const { code, message, retryAfterSeconds } = toServiceError(error);
	if (code === "INTERNAL" || res.headersSent) return next(error);
	if (retryAfterSeconds !== undefined) res.set("Retry-After", String(Math.ceil(retryAfterSeconds)));
	res
		.status(STATUS_OF[code])
		.json({ error: nameOf(code, req.originalUrl, message), error_description: message });
};

function nameOf(code: string, url: string, message: string): string {
	if (code !== "INVALID_ARGUMENT") return "temporarily_unavailable";
	if (!url.endsWith(OAUTH_PATHS.register)) return "invalid_request";
	return message.includes("redirect_uris") ? "invalid_redirect_uri" : "invalid_client_metadata";
}
