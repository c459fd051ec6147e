import {
	localhostAllowedHostnames,
	validateHostHeader,
	validateOriginHeader,
} from "@modelcontextprotocol/server";
import type { Request, RequestHandler } from "express";
import {
	type Credential,
	type OAuthResourcePath,
	parseCredential,
	parsePayment,
} from "../contract/contract.js";
import { readHeaders } from "../http/http.js";
import { invalidArgument, notFound, ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";

/** Who issues the signed tokens that callers show. */
export interface TokenIssuers {
	/** Of access tokens; undefined where none are taken. */
	readonly access: () => string | undefined;
	/** Of identity tokens; undefined where none are taken. */
	readonly identity: string | undefined;
}

/** An address that names who calls in its headers. */
export interface Way {
	readonly path: OAuthResourcePath;
	/** Whether it takes access tokens alone. */
	readonly isOAuthOnly: boolean;
}

interface AdmitRules {
	readonly way: Way;
	readonly issuers: TokenIssuers;
	/** Anonymous agents too, with or without a prepaid token. */
	readonly letsAnyoneIn: boolean;
}

/**
 * Who calls, found valid. Throws INVALID_ARGUMENT and UNAUTHENTICATED for what cannot be read, UNAUTHENTICATED for what
 * no one issued and, unless anonymous agents are let in, for nothing at all.
 */
export async function admit(
	service: Service,
	req: Request,
	rules: AdmitRules,
): Promise<Credential | undefined> {
	const { way, issuers, letsAnyoneIn } = rules;
	const shown = parseCredential(readHeaders(req));
	const isPrepaid = letsAnyoneIn && shown?.scheme === "spt";
	const resource = `${service.info.baseUrl()}${way.path}`;
	const credential = isPrepaid ? shown : shown && toCredential(shown, resource, rules);
	if (credential) await judge(service, credential);
	else if (!letsAnyoneIn) throw new ServiceError("UNAUTHENTICATED", howToShow(issuers));
	return credential;
}

/** No one can call where access tokens alone are taken, and no one issues them. Throws NOT_FOUND. */
export function refuseWithoutIssuer({ access }: TokenIssuers): RequestHandler {
	return (_req, _res, next) => {
		if (access() !== undefined) return next();
		throw notFound(
			"This address is for access by OAuth, which this server does not give; use /mcp with an API key, or a connection address.",
		);
	};
}

/** Access tokens are issued for the address as it stands. Throws INVALID_ARGUMENT for one that chooses a graph. */
export function refuseChosenGraph({ path }: Way): RequestHandler {
	return ({ query }, _res, next) => {
		if (query["graph"] === undefined) return next();
		throw invalidArgument(
			`The address ${path} chooses no graph; leave "?graph=" out, tools take the graph as an argument.`,
		);
	};
}

/** A payment is refused where no one looks for it, rather than left unread beside an answer. Throws INVALID_ARGUMENT. */
export const refuseHeaderPayments: RequestHandler = (req, _res, next) => {
	if (parsePayment(readHeaders(req)) === undefined) return next();
	throw invalidArgument(
		'Payments are not read from headers here; where calls are paid one by one, the payment stands in "_meta" of the call, as "x402/payment" or "org.paymentauth/credential".',
	);
};

/** A connection token's owner is known by the address alone. Throws UNAUTHENTICATED. */
export async function admitByToken(service: Service, token: string): Promise<Credential> {
	const credential = { scheme: "connection", token } as const;
	try {
		await service.identify(credential);
		return credential;
	} catch (error) {
		const isWrong = error instanceof ServiceError && error.code === "UNAUTHENTICATED";
		throw isWrong ? new ServiceError("UNAUTHENTICATED", WRONG_TOKEN) : error;
	}
}

const WRONG_TOKEN =
	"The connection token in this address is not known here, has expired or was revoked; the owner of the account can make a new one.";

function howToShow({ access }: TokenIssuers): string {
	const key = 'Show who calls: an API key in "X-API-Key" or as "Authorization: Bearer sk_…"';
	if (access() === undefined) return `${key}.`;
	return `${key}, or an access token of the authorization server that the protected-resource metadata names.`;
}

/** A subject whose account no one has opened yet is let in: a paid call opens it. */
async function judge(service: Service, credential: Credential): Promise<void> {
	try {
		await service.identify(credential);
	} catch (error) {
		if (!(error instanceof ServiceError) || error.code !== "NOT_FOUND") throw error;
	}
}

/** `resource` is the address as access tokens name it. */
function toCredential(
	shown: Credential,
	resource: string,
	{ way: { isOAuthOnly }, issuers }: AdmitRules,
): Credential {
	if (shown.scheme === "spt") {
		throw new ServiceError(
			"UNAUTHENTICATED",
			"Shared Payment Tokens pay for REST and A2A calls; here, show an API key or an access token.",
		);
	}
	if (shown.scheme === "oidc" && (isOAuthOnly || isAccessToken(shown.token, resource, issuers))) {
		return { scheme: "oauth", token: shown.token, resource };
	}
	if (!isOAuthOnly) return shown;
	throw new ServiceError("UNAUTHENTICATED", "This address takes access tokens of OAuth 2.1 only.");
}

/**
 * Whether a token says that it is an access token for this address; whether that is so is judged later. One that its issuer
 * could have made as an identity token too is known by the audience.
 */
function isAccessToken(
	token: string,
	resource: string,
	{ access, identity }: TokenIssuers,
): boolean {
	const issuer = access();
	const claims = readClaims(token);
	if (issuer === undefined || claims?.["iss"] !== issuer) return false;
	const audience: unknown = claims["aud"];
	return issuer !== identity || [audience].flat().includes(resource);
}

/** Undefined for what no one can read. */
function readClaims(token: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const body = Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8");
		return Object(JSON.parse(body));
	} catch {
		return undefined;
	}
}

/**
 * A page in a browser must not reach a server of the same machine or network by a name that changed its mind (DNS
 * rebinding): its Origin is that name, and browsers send it with every POST. Clients that are no browser send none. A server
 * that is known on its own machine alone is called by that machine's names too; elsewhere a proxy may name it as it likes.
 */
export function createOriginCheck({
	service: { info },
	allowedOrigins,
}: {
	readonly service: Service;
	readonly allowedOrigins: readonly string[];
}): RequestHandler {
	const loopback = localhostAllowedHostnames();
	return (req, _res, next) => {
		const { hostname } = new URL(info.baseUrl());
		const hosts = [hostname, ...loopback];
		if (!validateOriginHeader(req.headers.origin, [...hosts, ...allowedOrigins]).ok) {
			throw new ServiceError(
				"SCOPE_FORBIDDEN",
				"Pages of this origin may not call this server; its operator can allow them (mcp_allowed_origins).",
			);
		}
		if (loopback.includes(hostname) && !validateHostHeader(req.headers.host, loopback).ok) {
			throw new ServiceError(
				"SCOPE_FORBIDDEN",
				"This server is not known by the name it was called by; behind a proxy, set public_url.",
			);
		}
		next();
	};
}
