import type { CryptoKey } from "jose";
import { isUsable } from "../../payments/plan/plan-access.js";
import type { Store } from "../../store/store.js";
import type { AccountAccess } from "../core/account-access.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import { OAUTH_LIMITS } from "../core/oauth-limits.js";
import { OAUTH_KEY_CLAIM, OAUTH_RESOURCE_PATHS } from "../core/oauth-resources.js";
import type { FindGrant } from "./account-access.js";
import { type Claims, type IdentityRules, isName } from "./identity-token.js";
import { createIdentityVerifier } from "./identity-verifier.js";
import type { IssuerKeys } from "./issuer-keys.js";
import { keepsNoText } from "./kept-text.js";
import type { SigningJwk } from "./key-files.js";

/** Claims of an access token for one address; throws UNAUTHENTICATED. */
export type VerifyForResource = (token: string, resource: string) => Promise<Claims>;

export interface ResourceVerifierDeps {
	readonly clock: Clock;
	/** Public base address; its MCP addresses are the only audiences there are. */
	readonly baseUrl: () => string;
	readonly rules: () => Omit<IdentityRules, "audience">;
	readonly keys: IssuerKeys;
}

/** One judge for each address, so that a token for one of them opens no other. */
export function createResourceVerifier(deps: ResourceVerifierDeps): VerifyForResource {
	const judges = new Map<string, ReturnType<typeof createIdentityVerifier>>();
	return async (token, resource) => {
		const { clock, keys, baseUrl, rules } = deps;
		const isKnown = OAUTH_RESOURCE_PATHS.some((path) => resource === `${baseUrl()}${path}`);
		if (!isKnown) throw refusedToken("nothing answers at the address it is for");
		const verify =
			judges.get(resource) ??
			createIdentityVerifier({ rules: { ...rules(), audience: resource }, keys, clock });
		judges.set(resource, verify);
		return verify(token).catch((error: unknown) => {
			throw isRefusal(error) ? renamed(error) : error;
		});
	};
}

export interface FindOwnGrantDeps {
	readonly store: Store;
	readonly clock: Clock;
	/** Public base address, which is the issuer as well. */
	readonly baseUrl: () => string;
	readonly signingJwk: SigningJwk;
}

/** Accepts the access tokens of our own authorization server, for as long as the key behind them is good. */
export function createFindOwnGrant({ store, clock, ...deps }: FindOwnGrantDeps): FindGrant {
	const { baseUrl, signingJwk } = deps;
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
		const { sub: accountId, [OAUTH_KEY_CLAIM]: keyId } = claims;
		if (!isName(accountId) || !isName(keyId)) throw refusedToken("it names no key");
		return store.read(async (reader): Promise<AccountAccess | undefined> => {
			const account = await reader.get("accounts", accountId);
			const key = await reader.get("keys", keyId);
			if (!account || account.closedAt !== undefined || key?.accountId !== accountId) return;
			if (!isUsable(key, clock.now())) return;
			return { accountId, keyId, isManager: false, keepsNoText: keepsNoText(account) };
		});
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

function isRefusal(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.code === "UNAUTHENTICATED";
}

/** Its judge judges identity tokens as well, and calls it one. */
function renamed({ code, message }: ServiceError): ServiceError {
	return new ServiceError(code, message.replace("identity token", "access token"));
}

function refusedToken(reason: string): ServiceError {
	return new ServiceError("UNAUTHENTICATED", `The access token is refused: ${reason}.`);
}
