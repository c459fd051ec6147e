import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { crc32 } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { Random } from "./ids.js";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BODY_CHARS = 30;
const CHECKSUM_CHARS = 6;
/** Bytes from here on would favor some characters over others. */
const UNBIASED_BYTES = 248;

/** A new bearer secret: prefix, 178 bits of randomness, and a checksum that catches typing errors. */
export function createSecret(prefix: string, random: Random): string {
	let body = "";
	while (body.length < BODY_CHARS) {
		for (const byte of random.bytes(BODY_CHARS)) {
			if (byte < UNBIASED_BYTES && body.length < BODY_CHARS) body += BASE62[byte % 62];
		}
	}
	return `${prefix}${body}${checksum(prefix + body)}`;
}

/** True when the text has this prefix, the right length and a checksum that fits; says nothing about validity. */
export function isWellFormedSecret(text: string, prefix: string): boolean {
	const bodyEnd = prefix.length + BODY_CHARS;
	return (
		text.startsWith(prefix) &&
		text.length === bodyEnd + CHECKSUM_CHARS &&
		/^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) &&
		checksum(text.slice(0, bodyEnd)) === text.slice(bodyEnd)
	);
}

const HASHES_MAX = 1_024;
const hashesByPepper = new WeakMap<Uint8Array, LRUCache<string, string>>();

/**
 * What is stored instead of a secret: HMAC-SHA-256 under a pepper that lies outside the store. Memoized, because the same
 * caller calls again and again, and the hash is the most expensive step of finding its token.
 */
export function hashSecret(secret: string, pepper: Uint8Array): string {
	const hashes = hashesByPepper.get(pepper) ?? new LRUCache({ max: HASHES_MAX });
	hashesByPepper.set(pepper, hashes);
	const known = hashes.get(secret);
	if (known !== undefined) return known;
	const hash = createHmac("sha256", pepper).update(secret).digest("base64url");
	hashes.set(secret, hash);
	return hash;
}

function checksum(text: string): string {
	let rest = crc32(text);
	let chars = "";
	for (let index = 0; index < CHECKSUM_CHARS; index++) {
		chars = BASE62[rest % 62] + chars;
		rest = Math.floor(rest / 62);
	}
	return chars;
}

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
