/** JSON from outside: text that is none reads as undefined, without an exception. */

/** True for a JSON object, false for arrays. */
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
 * A JSON object that has no name twice, at any depth: of two values for one name, two readers may take different ones.
 * Throws SyntaxError for anything else.
 */
export function parseStrictJson(text: string): Readonly<Record<string, unknown>> {
	const value: unknown = JSON.parse(text);
	if (!isRecord(value)) throw new SyntaxError("This is no object.");
	if (findJsonFault(text)) throw new SyntaxError("A name is repeated.");
	return value;
}

const SHOWN_NAME_CHARS = 80;

/** What is wrong with a JSON text, with the dotted path of the name. */
export type JsonFault =
	| { readonly kind: "depth" }
	| { readonly kind: "refused" | "repeated"; readonly path: string };

/** An object or array whose end has not come yet. */
interface Open {
	/** The names an object has so far; undefined for an array. */
	readonly names: Set<string> | undefined;
	/** Name or number of the latest element. */
	at: string | number;
}

/**
 * The first repeated or refused name, or array or object that is nested too deep. Looks at brackets and names alone, so that
 * nothing is built before it is judged; whatever else is wrong, the parser finds.
 */
export function findJsonFault(
	text: string,
	levelsMax = Number.POSITIVE_INFINITY,
	refused: ReadonlySet<string> = new Set(),
): JsonFault | undefined {
	const open: Open[] = [];
	let isNameNext = false;
	for (let index = 0; index < text.length; index++) {
		if (text[index] === '"') {
			const end = endOfString(text, index);
			const kind = isNameNext ? addName(open, text.slice(index, end + 1), refused) : undefined;
			if (kind) return { kind, path: open.map(({ at }) => at).join(".") };
			isNameNext = false;
			index = end;
		} else isNameNext = readBracket(open, text[index], isNameNext);
		if (open.length > levelsMax) return { kind: "depth" };
	}
	return undefined;
}

/** Whether a name comes next. */
function readBracket(open: Open[], char: string | undefined, isNameNext: boolean): boolean {
	switch (char) {
		case "{":
		case "[":
			open.push({ names: char === "{" ? new Set() : undefined, at: 0 });
			return char === "{";
		case "}":
		case "]":
			open.pop();
			return false;
		case ",":
			return nextElement(open.at(-1));
		default:
			return isNameNext;
	}
}

function endOfString(text: string, start: number): number {
	let index = start + 1;
	while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
	return index;
}

/** After a comma comes the next element; true where that begins with a name. */
function nextElement(inside: Open | undefined): boolean {
	if (typeof inside?.at === "number") inside.at += 1;
	return inside?.names !== undefined;
}

function addName(open: readonly Open[], quoted: string, refused: ReadonlySet<string>) {
	const inside = open.at(-1);
	const read = quoted.includes("\\") ? readJson(quoted) : quoted.slice(1, -1);
	if (read === undefined || !inside?.names) return undefined;
	const name = String(read);
	inside.at = name.slice(0, SHOWN_NAME_CHARS);
	if (refused.has(name)) return "refused";
	if (inside.names.has(name)) return "repeated";
	inside.names.add(name);
	return undefined;
}

const texts = new WeakMap<object, Uint8Array>();

/** Registers the JSON, as UTF-8, of an object that never changes: transports send these bytes without a copy. */
export function shareJson<T extends object>(value: T, json: Uint8Array): T {
	texts.set(value, json);
	return value;
}

export function sharedJsonOf(value: unknown): Uint8Array | undefined {
	return typeof value === "object" && value !== null ? texts.get(value) : undefined;
}
