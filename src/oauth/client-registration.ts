import type { RequestHandler } from "express";
import { z } from "zod";
import { OAUTH_LIMITS } from "../accounts/accounts.js";
import { type Json, OAUTH_SCOPE, parseInput } from "../contract/contract.js";
import { readJsonBody } from "../http/http.js";
import { invalidArgument, type ServiceError, visibleText } from "../kernel/kernel.js";
import type { OAuthServices } from "./oauth-services.js";

const text = z.string().max(OAUTH_LIMITS.clientTextChars);
const uri = z.string().max(OAUTH_LIMITS.redirectUriChars);
const sentMetadata = z.object({
	redirect_uris: z.array(uri).min(1).max(OAUTH_LIMITS.redirectUrisMax),
	client_name: text.nullish(),
	client_uri: uri.nullish(),
	grant_types: z.array(text).max(OAUTH_LIMITS.redirectUrisMax).nullish(),
	response_types: z.array(text).max(OAUTH_LIMITS.redirectUrisMax).nullish(),
});

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
/** A domain of the application's own, backwards (RFC 8252, section 7.1): no scheme that a browser acts on itself has a dot. */
const APPLICATION_SCHEME = /^(?=.{3,64}$)[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/;
/** Parsers of addresses let through more, such as ";". */
const HOST = /^[a-z0-9.-]+$/;

/**
 * What a client says of itself, made into what it can be here: public, with codes alone, proved by PKCE. What it asked for
 * beyond that is replaced, as the server may (RFC 7591, section 3.2.1), and its other metadata mean nothing here. Throws
 * INVALID_ARGUMENT.
 */
function toClientMetadata(value: unknown) {
	const { redirect_uris, client_name, client_uri, ...asked } = parseInput(sentMetadata, value);
	const isNative = redirect_uris.map(assertRedirectUri).includes("native");
	if (asked.response_types && !asked.response_types.includes("code")) {
		throw invalid('response_types must include "code".');
	}
	const mayRefresh = asked.grant_types?.includes("refresh_token") ?? true;
	const name = visibleText(client_name ?? "")
		.replace(/\s+/g, " ")
		.trim();
	return {
		...(name !== "" && { client_name: name }),
		...(client_uri && isHttps(client_uri) && { client_uri }),
		redirect_uris,
		application_type: isNative ? "native" : "web",
		grant_types: ["authorization_code", ...(mayRefresh ? ["refresh_token"] : [])],
		response_types: ["code"],
		token_endpoint_auth_method: "none",
		scope: OAUTH_SCOPE,
	};
}

/** The same for a document that a client publishes of itself; what cannot be read is left to the next reader. */
export async function toPlainDocument(response: Response): Promise<Response> {
	const document: unknown = await response.json();
	if (typeof document !== "object" || document === null) return Response.json(document);
	const { client_id, token_endpoint_auth_method: method = "none" } = document as Json;
	// Anyone who publishes a key expects it to be asked for.
	if (method !== "none") throw new TypeError("Only public clients are known by a document.");
	const cached = response.headers.get("cache-control");
	return Response.json(
		{ client_id, ...toClientMetadata(document) },
		{ headers: cached === null ? {} : { "cache-control": cached } },
	);
}

/** Where a user is sent, in words for the user. */
export function describeTarget(redirectUri: string): string {
	const { protocol, hostname, host } = new URL(redirectUri);
	if (protocol === "https:") return host;
	if (protocol === "http:" && LOOPBACK.includes(hostname)) return "an application on this computer";
	return `the application that opens ${protocol} addresses`;
}

/** RFC 8252: https, a reverse domain as the scheme, or http on the user's machine, whose port may then vary. */
function assertRedirectUri(redirectUri: string): "web" | "native" {
	const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
	if (!url || redirectUri.includes("#") || url.username !== "" || url.password !== "") {
		throw invalid("Each of redirect_uris must be an absolute address without a fragment.");
	}
	if (url.protocol === "https:" && HOST.test(url.hostname)) return "web";
	if (url.protocol === "http:" && LOOPBACK.includes(url.hostname)) return "native";
	if (APPLICATION_SCHEME.test(url.protocol)) return "native";
	throw invalid(
		'Each of redirect_uris must use https, http on the user\'s own machine, or a domain of the application backwards as its scheme ("com.example.app:/callback").',
	);
}

function isHttps(address: string): boolean {
	return URL.canParse(address) && new URL(address).protocol === "https:";
}

function invalid(message: string): ServiceError {
	return invalidArgument(message);
}

/** Any client may register itself, for nothing: it gains nothing by it until a user agrees. RFC 7591. */
export function createRegistration({ records, clock, random }: OAuthServices): RequestHandler {
	return async (req, res) => {
		const { registrationDepth, registrationBodyBytes, clientUnusedSeconds } = OAUTH_LIMITS;
		if (!req.is("application/json")) {
			throw invalid("Send the metadata of the client as application/json.");
		}
		const sent = await readJsonBody(req, registrationDepth, registrationBodyBytes);
		const metadata = toClientMetadata(sent);
		const id = Buffer.from(random.bytes(16)).toString("base64url");
		const issuedAt = Math.floor(clock.now() / 1000);
		const client = { client_id: id, client_id_issued_at: issuedAt, ...metadata };
		const expiresAt = clock.now() + clientUnusedSeconds * 1000;
		await records.put({ kind: "client", id, payload: client, expiresAt });
		res.status(201).json(client);
	};
}
