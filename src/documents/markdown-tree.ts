import type { SyntaxNode, Tree } from "@lezer/common";
import { Autolink, parser, Table } from "@lezer/markdown";
import type { TextEdit } from "./text-edits.js";

/** Its places are those of the text, so that a document can be edited and stays what its author wrote (docs/adr/0055). */
const MARKDOWN = parser.configure([Table, Autolink]);

export type MarkdownTree = Tree;

export function parseTree(text: string): MarkdownTree {
	return MARKDOWN.parse(masked(text));
}

/** Longer than any paragraph that was written for readers: the parser's time grows with the square of such a one. */
const BLOCK_CHARS = 20_000;
const LONG_RUN = /[ \t]{200,}|^(?:[ \t]*(?:[-*+>]|\d{1,9}[.)])[ \t]){50}.*$/gm;
const FENCE_LINE = /^[ \t>]*(?:`{3,}|~{3,})/;

/** The text with what no one wrote for readers as one long word, place by place. */
function masked(text: string): string {
	const runs = text.replace(LONG_RUN, (run) => "x".repeat(run.length));
	if (runs.length <= BLOCK_CHARS) return runs;
	return runs
		.split(/(\n[ \t]*\n)/)
		.map((block) => (block.length <= BLOCK_CHARS ? block : maskBlock(block)))
		.join("");
}

/** Rows are read cell by cell, so that a table of any length takes no longer than its text. */
const ROW = /^ {0,3}\|.{0,8000}\|[ \t]*$/;
const DELIMITER_ROW = /^ {0,3}\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/;

function isTable([head = "", delimiters = "", ...rows]: readonly string[]): boolean {
	const cells = (line: string) => line.replace(/\\\|/g, "").split("|").length;
	const isHeaded = DELIMITER_ROW.test(delimiters) && cells(head) === cells(delimiters);
	return isHeaded && [head, ...rows].every((row) => ROW.test(row));
}

function maskBlock(block: string): string {
	const lines = block.split("\n");
	if (isTable(lines.filter((line) => line !== ""))) return block;
	return lines.map((line) => (FENCE_LINE.test(line) ? line : "x".repeat(line.length))).join("\n");
}

/** Says of a place whether it is code. What is only indented counts as such for some askers alone. */
export function codeFinder(text: string): (place: number, withIndented: boolean) => boolean {
	const spans: { from: number; to: number; isIndented: boolean }[] = [];
	parseTree(text).iterate({
		enter({ name, from, to }) {
			if (name !== "FencedCode" && name !== "InlineCode" && name !== "CodeBlock") return true;
			spans.push({ from, to, isIndented: name === "CodeBlock" });
			return false;
		},
	});
	let at = 0;
	return (place, withIndented) => {
		// Asked in reading order, mostly.
		if (place < (spans[at]?.from ?? 0)) at = 0;
		while (at < spans.length && (spans[at]?.to ?? 0) <= place) at += 1;
		const span = spans[at];
		return span !== undefined && span.from <= place && (withIndented || !span.isIndented);
	};
}

/** What a page shows of an HTML tag that stands in a line of text. */
const MARKS = new Map([
	["b", "**"],
	["strong", "**"],
	["i", "*"],
	["em", "*"],
	["code", "`"],
	["tt", "`"],
	["br", " "],
]);

export interface HtmlReaders {
	readonly toMarkdown: (html: string) => string;
	readonly isElement: (name: string) => boolean;
}

/** What makes Markdown of the HTML in a document; none where it has none. */
export function htmlEdits(
	text: string,
	tree: MarkdownTree,
	html: HtmlReaders,
): readonly TextEdit[] {
	const edits: TextEdit[] = [];
	const links: string[] = [];
	const names = namesOfTags(text);
	tree.iterate({
		enter(node) {
			const { name, from, to } = node;
			const source = () => text.slice(from, to);
			if (name === "HTMLBlock") {
				if (isPlain(source(), { html, names })) return false;
				edits.push({ from, to, text: toBlock(html.toMarkdown(source())) });
				return false;
			}
			if (name === "HTMLTag") {
				const shown = inlineTag(source(), { html, links, names, isGlued: isGlued(text, from) });
				if (shown !== undefined) edits.push({ from, to, text: shown });
			}
			return name !== "FencedCode" && name !== "CodeBlock";
		},
	});
	return edits;
}

function toBlock(markdown: string): string {
	return markdown === "" ? "" : `${markdown}\n`;
}

interface TagContext {
	readonly html: HtmlReaders;
	/** Addresses of the links that are open. */
	readonly links: string[];
	readonly names: TagNames;
	/** It stands behind a word, as the parameter of a type does. */
	readonly isGlued: boolean;
}

/** Names of the tags of a text. */
interface TagNames {
	readonly opening: ReadonlySet<string>;
	readonly closing: ReadonlySet<string>;
}

function namesOfTags(text: string): TagNames {
	const names = { opening: new Set<string>(), closing: new Set<string>() };
	for (const [, slash, name = ""] of text.matchAll(/<(\/?)([A-Za-z][\w.:-]{0,100})/g)) {
		(slash ? names.closing : names.opening).add(name);
	}
	return names;
}

function isGlued(text: string, from: number): boolean {
	return /[\w:]/.test(text.charAt(from - 1));
}

const VOID = new Set("area br col embed hr img input link meta source track wbr".split(" "));

/** Undefined for what is no tag: a placeholder, or a type's parameter. */
function inlineTag(tag: string, context: TagContext): string | undefined {
	const { html, links, names } = context;
	const [whole = "", slash = "", name = ""] = TAG_NAME.exec(tag) ?? [];
	if (name === "") return undefined;
	const lower = name.toLowerCase();
	if (!html.isElement(name)) return isComponent(tag, name, names) ? "" : undefined;
	const isBare = slash === "" && tag === `${whole}>` && !VOID.has(lower);
	if (isBare && context.isGlued && !names.closing.has(name)) return undefined;
	if (lower === "img") return html.toMarkdown(tag);
	if (lower !== "a") return MARKS.get(lower) ?? "";
	return slash === "" ? openLink(tag, links) : closeLink(links);
}

const TAG_NAME = /^<(\/?)([A-Za-z][\w.:-]*)/;

/** A line that holds no tag after all: `<name>` for what its reader is to fill in. */
function isPlain(block: string, { html, names }: Pick<TagContext, "html" | "names">): boolean {
	const tags = [...block.matchAll(/<[A-Za-z/!?][^<>]{0,2000}>?/g)];
	return tags.every(([tag]) => {
		const name = TAG_NAME.exec(tag)?.[2];
		return name !== undefined && !html.isElement(name) && !isComponent(tag, name, names);
	});
}

function closeLink(links: string[]): string {
	const address = links.pop();
	return address ? `](${address})` : "";
}

function openLink(tag: string, links: string[]): string {
	const address = /\bhref\s*=\s*(?:"([^"\s]*)"|'([^'\s]*)'|([^\s>"']+))/i.exec(tag);
	const href = address?.[1] ?? address?.[2] ?? address?.[3] ?? "";
	links.push(/[()]/.test(href) ? encodeURI(href).replace(/[()]/g, encodeBracket) : href);
	return href === "" ? "" : "[";
}

function encodeBracket(bracket: string): string {
	return bracket === "(" ? "%28" : "%29";
}

/** `<Tabs>…</Tabs>` and `<Icon name="x" />` are; `Vec<T>` is none. */
function isComponent(tag: string, name: string, { opening, closing }: TagNames): boolean {
	if (/\/>$|\s[\w:@-]{1,100}=/.test(tag) || name.includes("-")) return true;
	return closing.has(name) && opening.has(name);
}

/** A link to another site, in the order of the text. */
export interface OutsideLink {
	readonly url: string;
	/** What it reads; empty for a bare address. */
	readonly label: string;
	/** Where its mark belongs, and what stands there now when that has to change. */
	readonly edit: { readonly from: number; readonly to: number; readonly text: string };
	/** Label of the footnote it stands in; it is that note's source then. */
	readonly note: string | undefined;
}

/** Every link to another site that stands in running text: not in headings, code and images. */
export function findOutsideLinks(text: string, tree: MarkdownTree): readonly OutsideLink[] {
	const addresses = definitionsOf(text, tree);
	const noteAt = noteFinder(text);
	const links: OutsideLink[] = [];
	tree.iterate({
		enter(ref) {
			const { name } = ref;
			if (SKIPPED.test(name)) return false;
			if (name !== "Link" && name !== "Autolink" && name !== "URL") return true;
			const link = readLink(text, ref.node, { addresses, noteAt });
			if (link) links.push(link);
			return false;
		},
	});
	return links;
}

const SKIPPED =
	/^(?:ATXHeading\d|SetextHeading\d|FencedCode|CodeBlock|InlineCode|Image|HTMLBlock|LinkReference)$/;

interface LinkContext {
	readonly addresses: ReadonlyMap<string, string>;
	readonly noteAt: (node: SyntaxNode) => string | undefined;
}

function readLink(
	text: string,
	node: SyntaxNode,
	{ addresses, noteAt }: LinkContext,
): OutsideLink | undefined {
	const { from, to, name } = node;
	const url = addressOf(text, node, addresses);
	if (url === undefined || !/^https?:\/\//i.test(url)) return undefined;
	const note = noteAt(node);
	if (name !== "Link") {
		const label = url.replace(/[[\]]/g, "");
		const address = url.replace(/[()]/g, encodeBracket);
		return { url, label: "", edit: { from, to, text: `[${label}](${address})` }, note };
	}
	const inside = text.slice(from + 1, labelEnd(node));
	// A footnote that is nothing but an address.
	if (inside.startsWith("^")) {
		return { url, label: "", edit: { from: to, to, text: "" }, note: inside.slice(1) };
	}
	// A badge is no citation.
	const label = inside.replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?/g, "").trim();
	return label === "" ? undefined : { url, label, edit: { from: to, to, text: "" }, note };
}

function labelEnd(node: SyntaxNode): number {
	const marks = node.getChildren("LinkMark");
	return marks[1]?.from ?? node.to;
}

function addressOf(
	text: string,
	node: SyntaxNode,
	addresses: ReadonlyMap<string, string>,
): string | undefined {
	if (node.name === "URL") return toAddress(text.slice(node.from, node.to));
	const url = node.getChild("URL");
	if (url) return text.slice(url.from, url.to).replace(/^<|>$/g, "");
	const label = node.getChild("LinkLabel");
	const named = label ? text.slice(label.from, label.to) : "";
	const key = named.length > 2 ? named : text.slice(node.from, labelEnd(node) + 1);
	return addresses.get(toKey(key));
}

/** `www.example.org` and addresses of mail are links in this dialect, too. */
function toAddress(written: string): string | undefined {
	return /^https?:\/\//i.test(written) ? written : undefined;
}

function toKey(label: string): string {
	return label
		.replace(/^\[|\]$/g, "")
		.trim()
		.toLowerCase()
		.replace(/\s+/g, " ");
}

function definitionsOf(text: string, tree: MarkdownTree): ReadonlyMap<string, string> {
	const addresses = new Map<string, string>();
	tree.iterate({
		enter({ name, node }) {
			if (name !== "LinkReference") return true;
			const [label, url] = [node.getChild("LinkLabel"), node.getChild("URL")];
			if (label && url) {
				const key = toKey(text.slice(label.from, label.to));
				if (!addresses.has(key)) {
					addresses.set(key, text.slice(url.from, url.to).replace(/^<|>$/g, ""));
				}
			}
			return false;
		},
	});
	return addresses;
}

/** Says of a node to the text of which footnote it belongs; asked in reading order. */
function noteFinder(text: string): (node: SyntaxNode) => string | undefined {
	const openings = [...text.matchAll(/^ {0,3}\[\^([^\]\s]{1,200})\]:/gm)];
	let passed = 0;
	return (node) => {
		let block = node;
		while (block.parent && block.parent.name !== "Document") block = block.parent;
		while ((openings[passed]?.index ?? text.length) < node.from) passed += 1;
		const last = openings[passed - 1];
		return last && last.index >= block.from ? last[1] : undefined;
	};
}
