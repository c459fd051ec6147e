import { createHash } from "node:crypto";
import type { CryptoKey } from "jose";
import PQueue from "p-queue";
import { LIMITS } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";
import { type Claims, type IdentityRules, readIdentityToken, refused } from "./identity-token.js";
import type { IssuerKeys } from "./issuer-keys.js";

export interface IdentityVerifierDeps {
	readonly rules: IdentityRules;
	readonly keys: IssuerKeys;
	readonly clock: Clock;
}

interface Verdict {
	/** Of the keys it was checked with. */
	readonly version: number;
	readonly until: number;
	/** Undefined for a token whose signature is wrong. */
	readonly claims: Claims | undefined;
}

/**
 * The claims of a token that its issuer has signed for us; the returned function throws UNAUTHENTICATED for any other.
 * Cheap checks come first, a token seen lately is not checked again, and few signatures are checked at once: guesses
 * wait for guesses, and honest callers who came before wait for nobody.
 */
export function createIdentityVerifier({ rules, keys, clock }: IdentityVerifierDeps) {
	const known = new Map<string, Verdict>();
	const running = new Map<string, Promise<Verdict>>();
	const queue = new PQueue({ concurrency: LIMITS.identityChecksRunning });

	const remember = (hash: string, verdict: Verdict) => {
		known.delete(hash);
		known.set(hash, verdict);
		if (known.size > LIMITS.identityTokensKnown) known.delete(known.keys().next().value ?? "");
	};
	const recall = async (hash: string, now: number): Promise<Verdict | undefined> => {
		if (!known.has(hash)) return undefined;
		const version = await keys.version();
		const verdict = known.get(hash);
		if (verdict && verdict.until > now && verdict.version === version) {
			// Seen latest stays longest.
			remember(hash, verdict);
			return verdict;
		}
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
			if (queue.size >= LIMITS.identityChecksWaiting) throw tooMany();
			const { key, version } = found;
			const claims = await queue.add(() => checkSignature(token, key, rules, clock.now()));
			const until = Math.min(
				(expiresAt + LIMITS.identityClockSkewSeconds) * 1000,
				clock.now() + LIMITS.identityTokenKnownMs,
			);
			const verdict = { version, until, claims };
			remember(hash, verdict);
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

function tooMany(): ServiceError {
	return new ServiceError(
		"RATE_LIMITED",
		"Too many identity tokens wait to be checked; send the same request again in a moment.",
		{ retryAfterSeconds: LIMITS.retryAfterSeconds },
	);
}
