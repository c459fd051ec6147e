import {
	type FrontMatter,
	findLinkTargets,
	isMapping,
	listOf,
	resolveLink,
	resolveRoutes,
	textOf,
	withoutCode,
} from "../documents/documents.js";
import { pathWithoutExtension, stemOf } from "./bundle-paths.js";
import { encodePath, type RelationEntry } from "./bundle-writer.js";
import type { NamedDocument } from "./import-options.js";

const WIKI_LINK = /!?\[\[([^[\]|#\n]{1,300})(#[^[\]|\n]{0,300})?(?:\|([^[\]\n]{1,300}))?\]\]/g;
const DESTINATION = /(\]\([ \t]*<?)((?:[^()\s<>]|\([^()\s]{0,500}\)){1,2000})/g;

/**
 * The body with links to imported documents, wiki links too, leading to their place in the bundle;
 * code stays.
 */
export function rewriteLinks(body: string, place: LinkPlace, space: ImportSpace): string {
	const withMarkdownLinks = replaceOutsideCode(body, WIKI_LINK, ([whole, name = "", , label]) => {
		// A picture or a recording is no text.
		if (whole.startsWith("!") && MEDIA.test(name)) return "";
		const path = space.bundlePaths.get(space.names.find(name) ?? "");
		if (path === undefined) return label?.trim() || name.trim();
		const text = label?.trim() || (space.titles.get(path) ?? name);
		return `[${text.replace(/[[\]]/g, "")}](/${encodePath(path)})`;
	});
	const withDefinitions = replaceOutsideCode(withMarkdownLinks, DEFINED, moveIn(place, space));
	return replaceOutsideCode(withDefinitions, DESTINATION, moveIn(place, space));
}

const MEDIA =
	/\.(?:png|jpe?g|gif|svg|webp|avif|bmp|mp[34]|m4a|mov|webm|ogg|wav|flac|pdf|canvas|excalidraw)$/i;
const DEFINED = /(^ {0,3}\[(?!\^)[^\]\n]{1,300}\]:[ \t]*<?)([^\s<>]{1,2000})/gm;

/** A document, and where its links are written from. */
interface LinkPlace {
	readonly path: string;
	readonly base: string;
}

/** Leads a destination to where it is now. */
function moveIn(place: LinkPlace, space: ImportSpace) {
	return ([whole, opening = "", written = ""]: RegExpMatchArray): string => {
		const moved = followLink(written, place, space);
		return moved === undefined ? whole : `${opening}${moved}`;
	};
}

/** True for notes of a vault: a wiki link that leads to another document of the import. */
export function hasWikiLink(body: string, space: ImportSpace): boolean {
	return [...withoutCode(body).matchAll(WIKI_LINK)].some(
		([, name = ""]) => space.names.find(name) !== undefined,
	);
}

/** The new destination; undefined when the link is not ours or reads the same after the move. */
function followLink(
	written: string,
	{ path, base }: LinkPlace,
	{ bundlePaths, names }: ImportSpace,
): string | undefined {
	const target = resolveLink(base, written);
	const named = target.kind === "internal" ? bundlePaths.get(target.path) : undefined;
	const route = findRoute(written, base, names) ?? findPublished(written, names);
	const found = named ?? bundlePaths.get(route ?? "");
	if (found === undefined) return undefined;
	const stays = resolveLink(bundlePaths.get(path) ?? path, written);
	if (stays.kind === "internal" && stays.path === found) return undefined;
	return `/${encodePath(found)}${/[#?].*$/.exec(written)?.[0] ?? ""}`;
}

/** The document that a site shows at this address. */
function findRoute(
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

/** A name that no other document anywhere is likely to have: words and a number. */
const TELLING_NAME = /^(?=.*\d)(?=.*[a-z])[\w.-]{8,200}$/i;

/** The document that another site publishes under the same telling name: proposals link to each other like that. */
function findPublished(written: string, names: ImportSpace["names"]): string | undefined {
	if (!/^https?:\/\//i.test(written) || !URL.canParse(written)) return undefined;
	const stem = new URL(written).pathname
		.split("/")
		.at(-1)
		?.replace(/\.(?:mdx?|html?)$/i, "");
	return stem && TELLING_NAME.test(stem) ? names.find(`${ROUTE}${stem}`) : undefined;
}

/** Tells addresses from names. */
const ROUTE = "route:";

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

function replaceOutsideCode(
	body: string,
	pattern: RegExp,
	replace: (match: RegExpMatchArray) => string,
): string {
	let result = "";
	let from = 0;
	for (const match of withoutCode(body).matchAll(pattern)) {
		// Code was blanked character by character, so places agree; a match that spans a blanked span is left alone.
		const original = body.slice(match.index, match.index + match[0].length);
		if (original !== match[0]) continue;
		result += body.slice(from, match.index) + replace(match);
		from = match.index + match[0].length;
	}
	return result + body.slice(from);
}

/** As much of a map as is asked here. */
export type Lookup = Pick<ReadonlyMap<string, string>, "get">;

/** The documents of an import as one of them may name another. */
export interface ImportSpace {
	readonly names: ReturnType<typeof createDocumentNames>;
	readonly bundlePaths: Lookup;
	readonly titles: Lookup;
}

type RelatedDocument = { readonly path: string; readonly data: FrontMatter };

/** Typed edges of a document: its own `relations`, and every name found under the keys that mean an edge. */
export function readRelations(
	document: RelatedDocument,
	edgeKeys: readonly string[],
	space: ImportSpace,
) {
	const { path, data } = document;
	const named = edgeKeys.flatMap((key) =>
		namesIn(data[key]).map((name) => ({ key, name, found: space.names.find(name) })),
	);
	const relations = new Map<string, RelationEntry>();
	for (const relation of [
		...givenRelations(document, space),
		...named
			.filter(({ found }) => found !== path)
			.flatMap(({ key, found }) => {
				const target = space.bundlePaths.get(found ?? "");
				return target ? [{ type: toEdgeType(key), target: `/${encodePath(target)}` }] : [];
			}),
	]) {
		relations.set(`${relation.type}\n${relation.target}`, relation);
	}
	return {
		relations: [...relations.values()],
		unresolved: named
			.filter(({ found }) => found === undefined)
			.map(({ key, name }) => ({ key, name })),
	};
}

/** The body with a link for every relation it does not link to yet: readers who know only Markdown see the graph too. */
export function withRelatedLinks(
	body: string,
	relations: readonly RelationEntry[],
	bundlePath: string,
	{ titles }: ImportSpace,
): string {
	const toPath = (written: string) => {
		const target = resolveLink(bundlePath, written);
		return target.kind === "internal" ? target.path : "";
	};
	const linked = new Set(findLinkTargets(body).map(toPath));
	const lines = relations
		.filter(({ target }) => !linked.has(toPath(target)))
		.map(({ type, target }) => {
			const title = titles.get(toPath(target)) ?? target;
			return `* ${type}: [${title.replace(/[[\]]/g, "")}](${target})`;
		});
	return lines.length === 0 ? body : `${body}\n\n## Related\n\n${lines.join("\n")}`;
}

/** Relations the document brought along, led to where their targets are now. */
function givenRelations(
	{ path, data }: RelatedDocument,
	{ bundlePaths }: ImportSpace,
): readonly RelationEntry[] {
	return listOf(data["relations"]).flatMap((relation) => {
		if (!isMapping(relation)) return [];
		const written = textOf(relation["target"]);
		if (written === undefined) return [];
		const target = resolveLink(path, written);
		const moved = target.kind === "internal" ? bundlePaths.get(target.path) : undefined;
		return [
			{
				...relation,
				type: textOf(relation["type"]) ?? "links-to",
				target: moved === undefined ? written : `/${encodePath(moved)}`,
			},
		];
	});
}

/** `2718`, `"2718, 2930"`, `[eip-1, "[[Other note]]"]`: names of other documents, however they were written. */
function namesIn(value: unknown): readonly string[] {
	return listOf(value)
		.flatMap((one) => (typeof one === "string" ? one.split(",") : [textOf(one) ?? ""]))
		.map((name) =>
			name
				.replace(/^\s*\[\[|\]\]\s*$/g, "")
				.replace(/[#|].*$/s, "")
				.trim(),
		)
		.filter((name) => name !== "");
}

function toEdgeType(key: string): string {
	return key.toLowerCase().replace(/[\s_]+/g, "-");
}

const LEVELS: readonly ((document: NamedDocument) => readonly string[])[] = [
	({ path }) => [path, pathWithoutExtension(path)],
	({ path }) => [stemOf(path)],
	({ aliases }) => aliases,
	({ title }) => [title],
	({ path }) => trailingNumber(stemOf(path)),
	({ path }) => routesOf(path),
];

/** Every name a document may be found by, as `toNameKey` writes them. */
export function nameKeysOf(document: NamedDocument): readonly string[] {
	return LEVELS.flatMap((namesOf) => namesOf(document)).map(toNameKey);
}

const AMBIGUOUS = Symbol("ambiguous");

/**
 * Path, stem, alias, title, trailing number: a weaker name never replaces a stronger, a shared one
 * means neither.
 */
export function createDocumentNames(documents: readonly NamedDocument[]) {
	const pathOfName = new Map<string, string | typeof AMBIGUOUS>();
	for (const namesOf of LEVELS) {
		for (const [name, path] of indexLevel(documents, namesOf)) {
			if (!pathOfName.has(name)) pathOfName.set(name, path);
		}
	}
	return {
		find(name: string): string | undefined {
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
