import type { Clock } from "./clock.js";
import { invalidArgument } from "./errors.js";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const RANDOM_BYTES = 10;

type PaymentId = "hold" | "inv" | "key" | "mark" | "qte" | "rcpt" | "rfd" | "tok" | "txn";
type AccountId = "acc" | "con" | "evt" | "opr" | "sch" | "whk";
type WorkId =
	| "art"
	| "brd"
	| "cht"
	| "cns"
	| "ctx"
	| "dos"
	| "fbk"
	| "job"
	| "str"
	| "task"
	| "txt"
	| "vfb"
	| "vrf";

/** Prefixes of identifiers, which show a reader of a log what each names. */
export type IdKind = "req" | PaymentId | AccountId | WorkId;

export interface Ids {
	/** A new id: prefix, 48 bits of time, 80 bits of randomness; ids of one kind sort by creation time (docs/adr/0044). */
	next(kind: IdKind): string;
}

export function createIds({ clock, random }: { clock: Clock; random: Random }): Ids {
	return {
		next: (kind) => `${kind}_${encodeTime(clock.now())}${encodeRandom(random.bytes(RANDOM_BYTES))}`,
	};
}

/** Milliseconds since the epoch at which an id was made; undefined when the text is no id of ours. */
export function timeOfId(id: string): number | undefined {
	const match = /^[a-z]{2,5}_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/.exec(id);
	if (!match?.[1]) return undefined;
	let ms = 0;
	for (const char of match[1]) ms = ms * 32 + CROCKFORD.indexOf(char);
	return ms;
}

/** The same time and randomness under another prefix: the receipt of a hold is found by the hold's id. */
export function siblingId(id: string, kind: IdKind): string {
	return `${kind}${id.slice(id.indexOf("_"))}`;
}

const GRAPH_ID = /^[a-z0-9][a-z0-9-]{1,62}$/;

/** Throws INVALID_ARGUMENT unless the text can name a graph. */
export function parseGraphId(text: string): string {
	if (GRAPH_ID.test(text)) return text;
	throw invalidArgument(
		`"${text.slice(0, 80)}" cannot name a graph; use 2 to 63 lower-case letters, digits and hyphens.`,
	);
}

function encodeTime(ms: number): string {
	let rest = ms;
	let text = "";
	for (let index = 0; index < TIME_CHARS; index++) {
		text = CROCKFORD[rest % 32] + text;
		rest = Math.floor(rest / 32);
	}
	return text;
}

/** A hash in the letters of ids: five bits of each byte. */
export function toIdLetters(digest: Uint8Array): string {
	return [...digest].map((byte) => CROCKFORD[byte & 31]).join("");
}

function encodeRandom(bytes: Uint8Array): string {
	let bits = 0;
	let pending = 0;
	let text = "";
	for (const byte of bytes) {
		pending = (pending << 8) | byte;
		bits += 8;
		while (bits >= 5) {
			bits -= 5;
			text += CROCKFORD[(pending >> bits) & 31];
		}
		pending &= (1 << bits) - 1;
	}
	return text;
}

/** Randomness, injected, so that a seeded simulation repeats itself byte by byte. */
export interface Random {
	/** Cryptographically strong bytes in production; a seeded stream in simulations. */
	bytes(length: number): Uint8Array;
}

const POOL_BYTES = 4_096;

/** A call to the system costs ten times the few bytes of an id, so that bytes are drawn in one go and used once. */
function createPooledRandom(): Random {
	const pool = new Uint8Array(POOL_BYTES);
	let used = POOL_BYTES;
	return {
		bytes(length) {
			if (length > POOL_BYTES) return crypto.getRandomValues(new Uint8Array(length));
			if (used + length > POOL_BYTES) {
				crypto.getRandomValues(pool);
				used = 0;
			}
			const drawn = pool.slice(used, used + length);
			// What became a secret must not stay here.
			pool.fill(0, used, used + length);
			used += length;
			return drawn;
		},
	};
}

export const systemRandom: Random = createPooledRandom();
