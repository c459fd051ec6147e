import { posix } from "node:path";
import {
	type FrontMatter,
	findLinkTargets,
	isMapping,
	listOf,
	resolveLink,
	textOf,
	withoutCode,
} from "../../documents/documents.js";
import { encodePath, type RelationEntry } from "../bundle/bundle-writer.js";
import { findRoute, type ImportSpace, type LinkPlace, ROUTE } from "./document-names.js";
import { isWithheld, withoutWithheldLinks } from "./withheld-names.js";

const WIKI_LINK =
	/!?\[\[(?=[^|\]])([^[\]|#\n]{0,300})(#[^[\]|\n]{0,300})?(?:\|([^[\]\n]{1,300}))?\]\]/g;
const DESTINATION = /(\]\([ \t]*<?)((?:[^()\s<>]|\([^()\s]{0,500}\)){1,2000})/g;

/**
 * The body with links to imported documents, wiki links too, leading to their place in the bundle;
 * code stays. Links to documents that are left out are dropped.
 */
export function rewriteLinks(written: string, place: LinkPlace, space: ImportSpace): string {
	const body = withoutWithheldLinks(written, place, space);
	const withMarkdownLinks = replaceOutsideCode(
		body,
		WIKI_LINK,
		([whole, name = "", section, label]) => {
			// A picture or a recording is no text.
			if (whole.startsWith("!") && MEDIA.test(name)) return "";
			if (name.trim() === "") return label?.trim() || section?.replace(/^#+(?:\^.*)?/, "") || "";
			const path = space.bundlePaths.get(findNote(name, place, space.names) ?? "");
			if (path === undefined) return label?.trim() || name.trim();
			const text = label?.trim() || (space.titles.get(path) ?? name);
			return `[${text.replace(/[[\]]/g, "")}](/${encodePath(path)})`;
		},
	);
	const withDefinitions = replaceOutsideCode(withMarkdownLinks, DEFINED, moveIn(place, space));
	return replaceOutsideCode(withDefinitions, DESTINATION, moveIn(place, space));
}

const MEDIA =
	/\.(?:png|jpe?g|gif|svg|webp|avif|bmp|mp[34]|m4a|mov|webm|ogg|wav|flac|pdf|canvas|excalidraw)$/i;
const DEFINED = /(^ {0,3}\[(?!\^)[^\]\n]{1,300}\]:[ \t]*<?)([^\s<>]{1,2000})/gm;

/** Leads a destination to where it is now. */
function moveIn(place: LinkPlace, space: ImportSpace) {
	return ([whole, opening = "", written = ""]: RegExpMatchArray): string => {
		const moved = followLink(written, place, space);
		if (moved !== undefined) return `${opening}${moved}`;
		// What reads this link is too entangled to be cut out.
		return isWithheld(written, place, space) ? `${opening}#` : whole;
	};
}

/** True for notes of a vault: a wiki link that leads to another document of the import. */
export function hasWikiLink(body: string, place: LinkPlace, { names }: ImportSpace): boolean {
	return [...withoutCode(body).matchAll(WIKI_LINK)].some(
		([, name = ""]) => name.trim() !== "" && findNote(name, place, names) !== undefined,
	);
}

/** The note that a wiki link names: the one beside it first, then by any name, then by the end of its path. */
function findNote(
	written: string,
	{ base }: LinkPlace,
	names: ImportSpace["names"],
): string | undefined {
	const name = written.trim();
	// With its ending a name is a path from the root.
	const isPath = /\.md$/i.test(name) || name.startsWith("/");
	const beside = isPath ? undefined : names.find(posix.join(posix.dirname(base), name));
	const found = beside ?? names.find(name);
	return found ?? names.find(ROUTE + name.replace(/\.md$/i, ""));
}

/** The new destination; undefined when the link is not ours or reads the same after the move. */
function followLink(
	written: string,
	{ path, base }: LinkPlace,
	{ bundlePaths, names }: ImportSpace,
): string | undefined {
	const target = resolveLink(base, written);
	const named = target.kind === "internal" ? bundlePaths.get(target.path) : undefined;
	const route = findRoute(written, base, names) ?? findPublished(written, path, names);
	const found = named ?? bundlePaths.get(route ?? "");
	if (found === undefined) return undefined;
	const stays = resolveLink(bundlePaths.get(path) ?? path, written);
	if (stays.kind === "internal" && stays.path === found) return undefined;
	return `/${encodePath(found)}${/[#?].*$/.exec(written)?.[0] ?? ""}`;
}

/** A name that no other document anywhere is likely to have: words and a number. */
const TELLING_NAME = /^(?=.*\d)(?=.*[a-z])[\w.-]{8,200}$/i;

/** The document that is published there, or that another site publishes under the same telling name: proposals link to each other like that. */
function findPublished(
	written: string,
	path: string,
	names: ImportSpace["names"],
): string | undefined {
	if (!/^https?:\/\//i.test(written) || !URL.canParse(written)) return undefined;
	const published = names.find(written.replace(/[?#].*$/, ""));
	if (published !== undefined) return published === path ? undefined : published;
	const stem = new URL(written).pathname
		.split("/")
		.at(-1)
		?.replace(/\.(?:mdx?|html?)$/i, "");
	return stem && TELLING_NAME.test(stem) ? names.find(`${ROUTE}${stem}`) : undefined;
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
	space: ImportSpace,
): readonly RelationEntry[] {
	return listOf(data["relations"]).flatMap((relation) => {
		if (!isMapping(relation)) return [];
		const written = textOf(relation["target"]);
		if (written === undefined || isWithheld(written, { path, base: path }, space)) return [];
		const target = resolveLink(path, written);
		const moved = target.kind === "internal" ? space.bundlePaths.get(target.path) : undefined;
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
