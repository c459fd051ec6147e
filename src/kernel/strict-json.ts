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
