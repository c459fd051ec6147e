import { OAUTH_RESOURCE_PATHS, OAUTH_SCOPE } from "../contract/contract.js";

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
