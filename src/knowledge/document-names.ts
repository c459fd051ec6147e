import { pathWithoutExtension, stemOf } from "./import-path.js";

/** What a document answers to when another one names it. */
export interface NamedDocument {
	/** Path in the source. */
	readonly path: string;
	readonly title: string;
	readonly aliases: readonly string[];
}

/** Finds the document a name means; undefined when none or more than one answers. */
export interface DocumentNames {
	find(name: string): string | undefined;
}

const LEVELS: readonly ((document: NamedDocument) => readonly string[])[] = [
	({ path }) => [path, pathWithoutExtension(path)],
	({ path }) => [stemOf(path)],
	({ aliases }) => aliases,
	({ title }) => [title],
	({ path }) => trailingNumber(stemOf(path)),
];

/** Every name a document may be found by, as `toNameKey` writes them. */
export function nameKeysOf(document: NamedDocument): readonly string[] {
	return LEVELS.flatMap((namesOf) => namesOf(document)).map(toNameKey);
}

const AMBIGUOUS = Symbol("ambiguous");

/**
 * Names by falling authority: path, file stem, alias, title, then the trailing number of the stem (`2718` means
 * `eip-2718`). A weaker name never takes a stronger one's place, and a name two documents share means neither.
 */
export function createDocumentNames(documents: readonly NamedDocument[]): DocumentNames {
	const pathOfName = new Map<string, string | typeof AMBIGUOUS>();
	for (const namesOf of LEVELS) {
		for (const [name, path] of indexLevel(documents, namesOf)) {
			if (!pathOfName.has(name)) pathOfName.set(name, path);
		}
	}
	return {
		find(name) {
			const found = pathOfName.get(toNameKey(name));
			return found === AMBIGUOUS ? undefined : found;
		},
	};
}

function indexLevel(
	documents: readonly NamedDocument[],
	namesOf: (document: NamedDocument) => readonly string[],
): ReadonlyMap<string, string | typeof AMBIGUOUS> {
	const level = new Map<string, string | typeof AMBIGUOUS>();
	for (const document of documents) {
		for (const name of namesOf(document).map(toNameKey)) {
			const other = level.get(name) ?? document.path;
			level.set(name, other === document.path ? document.path : AMBIGUOUS);
		}
	}
	return level;
}

/** Names that agree in this are the same name. */
export function toNameKey(name: string): string {
	const key = name.trim().toLowerCase().replace(/^\/+/, "");
	return /^0\d+$/.test(key) ? key.replace(/^0+(?=\d)/, "") : key;
}

function trailingNumber(stem: string): readonly string[] {
	const number = /(?:^|\D)(\d{1,9})$/.exec(stem)?.[1];
	return number === undefined ? [] : [number];
}
