/** What PostgreSQL's text cannot hold: NUL, and halves of surrogate pairs. The backslash marks what stands for them. */
const UNFIT = new RegExp(`[\\\\${String.fromCharCode(0)}]|\\p{Surrogate}`, "gu");

/** Text that may be a key of the database; different texts stay different. Bodies need no such thing: they are JSON in ASCII escapes. */
export function toKey(text: string): string {
	return text.replace(UNFIT, (found) =>
		found === "\\" ? "\\\\" : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

/** The text that a key stands for. */
export function fromKey(key: string): string {
	return key.replace(/\\(?:\\|u([0-9a-f]{4}))/g, (_, code: string | undefined) =>
		code === undefined ? "\\" : String.fromCharCode(Number.parseInt(code, 16)),
	);
}
