import type { CryptoKey } from "jose";
import { LIMITS, OAUTH_KEY_CLAIM } from "../contract/contract.js";
import { type Clock, hashSecret } from "../kernel/kernel.js";
import { isName } from "./identity-token.js";
import type { IssuerKeys } from "./issuer-keys.js";
import type { SigningJwk } from "./key-files.js";
import { OAUTH_LIMITS } from "./oauth-limits.js";
import { createResourceVerifier, refusedToken } from "./resource-verifier.js";

/** What an access token of our own authorization server says. */
export interface OwnToken {
	readonly accountId: string;
	/** Key that stands for its grant. */
	readonly keyId: string;
	readonly clientId: string;
	/** Its row in the list of those that were revoked. */
	readonly recordId: string;
	/** From then on it opens nothing in any case. */
	readonly expiresAt: number;
}

/** Throws UNAUTHENTICATED for what is no access token of ours for this address, or has expired. */
export type ReadOwnToken = (token: string, resource: string) => Promise<OwnToken>;

export interface OwnTokenDeps {
	readonly clock: Clock;
	/** Public base address, which is the issuer as well. */
	readonly baseUrl: () => string;
	readonly signingJwk: SigningJwk;
	readonly pepper: Uint8Array;
}

export function createReadOwnToken(deps: OwnTokenDeps): ReadOwnToken {
	const { clock, baseUrl, signingJwk, pepper } = deps;
	const verify = createResourceVerifier({
		clock,
		baseUrl,
		rules: () => ({
			issuer: baseUrl(),
			algorithms: ["ES256"],
			maxTokenAgeSeconds: OAUTH_LIMITS.accessTokenSeconds,
		}),
		keys: createOwnKeys(signingJwk),
	});
	return async (token, resource) => {
		assertAccessToken(token);
		const claims = await verify(token, resource);
		const { sub: accountId, [OAUTH_KEY_CLAIM]: keyId, client_id: clientId, jti, exp } = claims;
		if (!isName(accountId) || !isName(keyId)) throw refusedToken("it names no key");
		if (!isName(clientId) || !isName(jti)) throw refusedToken("it names no client, or not itself");
		return {
			...{ accountId, keyId, clientId },
			recordId: `oauth-${hashSecret(`access ${jti}`, pepper)}`,
			expiresAt: (Number(exp) + LIMITS.identityClockSkewSeconds) * 1000,
		};
	};
}

/** RFC 9068: nothing else that was signed with the same key passes for an access token. */
function assertAccessToken(token: string): void {
	const [head = ""] = token.split(".", 1);
	try {
		const header: unknown = JSON.parse(Buffer.from(head.slice(0, 1_024), "base64url").toString());
		if ((header as { readonly typ?: unknown }).typ === "at+jwt") return;
	} catch {
		// No token at all is no access token either.
	}
	throw refusedToken("its type is not at+jwt");
}

function createOwnKeys(signingJwk: SigningJwk): IssuerKeys {
	let imported: ReturnType<typeof importKey> | undefined;
	return {
		version: async () => 1,
		async find(keyId, algorithm) {
			const { kid, d: _secret, ...jwk } = signingJwk;
			if (keyId !== kid || algorithm !== "ES256") return undefined;
			imported ??= importKey(jwk);
			return { key: await imported, version: 1 };
		},
	};
}

async function importKey(jwk: Readonly<Record<string, unknown>>) {
	const { importJWK } = await import("jose");
	return (await importJWK({ ...jwk, kty: "EC" }, "ES256")) as CryptoKey;
}
