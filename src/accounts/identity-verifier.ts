import { createHash } from "node:crypto";
import type { CryptoKey, JWK } from "jose";
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import { LIMITS } from "../contract/contract.js";
import {
	type Clock,
	type Egress,
	type Logger,
	ServiceError,
	unavailable,
} from "../kernel/kernel.js";
import {
	type Claims,
	type IdentityAlgorithm,
	type IdentityRules,
	isName,
	readIdentityToken,
	refused,
} from "./identity-token.js";

interface Verdict {
	/** Of the keys it was checked with. */
	readonly version: number;
	readonly until: number;
	/** Undefined for a token whose signature is wrong. */
	readonly claims: Claims | undefined;
}

/**
 * The claims of a token that its issuer has signed for us; the returned function throws UNAUTHENTICATED for any other.
 * Cheap checks come first, verdicts are memoized, and few signatures are checked at once, so that
 * invalid tokens delay each other and no token that was verified before.
 */
export function createIdentityVerifier({
	rules,
	keys,
	clock,
}: {
	readonly rules: IdentityRules;
	readonly keys: IssuerKeys;
	readonly clock: Clock;
}) {
	const known = new LRUCache<string, Verdict>({ max: LIMITS.identityTokensKnown });
	const running = new Map<string, Promise<Verdict>>();
	const queue = new PQueue({ concurrency: LIMITS.identityChecksRunning });

	const recall = async (hash: string, now: number): Promise<Verdict | undefined> => {
		if (!known.has(hash)) return undefined;
		const version = await keys.version();
		const verdict = known.get(hash);
		if (verdict && verdict.until > now && verdict.version === version) return verdict;
		known.delete(hash);
		return undefined;
	};

	return async (token: string): Promise<Claims> => {
		const now = clock.now();
		const { algorithm, keyId, expiresAt } = readIdentityToken(token, rules, now);
		const hash = createHash("sha256").update(token).digest("base64url");
		const check = async (): Promise<Verdict> => {
			const found = await keys.find(keyId, algorithm);
			if (!found) throw refused("its key (kid) is none of its issuer's");
			if (queue.size >= LIMITS.identityChecksWaiting) {
				throw new ServiceError(
					"RATE_LIMITED",
					"Too many identity tokens wait to be checked; send the same request again in a moment.",
					{ retryAfterSeconds: LIMITS.retryAfterSeconds },
				);
			}
			const { key, version } = found;
			const claims = await queue.add(() => checkSignature(token, key, rules, clock.now()));
			const until = Math.min(
				(expiresAt + LIMITS.identityClockSkewSeconds) * 1000,
				clock.now() + LIMITS.identityTokenKnownMs,
			);
			const verdict = { version, until, claims };
			known.set(hash, verdict);
			return verdict;
		};
		const checkOnce = (): Promise<Verdict> => {
			const pending = running.get(hash) ?? check().finally(() => running.delete(hash));
			running.set(hash, pending);
			return pending;
		};
		const { claims } = (await recall(hash, now)) ?? (await checkOnce());
		if (claims) return claims;
		throw refused("its signature is wrong");
	};
}

/** Undefined when jose does not accept it; everything is judged again there, by other hands than ours. */
async function checkSignature(
	token: string,
	key: CryptoKey,
	{ issuer, audience, algorithms, maxTokenAgeSeconds }: IdentityRules,
	now: number,
): Promise<Claims | undefined> {
	const { jwtVerify } = await import("jose");
	try {
		const { payload } = await jwtVerify(token, key, {
			issuer,
			audience,
			algorithms: [...algorithms],
			requiredClaims: ["exp", "iat", "sub"],
			maxTokenAge: maxTokenAgeSeconds,
			clockTolerance: LIMITS.identityClockSkewSeconds,
			currentDate: new Date(now),
		});
		return payload;
	} catch {
		return undefined;
	}
}

interface IssuerServices {
	readonly issuer: string;
	/** Where the keys are; undefined asks the issuer's discovery document. */
	readonly jwksUri?: string | undefined;
	/** Reaches the issuer, and no one else. */
	readonly egress: Egress;
	readonly clock: Clock;
	readonly logger: Logger;
}

/** The public keys of an identity provider, read from its own address and nowhere else. */
export type IssuerKeys = ReturnType<typeof createIssuerKeys>;

interface KeyRing {
	readonly keys: ReadonlyMap<string, JWK>;
	readonly readAt: number;
	readonly version: number;
}

const NONE: KeyRing = { keys: new Map(), readAt: Number.NEGATIVE_INFINITY, version: 0 };

export function createIssuerKeys(deps: IssuerServices) {
	const { clock, logger } = deps;
	let ring = NONE;
	let triedAt = Number.NEGATIVE_INFINITY;
	let reading: Promise<void> | undefined;
	let waiting = 0;
	const imported = new WeakMap<JWK, Map<IdentityAlgorithm, Promise<CryptoKey>>>();

	const read = async (): Promise<void> => {
		try {
			const keys = await readKeys(deps);
			const isSame = JSON.stringify([...keys]) === JSON.stringify([...ring.keys]);
			const readAt = clock.monotonicMs();
			ring = isSame ? { ...ring, readAt } : { keys, readAt, version: ring.version + 1 };
		} catch (error) {
			logger.error("the identity provider's keys could not be read", { error: String(error) });
		}
	};
	/** One reading at a time; undefined when the latest one is too recent for another. */
	const refresh = (): Promise<void> | undefined => {
		if (reading !== undefined) return reading;
		const now = clock.monotonicMs();
		if (now - triedAt < LIMITS.issuerKeysCooldownMs) return undefined;
		triedAt = now;
		reading = read().finally(() => {
			reading = undefined;
		});
		return reading;
	};
	const waitForRefresh = async (): Promise<void> => {
		if (waiting >= LIMITS.identityChecksWaiting) return;
		waiting += 1;
		await refresh();
		waiting -= 1;
	};
	const age = () => clock.monotonicMs() - ring.readAt;
	const current = () => (age() > LIMITS.issuerKeysKeptMs ? NONE : ring);
	/** Where the provider is silent, known keys go on being used. */
	const freshen = async (): Promise<void> => {
		if (age() > LIMITS.issuerKeysFreshMs) await refresh();
	};

	return {
		/** Changes whenever other keys are trusted than before; keys no longer fresh are read again first. */
		async version(): Promise<number> {
			await freshen();
			return ring.version;
		},
		/**
		 * The key of this id for this algorithm; undefined when the provider has none. Keys older than LIMITS.issuerKeysFreshMs
		 * are read again first, and so they are for an id no one knows, at most once in LIMITS.issuerKeysCooldownMs. Throws
		 * UNAVAILABLE while there are none and the provider is silent.
		 */
		async find(keyId: string, algorithm: IdentityAlgorithm) {
			await freshen();
			if (!current().keys.has(keyId)) await waitForRefresh();
			const { keys, version } = current();
			if (keys.size === 0) {
				throw unavailable(
					"The identity provider's keys cannot be read at the moment; send the same request again later.",
					{ retryAfterSeconds: Math.ceil(LIMITS.issuerKeysCooldownMs / 1000) },
				);
			}
			const jwk = keys.get(keyId);
			if (!jwk || !suits(jwk, algorithm)) return undefined;
			const byAlgorithm = imported.get(jwk) ?? new Map<IdentityAlgorithm, Promise<CryptoKey>>();
			imported.set(jwk, byAlgorithm);
			const key = byAlgorithm.get(algorithm) ?? importKey(jwk, algorithm);
			byAlgorithm.set(algorithm, key);
			return { key: await key, version };
		},
	};
}

export async function importKey(jwk: JWK, algorithm: IdentityAlgorithm): Promise<CryptoKey> {
	const { importJWK } = await import("jose");
	return (await importJWK(jwk, algorithm)) as CryptoKey;
}

async function readKeys(deps: IssuerServices): Promise<ReadonlyMap<string, JWK>> {
	const { keys } = await readJson(deps, deps.jwksUri ?? (await discover(deps)));
	if (!Array.isArray(keys)) throw new TypeError("The key set holds no list of keys.");
	const usable = keys.slice(0, LIMITS.issuerKeysMax).filter(isPublicKey);
	const found = new Map<string, JWK>();
	// Of two keys with one id it is unknown which was meant.
	for (const { kid } of usable) {
		const [only, ...others] = usable.filter((key) => key.kid === kid);
		if (only && others.length === 0) found.set(kid, only);
	}
	if (found.size === 0) throw new TypeError("The key set holds no key that can check signatures.");
	return found;
}

/** The address of the keys, which must lie with the issuer: another one is the operator's to name. */
async function discover(deps: IssuerServices): Promise<string> {
	const base = deps.issuer.replace(/\/$/, "");
	const document = await readJson(deps, `${base}/.well-known/openid-configuration`);
	const { issuer, jwks_uri: uri } = document;
	if (issuer !== deps.issuer) throw new TypeError("The discovery document is of another issuer.");
	if (typeof uri !== "string" || !URL.canParse(uri)) throw new TypeError("It names no jwks_uri.");
	if (new URL(uri).origin === new URL(deps.issuer).origin) return uri;
	throw new TypeError("Its jwks_uri lies elsewhere; name it in oidc_jwks_uri.");
}

async function readJson({ egress }: IssuerServices, url: string): Promise<Claims> {
	const headers = { Accept: "application/json" };
	const timeoutMs = LIMITS.issuerTimeoutMs;
	const response = await egress.request({ method: "GET", url, headers, timeoutMs });
	if (!response.ok) throw new TypeError(`${new URL(url).host} answered ${response.status}.`);
	const text = await response.text();
	if (text.length > LIMITS.issuerReplyChars) throw new TypeError("The reply is too long.");
	const value: unknown = JSON.parse(text);
	if (typeof value === "object" && value !== null) return value as Claims;
	throw new TypeError("The reply is no JSON object.");
}

const SECRET_MEMBERS = ["d", "k", "p", "q"];

/** Bytes of the smallest modulus that RSA signatures are taken with: 2,048 bits. */
const MODULUS_BYTES = 256;

function isPublicKey(value: unknown): value is JWK & { readonly kid: string } {
	if (typeof value !== "object" || value === null) return false;
	const key = value as JWK;
	if (!isName(key.kid) || SECRET_MEMBERS.some((name) => Object.hasOwn(key, name))) return false;
	if (key.use !== undefined && key.use !== "sig") return false;
	if (Array.isArray(key.key_ops) && !key.key_ops.includes("verify")) return false;
	return key.kty !== "RSA" || Buffer.from(String(key.n), "base64url").length >= MODULUS_BYTES;
}

/** Whether a key is of the kind an algorithm needs: a key is never used for a signature of another kind. */
function suits({ kty, crv, alg }: JWK, algorithm: IdentityAlgorithm): boolean {
	if (alg !== undefined && alg !== algorithm) return false;
	if (algorithm === "ES256") return kty === "EC" && crv === "P-256";
	if (algorithm === "EdDSA") return kty === "OKP" && crv === "Ed25519";
	return kty === "RSA";
}
