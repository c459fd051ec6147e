/** Receives what an operator should know: never a secret, never result text. */
export interface Logger {
	info(message: string, fields?: Readonly<Record<string, unknown>>): void;
	error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** No letter before it, unless that is the end of an escape of JSON or of an address. */
const START = "(?:(?<![a-z])|(?<=\\\\[bfnrt])|(?<=%[0-9A-Fa-f]{2}))";
const SECRET = new RegExp(
	`(sk_(?:live|test)_|spt_(?:live|test)_|spt_(?=[A-Za-z0-9.-]{20})|${START}(?:ct_|adm_|opk_|eyJ))[A-Za-z0-9_.-]{8,}`,
	"g",
);
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/=]{8,}/g;
const HOOK = /(hooks\.slack\.com(?:\/|%2f)services(?:\/|%2f))[^\s"'<>\\]+/gi;

/** The last net under every log line and error: what looks like a secret keeps its kind only. */
export function scrubSecrets(text: string): string {
	return text.replace(SECRET, "$1…").replace(HOOK, "$1…").replace(WEBHOOK_SECRET, "whsec_…");
}

/** The text that the log keeps of an unexpected exception; callers never see it. */
export function stackOf(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

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

/** Fields whose value is a secret, whatever it looks like. */
const SECRET_NAMES =
	/^(?:proxy-)?authorization$|^cookie$|^set-cookie$|api[-_]?key$|^x-pay-spt$|^x-payment$|^payment-signature$|password|secret|private[-_]?key|pepper|^token$/i;

/** One JSON line per message on stderr; stdout belongs to data. */
export const stderrLogger: Logger = {
	info: (message, fields) => void process.stderr.write(`${toLogLine("info", message, fields)}\n`),
	error: (message, fields) => void process.stderr.write(`${toLogLine("error", message, fields)}\n`),
};
