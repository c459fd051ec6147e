import { createHash } from "node:crypto";
import { invalidArgument, toCanonicalJson } from "../kernel/kernel.js";
import { READING_LIMITS } from "./limits.js";

/** What a page belongs to: a list's name and everything that was asked of it but the page. */
export interface ListIdentity {
	readonly list: string;
	readonly asked: object;
}

/**
 * A part of a key that may be of any length, such as the type of an edge: a long one counts by its beginning and its hash, in
 * the order of a list as in a cursor.
 */
export function toKeyPart(text: string): string {
	const { keyPartChars } = READING_LIMITS;
	if (text.length <= keyPartChars) return text;
	const hash = createHash("sha256").update(text).digest("base64url");
	return `${text.slice(0, keyPartChars - hash.length)}${hash}`;
}

/**
 * The place behind an item as a text that callers hand back as it is. It names the item by its key, not by a number, so that
 * a page after a change of the graph goes on where the last one ended.
 */
export function toCursor(identity: ListIdentity, key: readonly string[]): string {
	const text = JSON.stringify([fingerprintOf(identity), ...key]);
	const cursor = Buffer.from(text, "utf8").toString("base64url");
	if (cursor.length <= READING_LIMITS.cursorChars) return cursor;
	throw new RangeError(`A key of the list "${identity.list}" is longer than any cursor.`);
}

/** The first items of what is left of a list, and the cursor behind them; null on the last page. */
export function takePage<Item>(
	left: readonly Item[],
	limit: number,
	identity: ListIdentity,
	keyOf: (item: Item) => readonly string[],
) {
	const page = left.slice(0, limit);
	const last = page.at(-1);
	const next_cursor = last && left.length > limit ? toCursor(identity, keyOf(last)) : null;
	return { page, next_cursor };
}

/** The key a cursor holds. Throws INVALID_ARGUMENT for a text that is none, or one of another list. */
export function readCursor(
	cursor: string,
	identity: ListIdentity,
	keyLength: number,
): readonly string[] {
	const parts = decode(cursor);
	if (parts?.length !== keyLength + 1) {
		throw invalidArgument(
			"The cursor is none of ours; send back next_cursor as it was, or begin anew without a cursor.",
		);
	}
	const [fingerprint, ...key] = parts;
	if (fingerprint === fingerprintOf(identity)) return key;
	throw invalidArgument(
		"The cursor belongs to another list; keep graph and filters as they were, or begin anew without a cursor.",
	);
}

function decode(cursor: string): readonly string[] | undefined {
	if (cursor.length > READING_LIMITS.cursorChars || !/^[\w-]+$/.test(cursor)) return undefined;
	try {
		const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
		const isKey = Array.isArray(parts) && parts.every((part) => typeof part === "string");
		return isKey ? parts : undefined;
	} catch {
		return undefined;
	}
}

function fingerprintOf({ list, asked }: ListIdentity): string {
	return createHash("sha256")
		.update(toCanonicalJson([list, asked]))
		.digest("base64url")
		.slice(0, 12);
}

/** One page of a list that is read back from the books. */
export interface PageRequest {
	readonly limit: number;
	readonly cursor?: string | undefined;
}
