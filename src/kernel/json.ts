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

/** JSON with sorted keys and no white space: equal values give equal text (the subset of RFC 8785 that our inputs use). */
export function toCanonicalJson(value: unknown): string {
	if (Array.isArray(value))
		return `[${value.map((item) => toCanonicalJson(item ?? null)).join(",")}]`;
	if (value !== null && typeof value === "object") {
		const members = Object.entries(value)
			.filter(([, member]) => member !== undefined)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, member]) => `${JSON.stringify(key)}:${toCanonicalJson(member)}`);
		return `{${members.join(",")}}`;
	}
	return JSON.stringify(value) ?? "null";
}

/**
 * A JSON object in which no name stands twice, at any depth: of two values for one name, two readers may take different
 * ones. Throws SyntaxError for anything else.
 */
export function parseStrictJson(text: string): Readonly<Record<string, unknown>> {
	const value: unknown = JSON.parse(text);
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw new SyntaxError("This is no object.");
	}
	assertNamesOnce(text);
	return value as Record<string, unknown>;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/** Names of each object that is open; undefined for an array. */
type Open = (Set<string> | undefined)[];

/** Of text that is known to be JSON. */
function assertNamesOnce(text: string): void {
	const open: Open = [];
	let mayBeName = false;
	for (const [token] of text.matchAll(TOKEN)) {
		if (token.startsWith('"')) {
			if (mayBeName) addOnce(open.at(-1), token);
		} else enterOrLeave(open, token);
		mayBeName = token === "{" || token === ",";
	}
}

function enterOrLeave(open: Open, token: string): void {
	if (token === "{") open.push(new Set());
	else if (token === "[") open.push(undefined);
	else if (token !== ",") open.pop();
}

function addOnce(names: Set<string> | undefined, token: string): void {
	if (!names) return;
	const name = JSON.parse(token) as string;
	if (names.has(name)) throw new SyntaxError("A name stands twice.");
	names.add(name);
}

const texts = new WeakMap<object, Uint8Array>();

/** Says that this is the JSON of an object that never changes, as UTF-8: transports send it as it stands, a copy for nobody. */
export function shareJson<T extends object>(value: T, json: Uint8Array): T {
	texts.set(value, json);
	return value;
}

export function sharedJsonOf(value: unknown): Uint8Array | undefined {
	return typeof value === "object" && value !== null ? texts.get(value) : undefined;
}
