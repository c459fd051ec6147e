/** How far the content of a block is indented below its first line. */
const INDENT = 4;
const NESTING_MAX = 8;

const OPENINGS =
	/^(?:[ \t]*(?:!!!|\?\?\?|===[!+]?\s+["']|:{3,}|>\s*\[!)|.*(?:--8<--|\{:|\{[ ]?[.#][\w-]|\[TOC\]|\[\[_?toc|:(?:material|octicons|fontawesome|simple)-|<<<\s*@|@\[code|\s\^[\w-]{4,}$|\{!|^import\s))/im;

/**
 * The text without what MkDocs, Docusaurus, VitePress, kramdown, GitHub and Obsidian mean by certain lines: admonitions and
 * tabs become their title and text, callouts their title, and attributes, includes and remarks nothing.
 */
export function withoutBlockDialects(text: string): string {
	if (!OPENINGS.test(text)) return text;
	const body = text.replace(LISTED_CONTENTS, "");
	return withoutLineMarks(unwrapBlocks(body.split("\n"), NESTING_MAX)).join("\n");
}

/** An item that kramdown replaces by a table of contents. */
const LISTED_CONTENTS = /^[ \t]*(?:[*+-]|\d+\.)[ \t].{0,80}\n[ \t]*\{:toc[^}\n]*\}/gim;

/** The text with one empty line where several were left, but in code. */
export function withoutGaps(text: string): string {
	const fence = createFence();
	let isBlank = false;
	const kept = text.split("\n").filter((line) => {
		const wasBlank = isBlank;
		isBlank = !fence(line) && line.trim() === "";
		return !(wasBlank && isBlank);
	});
	return kept.join("\n");
}

const HTML_LINE = /^ {0,3}<\/?(?:div|table|t[dhr]|tbody|thead|p|[uod]l|li|section|blockquote)\b/i;
const OPENED_PARAGRAPH = /<p(?:\s[^<>]{0,500})?>\s*$/i;

/**
 * The text without the empty lines that kramdown allows within a paragraph of HTML: elsewhere they end the HTML, and what is
 * indented behind them is code.
 */
export function withoutHtmlGaps(text: string): string {
	if (!/<p(?:\s[^<>]{0,500})?>[ \t]*\n[ \t]*\n {4}/i.test(text)) return text;
	const lines = text.split("\n");
	const fence = createFence();
	let isHtml = false;
	let last = "";
	const kept = lines.filter((line, at) => {
		if (fence(line)) isHtml = false;
		else if (line.trim() === "") {
			const next = lines[at + 1] ?? "";
			isHtml &&= /^ {4}/.test(next) && (OPENED_PARAGRAPH.test(last) || /^\s*</.test(next));
			return !isHtml;
		} else isHtml ||= HTML_LINE.test(line);
		last = line;
		return true;
	});
	return kept.join("\n");
}

const MODULE_LINE =
	/^(?:import\s+(?:["'{*]|[\w$]+\s*(?:,|from\b))|export\s+(?:default|const|let|var|function|class|async|\{|\*))/;

/** The text without what a page of MDX imports and exports, each up to the next empty line. */
export function withoutModuleLines(text: string): string {
	const fence = createFence();
	let isModule = false;
	const kept = text.split("\n").filter((line) => {
		if (fence(line)) return true;
		isModule = line.trim() !== "" && (isModule || MODULE_LINE.test(line));
		return !isModule;
	});
	return kept.join("\n");
}

const ADMONITION =
	/^([ \t]*)(?:!!!|\?\?\?\+?)[ \t]{1,20}[\w-]{1,60}(?: {1,20}[\w-]{1,60}){0,8}[ \t]{0,20}(?:"([^"]{0,200})")?$/;
const TAB = /^([ \t]*)===[!+]?[ \t]+["']([^"']{1,200})["'][ \t]*$/;
/** `::: package.module` stands for documentation that is generated from code. */
const GENERATED = /^([ \t]*):::[ \t]+[\w]+(?:\.[\w]+)+[ \t]*$/;

/** Blocks that are marked by their indentation lose it, so that what is in them is text and not code. */
function unwrapBlocks(lines: readonly string[], levels: number): readonly string[] {
	const kept: string[] = [];
	const fence = createFence();
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at] ?? "";
		const block = fence(line) || levels === 0 ? undefined : openingOf(line);
		if (!block) {
			kept.push(line);
			continue;
		}
		const end = endOfBlock(lines, at + 1, block.indent + INDENT);
		const inside = lines
			.slice(at + 1, end)
			.map((one) => one.replaceAll("\t", "    ").slice(block.indent + INDENT));
		kept.push("", ...(block.title ? [`**${block.title}**`, ""] : []));
		if (!block.isGenerated) kept.push(...unwrapBlocks(inside, levels - 1), "");
		at = end - 1;
	}
	return kept;
}

function openingOf(line: string) {
	const width = (indent = "") => indent.replaceAll("\t", "    ").length;
	const tab = TAB.exec(line);
	if (tab) return { indent: width(tab[1]), title: tab[2], isGenerated: false };
	const admonition = ADMONITION.exec(line.trimEnd());
	if (admonition) return { indent: width(admonition[1]), title: admonition[2], isGenerated: false };
	const generated = GENERATED.exec(line);
	return generated && { indent: width(generated[1]), title: undefined, isGenerated: true };
}

function endOfBlock(lines: readonly string[], from: number, indent: number): number {
	let end = from;
	for (let at = from; at < lines.length; at++) {
		const line = (lines[at] ?? "").replaceAll("\t", "    ");
		if (line.trim() === "") continue;
		if (line.slice(0, indent).trim() !== "") break;
		end = at + 1;
	}
	return end;
}

/** Says of each line in turn whether it belongs to fenced code. */
function createFence(): (line: string) => boolean {
	let open: { readonly mark: string; readonly indent: number } | undefined;
	return (line) => {
		const [, before = "", mark] = /^([ \t]*(?:>[ \t]*)?)(`{3,}|~{3,})/.exec(line) ?? [];
		const indent = before.replaceAll("\t", "    ").length;
		if (open === undefined) {
			open = mark === undefined ? undefined : { mark, indent };
			return mark !== undefined;
		}
		// What is indented like code is shown, as a fence within an example is.
		const isEnd = mark?.startsWith(open.mark) && indent < open.indent + INDENT;
		if (isEnd && /[`~]\s*$/.test(line)) open = undefined;
		return true;
	};
}

const DIRECTIVE_CHARS = 200;
const CALLOUT =
	/^([ \t]*(?:>[ \t]*)+)\[![\w-]{2,40}(?:\|[^\]\n]{0,300})?\][+-]?[ \t]{0,20}(.{0,300})$/;
/** Lines that say nothing to a reader. */
const EMPTY_LINES =
	/^[ \t]*(?:;?-+8<-+.*|\[TOC\]|\[\[_?toc_?\]\]|(?:[*-][ \t]+)?\{:toc[^}]*\}|\{:{1,2}[^}]*\}|<<<[ \t]*@.*|@\[code.*|\{![^}]*!\}|import\s[^;\n]{1,200}\sfrom\s+["'][^"'\n]+["'];?|import\s+["'][^"'\n]+["'];?)[ \t]*$/i;
const INLINE_MARKS =
	/[ \t]{0,20}\{:[ \t]?[.#a-z][^{}\n]{0,200}\}|[ \t]{0,20}\{[ \t]?[.#][\w-][^{}\n]{0,200}\}(?=[ \t]{0,20}$|[\s.,;:)|])|:(?:material|octicons|fontawesome|simple)-[a-z0-9-]{1,80}:|(?<=\S)[ \t]{1,20}\^[A-Za-z0-9][\w-]{3,40}$/g;

function withoutLineMarks(lines: readonly string[]): readonly string[] {
	const fence = createFence();
	return lines.flatMap((line) => (fence(line) ? [line] : withoutMarks(line)));
}

function withoutMarks(line: string): readonly string[] {
	if (EMPTY_LINES.test(line)) return [""];
	const callout = CALLOUT.exec(line.trimEnd());
	if (callout) return titled(callout[2]?.trim(), callout[1]);
	const directive = readDirective(line.trim());
	if (directive) return ["", ...titled(directive.title)];
	return [/[{:^]/.test(line) ? line.replace(INLINE_MARKS, "") : line];
}

/** `:::note[Title]{#id}`, `::: tip Title` and `:::`; undefined for what is no such mark. */
function readDirective(line: string): { readonly title: string | undefined } | undefined {
	if (!line.startsWith(":::")) return undefined;
	const [, rest = ""] = /^:+[ \t]*(?:\{[\w-]+\}|[\w-]*)(.*)$/.exec(line) ?? [];
	const attributes = rest.endsWith("}") ? rest.lastIndexOf("{") : -1;
	const label = (attributes < 0 ? rest : rest.slice(0, attributes)).trim();
	if (label.length > DIRECTIVE_CHARS || /[{}]/.test(label)) return undefined;
	return { title: (/^\[([^\]]+)\]$/.exec(label)?.[1] ?? label) || undefined };
}

/** A title as a paragraph of its own, in a quotation where it stands in one. */
function titled(title: string | undefined, quote = ""): readonly string[] {
	return title ? [`${quote}**${title}**`, quote] : [quote];
}
