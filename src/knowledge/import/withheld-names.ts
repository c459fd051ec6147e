import { toPlainText, toReadableName, withoutCode } from "../../documents/documents.js";
import { pathWithoutExtension, stemOf, toSlug } from "./bundle-paths.js";
import {
	type ImportSpace,
	isFound,
	type LinkPlace,
	nameKeysOf,
	toNameKey,
} from "./document-names.js";

/** A document that an import leaves out because it is not for others, and what it is called besides its path. */
export interface WithheldDocument {
	readonly path: string;
	readonly names?: readonly string[] | undefined;
}

/** Every name by which documents that are left out could be given away, in one form. */
export function withheldNamesOf(documents: readonly WithheldDocument[]): ReadonlySet<string> {
	const keys = documents.flatMap(({ path, names = [] }) => {
		const title = toReadableName(path) ?? "";
		return [...nameKeysOf({ path, title, aliases: names }).map(toKey), pathKey(path)];
	});
	return new Set(keys.filter((key) => key !== ""));
}

function toKey(name: string): string {
	return toSlug(toNameKey(name));
}

function pathKey(path: string): string {
	return `/${pathWithoutExtension(path).toLowerCase()}`;
}

/** True when a name, path or address in a document means one that is left out, and none that is imported. */
export function isWithheld(written: string, place: LinkPlace, space: ImportSpace): boolean {
	const { withheld } = space;
	if (withheld.size === 0 || /^[a-z][a-z0-9+.-]*:\/\//i.test(written)) return false;
	const bare = decodePath(written.replace(/[#?|].*$/s, "").trim());
	if (bare === "") return false;
	const { path, isTaken, isNamed, routes } = isFound(bare, place, space);
	if (isTaken) return false;
	if (path !== undefined && withheld.has(pathKey(path))) return true;
	if (isNamed) return false;
	return [bare, pathWithoutExtension(bare), ...routes].some((name) => withheld.has(toKey(name)));
}

function decodePath(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

const WIKI = /!?\[\[([^[\]|#\n]{1,300})(?:#[^[\]|\n]{0,300})?(?:\|([^[\]\n]{1,300}))?\]\]/g;
const LINK =
	/(!?\[)((?:[^[\]\n\\]|\\.|\[[^[\]\n]{0,300}\]|\n(?!\n)){0,500})\]\([ \t]{0,20}(?:<([^<>\n]{1,2000})>|((?:[^()\s<>]|\([^()\s]{0,500}\)){1,2000}))(?:\s{1,20}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'|\([^()\n]{0,500}\)))?[ \t]{0,20}\)/g;
const ANCHOR =
	/<a\s[^<>]{0,1000}?(?<![\w-])href\s{0,9}=\s{0,9}(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})'|([^\s"'<>]{1,2000})(?=[\s>]))[^<>]{0,1000}>([\s\S]{0,500}?)<\/a>/gi;
/** What is left of anchors that no simple pattern reads whole. */
const OPENING_TAG = /<(?:a|area)\s(?:[^<>"']|"[^"]{0,2000}"|'[^']{0,2000}'){0,2000}>?/gi;
const HREF = /(?<![\w-])href\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/i;
const DEFINITION = /^ {0,3}\[(?!\^)([^\]\n]{1,300})\]:[ \t]*<?([^\s<>]{1,2000}).*\n?/gm;
const REFERENCE = /!?\[([^[\]\n]{1,300})\](?:\[([^[\]\n]{0,300})\])?/g;

/** The text without its links to what is left out; what they read stays unless it is a name of it. */
export function withoutWithheldLinks(text: string, place: LinkPlace, space: ImportSpace): string {
	if (space.withheld.size === 0 || !/\[|<a(?:rea)?\s/i.test(text)) return text;
	const leads = (written: string) => isWithheld(written, place, space);
	const shown = (label: string, to: string) =>
		leads(toPlainText(label)) || hasFileName(label, to) ? "" : label;
	const withoutWiki = replace(text, WIKI, ([, name = ""], written) => {
		const label = written.slice(2, -2).split("|").slice(1).join("|").trim();
		return leads(name) ? shown(label, name) : undefined;
	});
	const withoutInline = replace(
		withoutWiki,
		LINK,
		([, opening = "", label = "", pointed, bare = ""], written) => {
			const to = pointed ?? bare;
			if (!leads(to)) return undefined;
			return shown(written.slice(opening.length, opening.length + label.length), to);
		},
	);
	const withoutAnchors = replace(
		withoutInline,
		ANCHOR,
		([, double, single, bare, label = ""], written) => {
			const to = double ?? single ?? bare ?? "";
			return leads(to)
				? shown(written.slice(-"</a>".length - label.length, -"</a>".length), to)
				: undefined;
		},
	);
	const withoutTags = replace(withoutAnchors, OPENING_TAG, (_, written) => {
		const [, double, single, bare] = HREF.exec(written) ?? [];
		const to = double ?? single ?? bare ?? "";
		// An address in entities is not read: it goes, in doubt.
		return leads(to) || /&(?!amp;)[#a-z]/i.test(to) ? "" : undefined;
	});
	const dropped = new Map<string, string>();
	const withoutDefinitions = replace(withoutTags, DEFINITION, ([, label = "", written = ""]) => {
		if (!leads(written)) return undefined;
		dropped.set(label.toLowerCase(), written);
		return "";
	});
	if (dropped.size === 0) return withoutDefinitions;
	return replace(withoutDefinitions, REFERENCE, ([, label = "", named], written) => {
		const to = dropped.get((named || label).toLowerCase());
		if (to === undefined) return undefined;
		const from = written.indexOf("[") + 1;
		return shown(written.slice(from, from + label.length), to);
	});
}

/** True when a text has the words of a file's name in it, several of them. */
function hasFileName(label: string, to: string): boolean {
	const name = toSlug(stemOf(decodePath(to.replace(/[#?].*$/s, "")).replace(/\/+$/, "")));
	return name.includes("-") && `-${toSlug(toPlainText(label))}-`.includes(`-${name}-`);
}

/** Replaces matches outside of code, which may stand within one; `written` is the match as it is in the text. */
function replace(
	text: string,
	pattern: RegExp,
	toText: (match: RegExpMatchArray, written: string) => string | undefined,
): string {
	let result = "";
	let from = 0;
	for (const match of withoutCode(text).matchAll(pattern)) {
		const end = match.index + match[0].length;
		const replacement = toText(match, text.slice(match.index, end));
		if (replacement === undefined) continue;
		result += text.slice(from, match.index) + replacement;
		from = end;
	}
	return result + text.slice(from);
}

/**
 * A value of front matter without what names documents that are left out: undefined when nothing else is in it. Entries of
 * lists that name one go as a whole. A number is a name only where the key means an edge.
 */
export function withoutWithheldValues(
	value: unknown,
	place: LinkPlace & { readonly isEdge?: boolean },
	space: ImportSpace,
): unknown {
	if (space.withheld.size === 0) return value;
	if (typeof value === "number")
		return place.isEdge ? withoutNames(`${value}`, place, space) && value : value;
	if (typeof value === "string") return withoutNames(value, place, space);
	if (Array.isArray(value)) return listWithout(value, place, space);
	if (typeof value !== "object" || value === null || value instanceof Date) return value;
	const entries = Object.entries(value).flatMap(([key, one]) => {
		const kept = withoutWithheldValues(one, place, space);
		return kept === undefined ? [] : [[key, kept] as const];
	});
	return Object.fromEntries(entries);
}

function listWithout(
	list: readonly unknown[],
	place: LinkPlace & { readonly isEdge?: boolean },
	space: ImportSpace,
): unknown {
	const kept = list.flatMap((one) => {
		const rest = withoutWithheldValues(one, place, space);
		const isLess = typeof one === "object" && JSON.stringify(rest) !== JSON.stringify(one);
		return rest === undefined || (isLess && !Array.isArray(one)) ? [] : [rest];
	});
	return kept.length === 0 && list.length > 0 ? undefined : kept;
}

function withoutNames(
	text: string,
	place: LinkPlace & { readonly isEdge?: boolean },
	space: ImportSpace,
): string | undefined {
	const linked = withoutWithheldLinks(text, place, space);
	const isName = (part: string) =>
		(place.isEdge || /\D/.test(part.trim())) && isWithheld(part, place, space);
	if (isName(linked)) return undefined;
	const parts = linked.split(",");
	const kept = parts.filter((part) => !isName(part));
	const rest = kept.length === parts.length ? linked : kept.join(",").trim();
	return rest.trim() === "" && text.trim() !== "" ? undefined : rest;
}
