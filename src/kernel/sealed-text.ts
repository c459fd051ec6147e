import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { Random } from "./random.js";

/** Writes short texts so that we alone can read or make them. */
export interface SealedText {
	/** Base64url; different each time. */
	seal(text: string): string;
	/** Undefined for whatever we did not seal for this purpose. */
	open(sealed: string): string | undefined;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key of its own for each purpose. */
export function createSealedText({
	pepper,
	random,
	purpose,
}: {
	readonly pepper: Uint8Array;
	readonly random: Random;
	readonly purpose: string;
}): SealedText {
	const key = createHmac("sha256", pepper).update(`tollgraph seal ${purpose} v1`).digest();
	return {
		seal(text) {
			const nonce = random.bytes(NONCE_BYTES);
			const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
			const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
			return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
		},
		open(sealed) {
			if (!/^[\w-]+$/.test(sealed)) return undefined;
			const bytes = Buffer.from(sealed, "base64url");
			if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
			const nonce = bytes.subarray(0, NONCE_BYTES);
			const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
			const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
			decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
			try {
				return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
			} catch {
				return undefined;
			}
		},
	};
}
