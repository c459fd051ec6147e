import { DOCUMENT_LIMITS } from "./document-limits.js";
import { toPlainText } from "./served-text.js";

const HEADING_CHARS = 1_000;

export const FOOTNOTE = /\[\^([^\]\s]{1,200})\](?!:)/g;

/** A heading and the lines below it, up to the next heading of any level; the first one may have no heading. */
export interface Section {
	readonly heading: string | undefined;
	readonly level: number;
	readonly lines: readonly string[];
}

/** Blanks out fenced code; every other character keeps its place. */
function withoutFencedCode(markdown: string): string {
	let fence: string | undefined;
	return markdown
		.split("\n")
		.map((line) => {
			const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
			if (fence === undefined) {
				fence = mark;
				return mark === undefined ? line : " ".repeat(line.length);
			}
			if (mark?.startsWith(fence) && /^ {0,3}[`~]+\s*$/.test(line)) fence = undefined;
			return " ".repeat(line.length);
		})
		.join("\n");
}

/** Also blanks out code spans, which may hold brackets that are no links. */
export function withoutCode(markdown: string): string {
	return withoutFencedCode(markdown).replace(/(?<!`)(`{1,3})(?!`)([^`]{1,2000}?)\1(?!`)/g, (span) =>
		span.replace(/[^\n]/g, " "),
	);
}

/** Sections in reading order; `# Title`, `Title\n=====` and deeper headings all open one. */
export function toSections(markdown: string): readonly Section[] {
	const sections: { heading: string | undefined; level: number; lines: string[] }[] = [];
	let current = { heading: undefined as string | undefined, level: 0, lines: [] as string[] };
	sections.push(current);
	for (const line of withoutFencedCode(markdown).split("\n")) {
		const opening = readHeading(line);
		const underline = /^ {0,3}(=+|-{2,})[ \t]*$/.exec(line);
		const above = current.lines.at(-1);
		if (opening) {
			current = { ...opening, lines: [] };
			sections.push(current);
		} else if (underline && above?.trim() && !current.lines.at(-2)?.trim()) {
			current.lines.pop();
			current = { heading: toPlainText(above), level: line.includes("=") ? 1 : 2, lines: [] };
			sections.push(current);
		} else {
			current.lines.push(line);
		}
	}
	return sections;
}

/** `## Title ##`: its marks counted, its text without them; no more is read of a line than any heading has. */
function readHeading(line: string): { heading: string; level: number } | undefined {
	const opening = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
	if (!opening) return undefined;
	const start = opening[0].length;
	const text = line.slice(start, start + HEADING_CHARS).trim();
	return {
		heading: toPlainText(text.replace(/(?:^|[ \t])#+$/, "")),
		level: opening[1]?.length ?? 1,
	};
}

export function firstHeading(markdown: string): string | undefined {
	return toSections(markdown).find((section) => section.heading)?.heading;
}

/**
 * The first paragraph of prose as plain text: headings, lists of links, tables, quotes of rules, images and footnote
 * definitions are passed over. With `preferred`, sections of these names (lower case) are looked into first.
 */
export function firstParagraph(
	markdown: string,
	preferred: readonly string[] = [],
): string | undefined {
	const sections = toSections(markdown);
	const named = preferred.flatMap((name) =>
		sections.filter((section) => section.heading?.toLowerCase() === name),
	);
	// A list at the top is a table of contents, or of facts; it describes only where nothing else does.
	for (const isWanted of [isNoList, () => true]) {
		for (const section of [...named, ...sections]) {
			for (const paragraph of toParagraphs(section.lines).filter(isWanted)) {
				const text = toPlainText(paragraph);
				if (/\p{L}{2}/u.test(text)) return text;
			}
		}
	}
	return undefined;
}

function isNoList(paragraph: string): boolean {
	const lines = paragraph.split("\n");
	const items = lines.filter((line) => /^\s*(?:[-*+]|\d{1,3}[.)])\s/.test(line)).length;
	// `Author: …` line by line is one, too, and so is a paragraph that is all bold: a label.
	const fields = lines.filter((line) => /^[\s>*_]*[A-Z][\w -]{1,24}[*_]*:/.test(line)).length;
	return (
		items === 0 && (fields < 2 || fields < lines.length) && !/^\*\*[^*]+\*\*:?$/.test(paragraph)
	);
}

/** Paragraphs of prose among the lines of a section, as Markdown. */
export function toParagraphs(lines: readonly string[]): readonly string[] {
	return toBlocks(lines).filter(isProse);
}

/** What stands between blank lines: prose, and tables, images, rules and definitions too. */
export function toBlocks(lines: readonly string[]): readonly string[] {
	return lines
		.join("\n")
		.split(/\n[ \t]*\n/)
		.map((paragraph) => paragraph.trim())
		.filter((paragraph) => paragraph !== "");
}

const ROWS_MOST = 60;
const COLUMNS_MOST = 12;
const DELIMITERS =
	/^\|?(?:[ \t]{0,50}:?-{1,200}:?[ \t]{0,50}\|){1,50}(?:[ \t]{0,50}:?-{1,200}:?[ \t]{0,50})?$/;
const CELL_BREAK = /(?<!\\)\|/;

/**
 * The rows of a table as sentences that can be read without it, `Year 2022: average 98.94; peak 120.11.`, cells as Markdown; none
 * for what is no table. Rows after the sixtieth and columns after the twelfth are left out.
 */
export function toTableSentences(block: string): readonly string[] {
	const [head = "", delimiters = "", ...rows] = block.split("\n").map((line) => line.trim());
	if (!head.includes("|") || !DELIMITERS.test(delimiters)) return [];
	const names = toCells(head);
	return rows.slice(0, ROWS_MOST).flatMap((row) => toRowSentence(names, toCells(row)) ?? []);
}

function toCells(row: string): readonly string[] {
	const inside = row.replace(/^\|/, "").replace(/\|$/, "");
	return inside.split(CELL_BREAK, COLUMNS_MOST).map((cell) => cell.replaceAll("\\|", "|").trim());
}

function toRowSentence(
	[first = "", ...names]: readonly string[],
	[subject = "", ...cells]: readonly string[],
): string | undefined {
	const said = cells.flatMap((cell, at) =>
		/[\p{L}\p{N}]/u.test(cell) ? `${names[at] ?? ""} ${cell}`.trim() : [],
	);
	if (subject === "" || said.length === 0) return undefined;
	return `${`${first} ${subject}`.trim()}: ${said.join("; ")}.`;
}

/** Whether a block is sentences: no table, image, rule, definition or markup. */
export function isProse(paragraph: string): boolean {
	return !/^(?:\||\[\^?[^\]\n]+\]:|!\[[^\]\n]*\]\([^)\n]*\)$|<[a-z]|(?:[-*_] ?){3,}$|={2,}$|-{2,}$)/i.test(
		paragraph,
	);
}

export type LinkTarget =
	/** Another site, an anchor of the same file, an asset: nothing this bundle must answer for. */
	| { readonly kind: "external" }
	/** A Markdown file of the bundle, by path from the root; it need not exist. */
	| { readonly kind: "internal"; readonly path: string; readonly explicit: boolean }
	/** A path that climbs out of the bundle. */
	| { readonly kind: "outside" };

const INLINE = /\]\([ \t]*(?:<([^<>\n]{1,2000})>|((?:[^()\s<>]|\([^()\s]{0,500}\)){1,2000}))/g;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]\n]{1,300}\]:[ \t]*<?([^\s<>]{1,2000})/gm;

/** Every link destination of a body in reading order, as written; code is not looked into. */
export function findLinkTargets(body: string): readonly string[] {
	const text = withoutCode(body);
	const inline = [...text.matchAll(INLINE)].map((match) => match[1] ?? match[2] ?? "");
	const definitions = [...text.matchAll(DEFINITION)].map((match) => match[1] ?? "");
	return [...inline, ...definitions];
}

/** Resolves a destination against its file; `explicit` is false when `.md` had to be added. */
export function resolveLink(fromPath: string, target: string): LinkTarget {
	if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith("//")) return { kind: "external" };
	const [bare = ""] = target.split(/[?#]/, 1);
	const decoded = decode(bare);
	if (decoded === "" || decoded.endsWith("/") || /[\p{Cc}\\]/u.test(decoded)) {
		return { kind: "external" };
	}
	const path = walkPath(decoded.startsWith("/") ? "" : fromPath, decoded);
	if (path === undefined) return { kind: "outside" };
	if (path === "") return { kind: "external" };
	if (/\.md$/i.test(path)) return { kind: "internal", path, explicit: true };
	return { kind: "internal", path: `${path}.md`, explicit: false };
}

/**
 * Where an address within a site leads, without its slashes and ending: `../setup/` of `guides/start.md` is `setup`, or
 * `guides/setup` where pages are folders. None for other sites.
 */
export function resolveRoutes(fromPath: string, target: string): readonly string[] {
	if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith("//")) return [];
	const [bare = ""] = target.split(/[?#]/, 1);
	const steps = decode(bare)
		.replace(/\/+$/, "")
		.replace(/\.(?:mdx?|html?)$/i, "")
		.replace(/^(\/.*\/)(?:_?index|readme)$/i, "$1");
	if (steps === "" || /[\p{Cc}\\]/u.test(steps)) return [];
	const page = `${fromPath.replace(/\.\w+$/, "").replace(/(?:^|\/)(?:_?index|readme)$/i, "")}/`;
	// Generators find a bare name from the root of the site, too.
	const starts = steps.startsWith("/")
		? [""]
		: [fromPath, page, ...(steps.startsWith(".") ? [] : [""])];
	const routes = starts.map((start) => walkPath(start, steps)).filter((route) => route);
	const [, below] = SITE_PREFIX.exec(steps) ?? [];
	return [...new Set([...routes, ...(below === undefined ? [] : [below])])] as readonly string[];
}

/** Where a site shows a folder of documents: below its language, below `docs`, or below the folder's own name. */
const SITE_PREFIX =
	/^\/(?:(?:[a-z]{2}(?:-[a-z]{2,4})?|docs|documentation|wiki)\/|[^/]+\/(?=[^/]+\/))(.+)$/i;

/** Undefined when the steps climb above the root. */
function walkPath(fromPath: string, steps: string): string | undefined {
	const segments = fromPath.split("/").slice(0, -1);
	for (const step of steps.split("/")) {
		if (step === "" || step === ".") continue;
		if (step !== "..") segments.push(step);
		else if (segments.pop() === undefined) return undefined;
	}
	return segments.join("/");
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** True for an absolute http or https address without credentials in it. */
export function isWebAddress(text: string): boolean {
	if (text.length > DOCUMENT_LIMITS.urlChars || /[\s<>"\p{Cc}]/u.test(text)) return false;
	if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
	const url = new URL(text);
	return url.username === "" && url.password === "";
}
