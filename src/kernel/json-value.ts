/** JSON that others wrote: what is none is undefined, and no exception. */

/** True for a JSON object; lists are none. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The same for JSON in base64url. */
export function decodeJson(base64url: string): unknown {
	return readJson(Buffer.from(base64url, "base64url").toString("utf8"));
}
