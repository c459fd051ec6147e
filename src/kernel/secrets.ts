import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { Random } from "./ids.js";
import { memoizeByObject } from "./memoize.js";

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

/** Whether a secret that was shown is the right one, in a time that tells nothing of where they differ. */
export function isSameSecret(shown: string, right: string): boolean {
	const [a, b] = [Buffer.from(shown), Buffer.from(right)];
	return a.length === b.length && timingSafeEqual(a, b);
}

/** One pepper, or all there are since another one took its place. */
export type Pepper = Uint8Array | PepperRing;

/** Peppers while a folder is open; a rotation changes what it holds. */
export interface PepperRing {
	/** Newest first: it makes what is new, and all of them know what they made. */
	readonly inForce: readonly Uint8Array[];
	/** They know no credential any more; they only open what was sealed under them. */
	readonly retired: readonly Uint8Array[];
}

function isRing(pepper: Pepper): pepper is PepperRing {
	return "inForce" in pepper;
}

/** Those in force, newest first. */
function peppersOf(pepper: Pepper): readonly Uint8Array[] {
	return isRing(pepper) ? pepper.inForce : [pepper];
}

const HASHES_MAX = 1_024;
const hashesByPepper = new WeakMap<Uint8Array, LRUCache<string, string>>();

/** Memoized, because the same caller calls again and again, and the hash is the most expensive step of finding its token. */
function bareHash(secret: string, pepper: Uint8Array): string {
	const hashes = hashesByPepper.get(pepper) ?? new LRUCache({ max: HASHES_MAX });
	hashesByPepper.set(pepper, hashes);
	const known = hashes.get(secret);
	if (known !== undefined) return known;
	const hash = createHmac("sha256", pepper).update(secret).digest("base64url");
	hashes.set(secret, hash);
	return hash;
}

/**
 * What is stored instead of a secret: HMAC-SHA-256 under the newest pepper, which lies outside the store. Once there was more
 * than one, the hash begins with the pepper's id, so that what older ones made can be counted.
 */
export function hashSecret(secret: string, pepper: Pepper): string {
	const [newest] = peppersOf(pepper);
	const mark = newestMark(pepper);
	return newest === undefined ? "" : `${mark ?? ""}${bareHash(secret, newest)}`;
}

/** What hashes of the newest pepper begin with; undefined while there never was another one. */
export function newestMark(pepper: Pepper): string | undefined {
	if (!isRing(pepper) || pepper.inForce.length + pepper.retired.length < 2) return undefined;
	const [newest] = pepper.inForce;
	return newest && markOf(newest);
}

const markOf = (pepper: Uint8Array): string => `${keyIdOf(pepper)}-`;

/** Every hash that this secret may be stored under; that of `hashSecret` comes first. */
export function hashesOf(secret: string, pepper: Pepper): readonly string[] {
	const hashes = peppersOf(pepper).flatMap((one) => {
		const bare = bareHash(secret, one);
		return isRing(pepper) ? [bare, `${markOf(one)}${bare}`] : [bare];
	});
	return [...new Set([hashSecret(secret, pepper), ...hashes])];
}

/** A name for what is no credential, the same until the pepper that named it first is retired. */
export function stableHash(text: string, pepper: Pepper): string {
	// Not memoized: the text may be one that must not be kept, and would push credentials out.
	const oldest = peppersOf(pepper).at(-1) ?? new Uint8Array();
	return createHmac("sha256", oldest).update(text).digest("base64url");
}

/** All there ever were, as if they were in force: for what must be known again whatever was retired. */
export function everyPepperOf(pepper: Pepper): Pepper {
	return isRing(pepper) ? { inForce: [...pepper.inForce, ...pepper.retired], retired: [] } : pepper;
}

/** The first there ever was: ids made under it stay the same through every rotation. */
export function firstPepperOf(pepper: Pepper): Uint8Array {
	return peppersOf(everyPepperOf(pepper)).at(-1) ?? new Uint8Array();
}

const derivedKeys = memoizeByObject((_pepper: Uint8Array) => new Map<string, Buffer>());

function derive(pepper: Uint8Array, purpose: string): Buffer {
	const keys = derivedKeys(pepper);
	const key = keys.get(purpose) ?? createHmac("sha256", pepper).update(purpose).digest();
	keys.set(purpose, key);
	return key;
}

/** Keys of one purpose, newest first: the first makes what only we can make, all of them know it again. */
export function keysFor(pepper: Pepper, purpose: string): [Buffer, ...Buffer[]] {
	const [first = Buffer.alloc(0), ...others] = peppersOf(pepper).map((one) => derive(one, purpose));
	return [first, ...others];
}

/** As `keysFor`, and those of retired peppers after them. */
function everyKeyFor(pepper: Pepper, purpose: string): [Buffer, ...Buffer[]] {
	const retired = isRing(pepper) ? pepper.retired : [];
	return [...keysFor(pepper, purpose), ...retired.map((one) => derive(one, purpose))];
}

/** Hex of an HMAC-SHA-256 under each pepper there ever was: what retired ones named stays known. */
export function everyHashOf(text: string, pepper: Pepper): readonly string[] {
	const all = isRing(pepper) ? [...pepper.inForce, ...pepper.retired] : [pepper];
	return all.map((one) => createHmac("sha256", one).update(text).digest("hex"));
}

const KEY_ID_CHARS = 8;

/** Names a key and tells nothing of it: 32 bits of an HMAC under it. */
export function keyIdOf(key: Uint8Array): string {
	return derive(key, "tollgraph key id").toString("hex").slice(0, KEY_ID_CHARS);
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

/** AES-256-GCM under a key of its own for each purpose; texts sealed under an earlier pepper open as before. */
export function createSealedText({
	pepper,
	random,
	purpose,
}: {
	readonly pepper: Pepper;
	readonly random: Random;
	readonly purpose: string;
}): SealedText {
	const keys = () => everyKeyFor(pepper, `tollgraph seal ${purpose} v1`);
	return {
		seal: (text) => sealBytes(text, { key: keys()[0], random }).toString("base64url"),
		open(sealed) {
			if (!/^[\w-]+$/.test(sealed)) return undefined;
			const bytes = Buffer.from(sealed, "base64url");
			for (const key of keys()) {
				const text = openBytes(bytes, { key });
				if (text !== undefined) return text;
			}
			return undefined;
		},
	};
}

/** AES-256-GCM: nonce, tag and ciphertext. What the place says is not in it, and must be the same to open it. */
export function sealBytes(
	text: string,
	{
		key,
		random,
		place = "",
	}: { readonly key: Uint8Array; readonly random: Random; readonly place?: string },
): Buffer {
	const nonce = random.bytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
	cipher.setAAD(Buffer.from(place, "utf8"));
	const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
	return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Undefined for whatever was not sealed with this key for this place. */
export function openBytes(
	bytes: Buffer,
	{ key, place = "" }: { readonly key: Uint8Array; readonly place?: string },
): string | undefined {
	if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
	const nonce = bytes.subarray(0, NONCE_BYTES);
	const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
	decipher.setAAD(Buffer.from(place, "utf8"));
	decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
	try {
		const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
		return Buffer.concat([body, decipher.final()]).toString("utf8");
	} catch {
		return undefined;
	}
}
