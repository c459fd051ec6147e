import { OAUTH_LIMITS } from "../accounts/accounts.js";
import { OAUTH_RESOURCE_PATHS, OAUTH_SCOPE } from "../contract/contract.js";
import { invalidArgument } from "../kernel/kernel.js";

/** Below the public base address. */
export const OAUTH_PATHS = {
	authorize: "/oauth/authorize",
	token: "/oauth/token",
	register: "/oauth/register",
	revoke: "/oauth/revoke",
	jwks: "/oauth/jwks",
	interaction: "/oauth/interaction",
} as const;

/** RFC 8414, and what OpenID Connect's discovery has beside it, since some clients look there alone. */
export function toServerMetadata(base: string): object {
	const at = (path: string) => `${base}${path}`;
	return {
		issuer: base,
		authorization_endpoint: at(OAUTH_PATHS.authorize),
		token_endpoint: at(OAUTH_PATHS.token),
		registration_endpoint: at(OAUTH_PATHS.register),
		revocation_endpoint: at(OAUTH_PATHS.revoke),
		jwks_uri: at(OAUTH_PATHS.jwks),
		service_documentation: at("/docs"),
		scopes_supported: [OAUTH_SCOPE],
		response_types_supported: ["code"],
		response_modes_supported: ["query"],
		grant_types_supported: ["authorization_code", "refresh_token"],
		code_challenge_methods_supported: ["S256"],
		token_endpoint_auth_methods_supported: ["none"],
		revocation_endpoint_auth_methods_supported: ["none"],
		authorization_response_iss_parameter_supported: true,
		client_id_metadata_document_supported: true,
		protected_resources: OAUTH_RESOURCE_PATHS.map(at),
		subject_types_supported: ["public"],
		id_token_signing_alg_values_supported: ["ES256"],
	};
}

/** RFC 9728. */
export function toResourceMetadata(
	base: string,
	{ path, issuer }: { readonly path: string; readonly issuer: string | undefined },
): object {
	return {
		resource: `${base}${path}`,
		authorization_servers: [issuer ?? base],
		// What another server calls its scopes is its own affair.
		...(issuer === undefined && { scopes_supported: [OAUTH_SCOPE] }),
		bearer_methods_supported: ["header"],
		resource_documentation: `${base}/docs`,
	};
}

/** Parameters of a request for access that mean anything here, or must be refused where they are sent. */
const KNOWN = [
	"client_id",
	"response_type",
	"redirect_uri",
	"state",
	"code_challenge",
	"code_challenge_method",
	"resource",
	"request",
	"request_uri",
] as const;

/**
 * The query of a request for access as the provider is to see it: other parameters are ignored (RFC 6749, section 3.1),
 * and there is one scope, which everyone asks for whatever they ask for. Throws INVALID_ARGUMENT.
 */
export function toAuthorizationQuery(query: string): string {
	if (query.length > OAUTH_LIMITS.authorizationQueryChars) {
		throw invalidArgument("The request for access is too long.");
	}
	const sent = new URLSearchParams(query);
	const mode = sent.get("response_mode") ?? "query";
	if (mode !== "query") {
		throw invalidArgument(
			'The answer is sent in the query of the address it goes to; leave response_mode out, or send "query".',
		);
	}
	const isSilent = sent.get("prompt")?.split(" ").includes("none") ?? false;
	const asked = new URLSearchParams();
	for (const name of KNOWN) {
		for (const value of sent.getAll(name)) asked.append(name, value);
	}
	asked.set("scope", OAUTH_SCOPE);
	if (isSilent) asked.set("prompt", "none");
	return asked.toString();
}
