import type { Request } from "express";
import { type Credential, parseCredential } from "../core/credential.js";
import { ServiceError } from "../core/errors.js";
import { createHeaderReader } from "../service/http-request.js";
import type { Service } from "../service/service.js";

/** An address that names who calls in its headers. */
export interface Way {
	readonly path: "/mcp" | "/chatgpt" | "/copilot";
	/** Whether it takes access tokens alone. */
	readonly isOAuthOnly: boolean;
}

/**
 * Who calls, found valid. Throws INVALID_ARGUMENT and UNAUTHENTICATED for what cannot be read, UNAUTHENTICATED for what
 * nobody issued and, unless anonymous agents are let in, for nothing at all.
 */
export async function admit(
	service: Service,
	req: Request,
	{ way, letsAnyoneIn }: { readonly way: Way; readonly letsAnyoneIn: boolean },
): Promise<Credential | undefined> {
	const shown = parseCredential(createHeaderReader(req));
	const credential = shown && toCredential(service, shown, way);
	if (credential) await service.identify(credential);
	else if (!letsAnyoneIn) throw new ServiceError("UNAUTHENTICATED", HOW_TO_SHOW);
	return credential;
}

/** A connection token's owner is known by the address alone. Throws UNAUTHENTICATED. */
export async function admitByToken(service: Service, token: string): Promise<Credential> {
	const credential = { scheme: "connection", token } as const;
	await service.identify(credential);
	return credential;
}

const HOW_TO_SHOW =
	'Show who calls: an API key in "X-API-Key" or as "Authorization: Bearer sk_live_…", or an access token of the authorization server that the protected-resource metadata names.';

function toCredential(service: Service, shown: Credential, { path, isOAuthOnly }: Way): Credential {
	const resource = `${service.info.baseUrl()}${path}`;
	if (shown.scheme === "spt") {
		throw new ServiceError(
			"UNAUTHENTICATED",
			"Shared Payment Tokens pay for REST and A2A calls; here, show an API key or an access token.",
		);
	}
	if (shown.scheme === "oidc" && (isOAuthOnly || isOurs(service, shown.token))) {
		return { scheme: "oauth", token: shown.token, resource };
	}
	if (!isOAuthOnly) return shown;
	throw new ServiceError("UNAUTHENTICATED", "This address takes access tokens of OAuth 2.1 only.");
}

/** Whether a token says that our own authorization server has issued it; whether that is so is judged later. */
function isOurs({ info }: Service, token: string): boolean {
	try {
		const claims: unknown = JSON.parse(
			Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"),
		);
		return (claims as { readonly iss?: unknown } | null)?.iss === info.baseUrl();
	} catch {
		return false;
	}
}
