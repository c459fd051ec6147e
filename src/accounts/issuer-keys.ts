import type { CryptoKey, JWK } from "jose";
import { LIMITS } from "../contract/contract.js";
import { type Clock, type Egress, type Logger, ServiceError } from "../kernel/kernel.js";
import { type IdentityAlgorithm, isName } from "./identity-token.js";

export interface IssuerKeysDeps {
	readonly issuer: string;
	/** Where the keys are; undefined asks the issuer's discovery document. */
	readonly jwksUri?: string | undefined;
	readonly algorithms: readonly IdentityAlgorithm[];
	/** Reaches the issuer, and nobody else. */
	readonly egress: Egress;
	readonly clock: Clock;
	readonly logger: Logger;
}

/** The public keys of an identity provider, read from its own address and nowhere else. */
export interface IssuerKeys {
	/**
	 * The key of this id for this algorithm; undefined when the provider has none. Keys older than LIMITS.issuerKeysFreshMs
	 * are read again first, and so they are for an id nobody knows, at most once in LIMITS.issuerKeysCooldownMs. Throws
	 * UNAVAILABLE while there are none and the provider is silent.
	 */
	find(keyId: string, algorithm: IdentityAlgorithm): Promise<IssuerKey | undefined>;
	/** Changes whenever other keys are trusted than before; keys no longer fresh are read again first. */
	version(): Promise<number>;
}

export interface IssuerKey {
	readonly key: CryptoKey;
	/** Of the keys it is one of. */
	readonly version: number;
}

interface KeyRing {
	readonly keys: ReadonlyMap<string, JWK>;
	readonly readAt: number;
	readonly version: number;
}

const NONE: KeyRing = { keys: new Map(), readAt: Number.NEGATIVE_INFINITY, version: 0 };

export function createIssuerKeys(deps: IssuerKeysDeps): IssuerKeys {
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
		async version() {
			await freshen();
			return ring.version;
		},
		async find(keyId, algorithm) {
			await freshen();
			if (!current().keys.has(keyId)) await waitForRefresh();
			const { keys, version } = current();
			if (keys.size === 0) throw silent();
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

function silent(): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		"The identity provider's keys cannot be read at the moment; send the same request again later.",
		{ retryAfterSeconds: Math.ceil(LIMITS.issuerKeysCooldownMs / 1000) },
	);
}

async function importKey(jwk: JWK, algorithm: IdentityAlgorithm): Promise<CryptoKey> {
	const { importJWK } = await import("jose");
	return (await importJWK(jwk, algorithm)) as CryptoKey;
}

async function readKeys(deps: IssuerKeysDeps): Promise<ReadonlyMap<string, JWK>> {
	const { keys } = await readJson(deps, deps.jwksUri ?? (await discover(deps)));
	if (!Array.isArray(keys)) throw new TypeError("The key set holds no list of keys.");
	const usable = keys.slice(0, LIMITS.issuerKeysMax).filter(isPublicKey);
	const found = new Map<string, JWK>();
	// Of two keys with one id nobody can tell which was meant.
	for (const { kid } of usable) {
		const [only, ...others] = usable.filter((key) => key.kid === kid);
		if (only && others.length === 0) found.set(kid, only);
	}
	if (found.size === 0) throw new TypeError("The key set holds no key that can check signatures.");
	return found;
}

/** The address of the keys, which must lie with the issuer: another one is the operator's to name. */
async function discover(deps: IssuerKeysDeps): Promise<string> {
	const base = deps.issuer.replace(/\/$/, "");
	const { issuer, jwks_uri: uri } = await readJson(
		deps,
		`${base}/.well-known/openid-configuration`,
	);
	if (issuer !== deps.issuer) throw new TypeError("The discovery document is of another issuer.");
	if (typeof uri !== "string" || !URL.canParse(uri)) throw new TypeError("It names no jwks_uri.");
	if (new URL(uri).origin === new URL(deps.issuer).origin) return uri;
	throw new TypeError("Its jwks_uri lies elsewhere; name it in oidc_jwks_uri.");
}

async function readJson(
	{ egress }: IssuerKeysDeps,
	url: string,
): Promise<Readonly<Record<string, unknown>>> {
	const headers = { Accept: "application/json" };
	const timeoutMs = LIMITS.issuerTimeoutMs;
	const response = await egress.request({ method: "GET", url, headers, timeoutMs });
	if (!response.ok) throw new TypeError(`${new URL(url).host} answered ${response.status}.`);
	const text = await response.text();
	if (text.length > LIMITS.issuerReplyChars) throw new TypeError("The reply is too long.");
	const value: unknown = JSON.parse(text);
	if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
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
