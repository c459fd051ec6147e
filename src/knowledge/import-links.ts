import { encodePath } from "./concept-writer.js";
import type { ImportSpace } from "./import-relations.js";
import { resolveLink } from "./markdown-links.js";
import { withoutCode } from "./markdown-prose.js";

const WIKI_LINK = /!?\[\[([^[\]|#\n]{1,300})(#[^[\]|\n]{0,300})?(?:\|([^[\]\n]{1,300}))?\]\]/g;
const DESTINATION = /(\]\([ \t]*<?)((?:[^()\s<>]|\([^()\s]{0,500}\)){1,2000})/g;

/**
 * The body with every link to another imported document leading to its place in the bundle: wiki links become Markdown
 * links (their text alone where nothing answers to the name), moved files are followed. Code is left as it is.
 */
export function rewriteLinks(body: string, sourcePath: string, space: ImportSpace): string {
	const withMarkdownLinks = replaceOutsideCode(body, WIKI_LINK, ([, name = "", , label]) => {
		const path = space.bundlePaths.get(space.names.find(name) ?? "");
		if (path === undefined) return label?.trim() || name.trim();
		const text = label?.trim() || (space.titles.get(path) ?? name);
		return `[${text.replace(/[[\]]/g, "")}](/${encodePath(path)})`;
	});
	return replaceOutsideCode(
		withMarkdownLinks,
		DESTINATION,
		([whole, opening = "", written = ""]) => {
			const moved = followLink(written, sourcePath, space);
			return moved === undefined ? whole : `${opening}${moved}`;
		},
	);
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
	sourcePath: string,
	{ bundlePaths }: ImportSpace,
): string | undefined {
	const target = resolveLink(sourcePath, written);
	if (target.kind !== "internal") return undefined;
	const found = bundlePaths.get(target.path);
	if (found === undefined) return undefined;
	const stays = resolveLink(bundlePaths.get(sourcePath) ?? sourcePath, written);
	if (stays.kind === "internal" && stays.path === found) return undefined;
	return `/${encodePath(found)}${/[#?].*$/.exec(written)?.[0] ?? ""}`;
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
