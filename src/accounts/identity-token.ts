import { LIMITS } from "../contract/contract.js";
import { parseStrictJson, ServiceError } from "../kernel/kernel.js";

/** Signatures that need no shared secret; a caller who knows the provider's public key can forge none of them. */
export const IDENTITY_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"] as const;
export type IdentityAlgorithm = (typeof IDENTITY_ALGORITHMS)[number];

export interface IdentityRules {
	readonly issuer: string;
	readonly audience: string;
	readonly algorithms: readonly IdentityAlgorithm[];
	/** Oldest token that is taken, whatever its expiry. */
	readonly maxTokenAgeSeconds: number;
}

export type Claims = Readonly<Record<string, unknown>>;

/** A token whose every part is right but for its signature, which no one has looked at. */
export interface UncheckedToken {
	readonly algorithm: IdentityAlgorithm;
	readonly keyId: string;
	readonly claims: Claims;
	/** Epoch seconds. */
	readonly expiresAt: number;
}

const PART = /^[A-Za-z0-9_-]+$/;
const TYPES = ["jwt", "at+jwt", "application/at+jwt"];
/** Header members that bring a key along, or demand what we do not do. RFC 7515, sections 4.1.2 to 4.1.11; RFC 7797. */
const REFUSED_MEMBERS = ["jwk", "jku", "x5u", "x5c", "crit", "b64", "zip", "enc", "cty"];
const SIGNATURE_BYTES: Record<IdentityAlgorithm, { least: number; most: number }> = {
	RS256: { least: 256, most: 1_024 },
	PS256: { least: 256, most: 1_024 },
	ES256: { least: 64, most: 64 },
	EdDSA: { least: 64, most: 64 },
};

/**
 * Judges everything about a token that costs microseconds, so that invalid tokens rarely reach a signature check.
 * Throws UNAUTHENTICATED with the first thing that is wrong; never repeats any of the token. RFC 8725.
 */
export function readIdentityToken(
	token: string,
	rules: IdentityRules,
	now: number,
): UncheckedToken {
	if (token.length > LIMITS.identityTokenChars) throw refused("it is too long");
	const parts = token.split(".");
	const [head = "", body = "", signature = ""] = parts;
	if (parts.length !== 3 || !parts.every((part) => PART.test(part))) {
		throw refused("it is no signed JSON Web Token in three parts of base64url");
	}
	const header = decodeObject(head, "header");
	const algorithm = rules.algorithms.find((known) => known === header["alg"]);
	if (!algorithm) throw refused(`it is not signed with ${rules.algorithms.join(", ")}`);
	assertHeader(header);
	assertSignature(signature, algorithm);
	const keyId = header["kid"];
	if (!isName(keyId)) throw refused("its header names no key (kid)");
	const claims = decodeObject(body, "payload");
	return { algorithm, keyId, claims, expiresAt: judgeClaims(claims, rules, now) };
}

/** Why a token is refused, for its bearer. */
export function refused(reason: string): ServiceError {
	return new ServiceError("UNAUTHENTICATED", `The identity token is refused: ${reason}.`);
}

/** Text short enough to be a name. */
export function isName(value: unknown): value is string {
	return typeof value === "string" && value !== "" && value.length <= LIMITS.identityNameChars;
}

function assertHeader(header: Claims): void {
	const member = REFUSED_MEMBERS.find((name) => Object.hasOwn(header, name));
	if (member) throw refused(`its header has the member "${member}", which is not taken`);
	const type = header["typ"];
	if (type === undefined) return;
	if (typeof type === "string" && TYPES.includes(type.toLowerCase())) return;
	throw refused("its type is neither JWT nor at+jwt");
}

function assertSignature(signature: string, algorithm: IdentityAlgorithm): void {
	const { length } = decode(signature, "signature");
	const { least, most } = SIGNATURE_BYTES[algorithm];
	if (length < least || length > most) throw refused("its signature has the wrong length");
}

/** Returns the expiry, in epoch seconds. */
function judgeClaims(claims: Claims, rules: IdentityRules, now: number): number {
	const seconds = now / 1000;
	const skew = LIMITS.identityClockSkewSeconds;
	if (claims["iss"] !== rules.issuer) throw refused("it is of another issuer");
	const audience = claims["aud"];
	const audiences: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
	if (!audiences.includes(rules.audience)) throw refused("it is for another audience");
	if (!isName(claims["sub"])) throw refused("it names no subject (sub)");
	const expiresAt = readTime(claims, "exp");
	const issuedAt = readTime(claims, "iat");
	if (expiresAt === undefined) throw refused("it has no expiry (exp)");
	if (issuedAt === undefined) throw refused("it does not say when it was issued (iat)");
	const notBefore = readTime(claims, "nbf") ?? issuedAt;
	if (expiresAt + skew <= seconds) throw refused("it has expired");
	if (seconds - issuedAt > rules.maxTokenAgeSeconds + skew) throw refused("it is too old");
	if (Math.max(issuedAt, notBefore) > seconds + skew) throw refused("it is not valid yet");
	return expiresAt;
}

function readTime(claims: Claims, name: string): number | undefined {
	const value = claims[name];
	if (value === undefined) return undefined;
	if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
	throw refused(`its "${name}" is no time`);
}

/** Bits that no byte uses are zero: of each text there is one form only. */
function decode(part: string, name: string): Buffer {
	const bytes = Buffer.from(part, "base64url");
	if (bytes.toString("base64url") === part) return bytes;
	throw refused(`its ${name} is no base64url`);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeObject(part: string, name: string): Claims {
	const bytes = decode(part, name);
	try {
		return parseStrictJson(utf8.decode(bytes));
	} catch {
		throw refused(`its ${name} is no JSON object with each name once`);
	}
}
