import { createPublicKey, type JsonWebKeyInput } from "node:crypto";
import type { SigningJwk } from "./key-files.js";

/** The part of a signing key that verifiers may have. */
export interface PublicJwk {
	readonly kty: string;
	readonly crv: string;
	readonly x: string;
	readonly y: string;
	readonly alg: "ES256";
	readonly use: "sig";
	readonly kid: string;
}

/** JWK set of every key this service signs with: one for the agent card, one for receipts. */
export interface KeySet {
	readonly keys: readonly PublicJwk[];
}

export function toKeySet(signingKeys: readonly SigningJwk[]): KeySet {
	return { keys: signingKeys.map(toPublicJwk) };
}

function toPublicJwk(signingKey: SigningJwk): PublicJwk {
	const key = createPublicKey({ key: signingKey as JsonWebKeyInput["key"], format: "jwk" });
	const { kty = "", crv = "", x = "", y = "" } = key.export({ format: "jwk" });
	return { kty, crv, x, y, alg: "ES256", use: "sig", kid: signingKey.kid };
}
