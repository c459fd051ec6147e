import { createHmac, timingSafeEqual } from "node:crypto";
import type { Random } from "../kernel/kernel.js";

/**
 * Refresh tokens name the key of their grant and prove that they are ours. So one that was used before is known for what
 * it is, however long ago that was, though nothing is kept of it.
 */
export interface RefreshTokens {
	/** A new one for the grant of a key. */
	next(keyId: string): string;
	/** The key of a token we once gave out; undefined for any other text. */
	keyIdOf(token: string): string | undefined;
}

const SECRET_BYTES = 32;
const PROOF_BYTES = 16;
const FORM = /^(key_[0-9a-z]{26})\.[\w-]{43}\.([\w-]{22})$/;

export function createRefreshTokens({
	pepper,
	random,
}: {
	readonly pepper: Uint8Array;
	readonly random: Random;
}): RefreshTokens {
	const key = createHmac("sha256", pepper).update("tollgraph refresh tokens v1").digest();
	const proofOf = (body: string) =>
		createHmac("sha256", key).update(body).digest().subarray(0, PROOF_BYTES);
	return {
		next(keyId) {
			const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url");
			const body = `${keyId}.${secret}`;
			return `${body}.${proofOf(body).toString("base64url")}`;
		},
		keyIdOf(token) {
			const [, keyId, proof = ""] = FORM.exec(token) ?? [];
			if (keyId === undefined) return undefined;
			const shown = Buffer.from(proof, "base64url");
			return timingSafeEqual(shown, proofOf(token.slice(0, token.lastIndexOf("."))))
				? keyId
				: undefined;
		},
	};
}
