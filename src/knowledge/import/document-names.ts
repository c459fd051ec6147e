import { resolveLink, resolveRoutes } from "../../documents/documents.js";
import { runAtOnce, type Steps, visitInSteps } from "../model/work-in-turns.js";
import { pathWithoutExtension, stemOf } from "./bundle-paths.js";
import type { NamedDocument } from "./import-options.js";

/** As much of a map as is asked here. */
export type Lookup = Pick<ReadonlyMap<string, string>, "get">;

/** The documents of an import as one of them may name another. */
export interface ImportSpace {
	readonly names: DocumentNames;
	readonly bundlePaths: Lookup;
	readonly titles: Lookup;
	/** Names of documents that are left out because they are not for others; see `withheldNamesOf`. */
	readonly withheld: ReadonlySet<string>;
}

/** A document, and where its links are written from. */
export interface LinkPlace {
	readonly path: string;
	readonly base: string;
}

/** Tells addresses from names. */
export const ROUTE = "route:";

/** A site shows a document at its path, or at the end of it: where its root lies is not known. */
function routesOf(path: string): readonly string[] {
	const steps = pathWithoutExtension(path)
		.replace(/(?:^|\/)(?:_?index|readme)$/i, "")
		.split("/");
	const routes = steps.flatMap((step, at) => (step === "" ? [] : [steps.slice(at).join("/")]));
	// A post is shown without its day.
	const post = /^\d{4}-\d{2}-\d{2}-(.+)$/.exec(steps.at(-1) ?? "")?.[1];
	return [...routes, ...(post === undefined ? [] : [post])].map((route) => ROUTE + route);
}

/** The document that a site shows at this address. */
export function findRoute(
	written: string,
	sourcePath: string,
	names: ImportSpace["names"],
): string | undefined {
	for (const route of resolveRoutes(sourcePath, written)) {
		const found = names.find(`${ROUTE}${route}`);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** What a name or path in a document leads to: a path of the source or the bundle, and whether something there has it. */
export function isFound(
	written: string,
	{ base }: Pick<LinkPlace, "base">,
	{ bundlePaths, names }: ImportSpace,
) {
	const target = resolveLink(base, written);
	const path = target.kind === "internal" ? target.path : undefined;
	const isTaken = path !== undefined && bundlePaths.get(path) !== undefined;
	const isNamed =
		names.find(written) !== undefined || findRoute(written, base, names) !== undefined;
	const routes = resolveRoutes(base, written).map((route) => ROUTE + route);
	const isExplicit = target.kind === "internal" && target.explicit;
	return { path: isExplicit ? path : path?.replace(/\.md$/, ""), isTaken, isNamed, routes };
}

const LEVELS: readonly ((document: NamedDocument) => readonly string[])[] = [
	({ path }) => [path, pathWithoutExtension(path)],
	({ path }) => [stemOf(path)],
	({ aliases }) => aliases,
	({ title }) => [title],
	({ path }) => trailingNumber(stemOf(path)),
	({ path }) => routesOf(path),
	({ address }) => (address === undefined ? [] : [address]),
];

/** Every name a document may be found by, as `toNameKey` writes them. */
export function nameKeysOf(document: NamedDocument): readonly string[] {
	return LEVELS.flatMap((namesOf) => namesOf(document)).map(toNameKey);
}

const AMBIGUOUS = Symbol("ambiguous");

export interface DocumentNames {
	/** Path of the one document that has this name. */
	find(name: string): string | undefined;
}

/** As `documentNamesIn`, for a few documents. */
export function createDocumentNames(documents: readonly NamedDocument[]): DocumentNames {
	return runAtOnce(documentNamesIn(documents));
}

/**
 * Path, stem, alias, title, trailing number: a weaker name never replaces a stronger, a shared one
 * means neither.
 */
export function* documentNamesIn(documents: readonly NamedDocument[]): Steps<DocumentNames> {
	const pathOfName = new Map<string, string | typeof AMBIGUOUS>();
	for (const namesOf of LEVELS) {
		const level = yield* indexLevel(documents, namesOf);
		yield* visitInSteps(level, ([name, path]) => {
			if (!pathOfName.has(name)) pathOfName.set(name, path);
		});
	}
	return {
		find(name: string): string | undefined {
			const found = pathOfName.get(toNameKey(name));
			return found === AMBIGUOUS ? undefined : found;
		},
	};
}

function* indexLevel(
	documents: readonly NamedDocument[],
	namesOf: (document: NamedDocument) => readonly string[],
): Steps<ReadonlyMap<string, string | typeof AMBIGUOUS>> {
	const level = new Map<string, string | typeof AMBIGUOUS>();
	yield* visitInSteps(documents, (document) => {
		for (const name of namesOf(document).map(toNameKey)) {
			const other = level.get(name) ?? document.path;
			level.set(name, other === document.path ? document.path : AMBIGUOUS);
		}
	});
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
