import { lie } from "../feed-reading.js";

/** JSON in which every number is the text that stood there: digits are told as they were published. */
export type ExactJson =
	| string
	| boolean
	| null
	| readonly ExactJson[]
	| { readonly [key: string]: ExactJson };

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Throws a lie for what is no JSON. */
export function readExactJson(text: string): ExactJson {
	try {
		// Only what is JSON already is rewritten: there, every quote has its partner.
		JSON.parse(text);
		const exact = text.replace(STRING_OR_NUMBER, (token) =>
			token.startsWith('"') ? token : `"${token}"`,
		);
		return JSON.parse(exact) as ExactJson;
	} catch {
		throw lie("It did not answer with JSON.");
	}
}

/** What stands at a dotted path (`series.docs.0.period`); the whole for an empty one, undefined when nothing does. */
export function atPath(value: ExactJson | undefined, path: string): ExactJson | undefined {
	if (path === "") return value;
	let found: ExactJson | undefined = value;
	for (const key of path.split(".")) {
		if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
		found = (found as { readonly [key: string]: ExactJson })[key];
	}
	return found;
}

/** The list at a path. Throws a lie when there is none. */
export function listAt(value: ExactJson, path: string): readonly ExactJson[] {
	const found = atPath(value, path);
	if (Array.isArray(found)) return found as readonly ExactJson[];
	throw lie(`It has no list at ${path === "" ? "its top" : `"${path}"`}.`);
}

/** The fields of the object at a path. Throws a lie when there is none. */
export function entriesAt(
	value: ExactJson,
	path: string,
): readonly (readonly [string, ExactJson])[] {
	const found = atPath(value, path);
	if (typeof found === "object" && found !== null && !Array.isArray(found)) {
		return Object.entries(found);
	}
	throw lie(`It has no object at "${path}".`);
}
