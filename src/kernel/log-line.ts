import { scrubSecrets, stackOf } from "./logger.js";

const LEVELS_MAX = 4;
const ITEMS_MAX = 100;
const CHARS_MAX = 8_192;

/** What a terminal or a log viewer would act on instead of showing it; JSON itself escapes the rest. */
const INVISIBLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * One line of JSON that holds text, numbers and plain data only: objects with a class of their own, such as requests with
 * their headers, are named and not shown, and errors keep nothing but their stack.
 */
export function toLogLine(
	level: "info" | "error",
	message: string,
	fields: Readonly<Record<string, unknown>> = {},
): string {
	const line = JSON.stringify({ level, message, ...plainRecord(fields, LEVELS_MAX) });
	return scrubSecrets(line).replace(
		INVISIBLE,
		(char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

function plain(value: unknown, levels: number): unknown {
	switch (typeof value) {
		case "string":
			// Cut before it is scrubbed, a secret would lose what it is known by.
			return scrubSecrets(value).slice(0, CHARS_MAX);
		case "number":
		case "boolean":
		case "undefined":
			return value;
		case "bigint":
			return String(value);
		case "object":
			return value === null ? null : plainObject(value, levels);
		default:
			return `[${typeof value}]`;
	}
}

function plainObject(value: object, levels: number): unknown {
	if (value instanceof Error) return plain(stackOf(value), levels);
	if (levels === 0) return "[…]";
	if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => plain(item, levels - 1));
	const prototype: unknown = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== null) return `[${value.constructor?.name}]`;
	return plainRecord(value, levels);
}

function plainRecord(record: object, levels: number): Record<string, unknown> {
	const entries = Object.entries(record).slice(0, ITEMS_MAX);
	return Object.fromEntries(
		entries.map(([key, value]) => [
			key,
			SECRET_NAMES.test(key) ? "[secret]" : plain(value, levels - 1),
		]),
	);
}

/** Whatever is called like this is one, whatever it looks like. */
const SECRET_NAMES =
	/^(?:proxy-)?authorization$|^cookie$|^set-cookie$|api[-_]?key$|^x-pay-spt$|^x-payment$|^payment-signature$|password|secret|private[-_]?key|pepper|^token$/i;
