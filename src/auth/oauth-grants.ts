import type { CryptoKey } from "jose";
import { isUsable } from "../../payments/plan/plan-access.js";
import type { Store } from "../../store/store.js";
import type { AccountAccess } from "../core/account-access.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Micros } from "../core/money.js";
import { OAUTH_LIMITS } from "../core/oauth-limits.js";
import { OAUTH_KEY_CLAIM, OAUTH_RESOURCE_PATHS } from "../core/oauth-resources.js";
import type { FindGrant } from "./account-access.js";
import type { ApiKeys } from "./api-keys.js";
import type { Claims } from "./identity-token.js";
import { createIdentityVerifier } from "./identity-verifier.js";
import type { IssuerKeys } from "./issuer-keys.js";
import { keepsNoText } from "./kept-text.js";
import type { SigningJwk } from "./key-files.js";

/** What a user agrees to. */
export interface Consent {
	readonly accountId: string;
	/** Most the client may spend in one UTC month. */
	readonly budgetMicros: Micros;
	/** As the account's list of keys will name it. */
	readonly label: string;
}

/**
 * A grant is an API key whose secret nobody has: caps, usage, and its end by the account's owner are those of any key.
 */
export interface OAuthGrants {
	/** Returns the key's id. Throws NOT_FOUND, and INVALID_ARGUMENT for one key too many. */
	open(consent: Consent): Promise<string>;
	/** Its access tokens are refused from now on; safe to call again. */
	end(keyId: string): Promise<void>;
}

export interface OAuthGrantDeps {
	readonly keys: Pick<ApiKeys, "add" | "revoke">;
	readonly clock: Clock;
	readonly setLabel: (accountId: string, keyId: string, label: string) => Promise<void>;
}

export function createOAuthGrants({ keys, clock, setLabel }: OAuthGrantDeps): OAuthGrants {
	return {
		async open({ accountId, budgetMicros, label }) {
			const { id } = await keys.add(accountId, {
				isManager: false,
				maxPerMonthMicros: budgetMicros,
				expiresAt: clock.now() + OAUTH_LIMITS.refreshTokenSeconds * 1000,
			});
			await setLabel(accountId, id, label);
			return id;
		},
		async end(keyId) {
			await keys.revoke(keyId).catch((error: unknown) => {
				if (!(error instanceof ServiceError && error.code === "NOT_FOUND")) throw error;
			});
		},
	};
}

/** Claims of an access token for one address; throws UNAUTHENTICATED. */
export type VerifyForResource = (token: string, resource: string) => Promise<Claims>;

export interface ResourceVerifierDeps {
	readonly clock: Clock;
	/** Public base address; its MCP addresses are the only audiences there are. */
	readonly baseUrl: () => string;
	readonly rules: () => Omit<Parameters<typeof createIdentityVerifier>[0]["rules"], "audience">;
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
		return verify(token);
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
		const [accountId, keyId] = [String(claims["sub"]), String(claims[OAUTH_KEY_CLAIM])];
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

function createOwnKeys({ kid, d: _secret, ...jwk }: SigningJwk): IssuerKeys {
	let imported: ReturnType<typeof importKey> | undefined;
	return {
		version: async () => 1,
		async find(keyId, algorithm) {
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

function refusedToken(reason: string): ServiceError {
	return new ServiceError("UNAUTHENTICATED", `The access token is refused: ${reason}.`);
}
