import { createHmac, timingSafeEqual } from "node:crypto";
import { isUsable } from "../../payments/plan/plan.js";
import type { StoreReader, StoreTransaction } from "../../store/store.js";
import {
	type AccountAccess,
	LIMITS,
	OAUTH_KEY_CLAIM,
	OAUTH_RESOURCE_PATHS,
} from "../contract/contract.js";
import {
	everyPepperOf,
	hashesOf,
	keysFor,
	memoizeByObject,
	ServiceError,
} from "../kernel/kernel.js";
import { type FindGrant, keepsNoText } from "./account-access.js";
import type { AccountServices, SecretServices } from "./account-services.js";
import { type IdentityRules, isName } from "./identity-token.js";
import { createIdentityVerifier, type IssuerKeys, importKey } from "./identity-verifier.js";
import type { SigningJwk } from "./key-folder.js";
import type { OAuthGrants } from "./oauth-grants.js";
import { OAUTH_LIMITS } from "./oauth-limits.js";

/** What an access token of our own authorization server says. */
interface OwnToken {
	readonly accountId: string;
	/** Key that stands for its grant. */
	readonly keyId: string;
	readonly clientId: string;
	/** Its row in the list of those that were revoked, by any pepper in force; a new one has the first. */
	readonly recordIds: readonly string[];
	/** From then on it opens nothing in any case. */
	readonly expiresAt: number;
}

interface OwnTokenServices extends Pick<AccountServices, "store" | "clock" | "baseUrl" | "pepper"> {
	readonly signingKeys: () => readonly SigningJwk[];
}

/** The function returned throws UNAUTHENTICATED for what is no access token of ours for this address, or has expired. */
function createReadOwnToken({ clock, baseUrl, signingKeys, pepper }: OwnTokenServices) {
	const verify = createResourceVerifier({
		clock,
		baseUrl,
		rules: () => ({
			issuer: baseUrl(),
			algorithms: ["ES256"],
			maxTokenAgeSeconds: OAUTH_LIMITS.accessTokenSeconds,
		}),
		keys: createOwnKeys(signingKeys),
	});
	return async (token: string, resource: string): Promise<OwnToken> => {
		assertAccessToken(token);
		const claims = await verify(token, resource);
		const { sub: accountId, [OAUTH_KEY_CLAIM]: keyId, client_id: clientId, jti, exp } = claims;
		if (!isName(accountId) || !isName(keyId)) throw refusedToken("it names no key");
		if (!isName(clientId) || !isName(jti)) throw refusedToken("it names no client, or not itself");
		return {
			...{ accountId, keyId, clientId },
			// Revoked stays revoked, also when the pepper that named it is retired.
			recordIds: hashesOf(`access ${jti}`, everyPepperOf(pepper)).map((hash) => `oauth-${hash}`),
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

function createOwnKeys(signingKeys: () => readonly SigningJwk[]): IssuerKeys {
	const imported = memoizeByObject(({ kid: _, d: _secret, ...jwk }: SigningJwk) =>
		importKey({ ...jwk, kty: "EC" }, "ES256"),
	);
	/** Another one once keys came or went, so that no verdict outlives its key. */
	const version = memoizeByObject((_keys: readonly SigningJwk[]) => nextVersion++);
	let nextVersion = 1;
	return {
		version: async () => version(signingKeys()),
		async find(keyId, algorithm) {
			const key = signingKeys().find(({ kid }) => kid === keyId);
			if (!key || algorithm !== "ES256") return undefined;
			return { key: await imported(key), version: version(signingKeys()) };
		},
	};
}

/**
 * The claims of an access token for one of our MCP addresses, the only audiences there are; the function returned throws
 * UNAUTHENTICATED. Each address has a verifier of its own, so that a token for one of them opens no other.
 */
export function createResourceVerifier({
	clock,
	baseUrl,
	rules,
	keys,
}: Pick<AccountServices, "clock" | "baseUrl"> & {
	readonly rules: () => Omit<IdentityRules, "audience">;
	readonly keys: IssuerKeys;
}) {
	const verifiers = new Map<string, ReturnType<typeof createIdentityVerifier>>();
	return async (token: string, resource: string) => {
		const isKnown = OAUTH_RESOURCE_PATHS.some((path) => resource === `${baseUrl()}${path}`);
		if (!isKnown) throw refusedToken("nothing answers at the address it is for");
		const verify =
			verifiers.get(resource) ??
			createIdentityVerifier({ rules: { ...rules(), audience: resource }, keys, clock });
		verifiers.set(resource, verify);
		return verify(token).catch((error: unknown) => {
			if (!isRefusal(error)) throw error;
			// The verifier is that of identity tokens, and calls it one.
			throw new ServiceError(error.code, error.message.replace("identity token", "access token"));
		});
	};
}

function isRefusal(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.code === "UNAUTHENTICATED";
}

function refusedToken(reason: string): ServiceError {
	return new ServiceError("UNAUTHENTICATED", `The access token is refused: ${reason}.`);
}

/** Accepts the access tokens of our own authorization server, for as long as neither they nor the key behind them ended. */
export function createFindOwnGrant(deps: OwnTokenServices): FindGrant {
	const read = createReadOwnToken(deps);
	return async (token, resource) => {
		const { accountId, keyId, recordIds } = await read(token, resource);
		return deps.store.read(async (reader): Promise<AccountAccess | undefined> => {
			const account = await reader.get("accounts", accountId);
			const key = await reader.get("keys", keyId);
			if (!account || account.closedAt !== undefined || key?.accountId !== accountId) return;
			if (!isUsable(key, deps.clock.now())) return;
			if (await isNoted(reader, recordIds)) return;
			return { accountId, keyId, isManager: false, keepsNoText: keepsNoText(account) };
		});
	};
}

/**
 * Ends one access token before its time; durable before it resolves. What is no such token, or another client's, is let
 * be without a word (RFC 7009, section 2.2). Throws RATE_LIMITED where too many wait to be checked.
 */
export type RevokeToken = ReturnType<typeof createRevokeToken>;

/**
 * Revoked tokens are rows that vanish when the token would have. A grant has so many of them; a client that revokes one more
 * in that quarter of an hour loses the grant, so that no token is good that its client has given up.
 */
export function createRevokeToken({
	store,
	grants,
	...deps
}: OwnTokenServices & { readonly grants: Pick<OAuthGrants, "end"> }) {
	const read = createReadOwnToken({ store, ...deps });
	return async (text: string, clientId: string): Promise<void> => {
		const token = await read(text, audienceOf(text)).catch((error: unknown) => {
			if (isRefusal(error)) return undefined;
			throw error;
		});
		if (token?.clientId !== clientId) return;
		const hasRoom = await store.transaction((tx) => note(tx, token, deps.clock.now()));
		if (!hasRoom) await grants.end(token.keyId);
	};
}

/** False where there is no room for it. */
async function note(tx: StoreTransaction, token: OwnToken, now: number): Promise<boolean> {
	const { keyId, accountId, recordIds, expiresAt } = token;
	const [id = ""] = recordIds;
	const key = await tx.get("keys", keyId);
	if (key?.accountId !== accountId || !isUsable(key, now)) return true;
	if (await isNoted(tx, recordIds)) return true;
	const rows = await tx.findBy("oauth_records", "keyId", keyId);
	const live = rows.filter((row) => row.kind === "revoked_access" && row.expiresAt > now);
	if (live.length >= OAUTH_LIMITS.revokedTokensPerGrant) return false;
	const kind = "revoked_access";
	const row = { id, owner: accountId, kind, keyId, createdAt: now, expiresAt } as const;
	await tx.put("oauth_records", row);
	return true;
}

async function isNoted(reader: StoreReader, recordIds: readonly string[]): Promise<boolean> {
	for (const id of recordIds) if (await reader.get("oauth_records", id)) return true;
	return false;
}

/** As the token itself says: who asks for its end does not say where it was good. */
function audienceOf(token: string): string {
	try {
		const [, body = ""] = token.split(".", 2);
		const claims: unknown = JSON.parse(Buffer.from(body, "base64url").toString());
		return String((claims as { readonly aud?: unknown }).aud);
	} catch {
		return "";
	}
}

/**
 * Refresh tokens name the key of their grant and prove that they are ours. So one that was used before is known for what
 * it is, however long ago that was, though nothing is kept of it.
 */
export type RefreshTokens = ReturnType<typeof createRefreshTokens>;

const SECRET_BYTES = 32;
const PROOF_BYTES = 16;
const FORM = /^(key_[0-9a-z]{26})\.[\w-]{43}\.([\w-]{22})$/;

export function createRefreshTokens({ pepper, random }: Pick<SecretServices, "pepper" | "random">) {
	const proofsOf = (body: string) =>
		keysFor(pepper, "tollgraph refresh tokens v1").map((key) =>
			createHmac("sha256", key).update(body).digest().subarray(0, PROOF_BYTES),
		);
	return {
		/** A new one for the grant of a key. */
		next(keyId: string): string {
			const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url");
			const body = `${keyId}.${secret}`;
			return `${body}.${proofsOf(body)[0]?.toString("base64url")}`;
		},
		/** The key of a token we once gave out; undefined for any other text. */
		keyIdOf(token: string): string | undefined {
			const [, keyId, proof = ""] = FORM.exec(token) ?? [];
			if (keyId === undefined) return undefined;
			const shown = Buffer.from(proof, "base64url");
			const body = token.slice(0, token.lastIndexOf("."));
			return proofsOf(body).some((right) => timingSafeEqual(shown, right)) ? keyId : undefined;
		},
	};
}
