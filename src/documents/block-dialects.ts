/** How far the content of a block is indented below its first line. */
const INDENT = 4;
const NESTING_MAX = 8;

const OPENINGS =
	/^(?:[ \t]*(?:!!!|\?\?\?|===[!+]?\s+["']|:{3,}|>\s*\[!)|.*(?:--8<--|\{:|\{[ ]?[.#][\w-]|%%|\[TOC\]|\[\[_?toc|:(?:material|octicons|fontawesome|simple)-|<<<\s*@|@\[code|\s\^[\w-]{4,}$|\{!|^import\s))/im;

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

const ADMONITION =
	/^([ \t]*)(?:!!!|\?\?\?\+?)[ \t]+([\w -]{1,60}?)[ \t]*(?:"([^"]{0,200})")?[ \t]*$/;
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
	const admonition = ADMONITION.exec(line);
	if (admonition) return { indent: width(admonition[1]), title: admonition[3], isGenerated: false };
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
	let open: string | undefined;
	return (line) => {
		const mark = /^[ \t]*(?:>[ \t]*)?(`{3,}|~{3,})/.exec(line)?.[1];
		if (open === undefined) {
			open = mark;
			return mark !== undefined;
		}
		if (mark?.startsWith(open) && /[`~]\s*$/.test(line)) open = undefined;
		return true;
	};
}

const DIRECTIVE =
	/^[ \t]*:{3,}[ \t]*(?:\{?[\w-]*\}?)?[ \t]*(?:\[([^\]]{1,200})\]|([^{}\n]{0,200}?))?[ \t]*(?:\{[^}\n]*\})?[ \t]*$/;
const CALLOUT = /^([ \t]*(?:>[ \t]*)+)\[![\w-]{2,40}(?:\|[^\]\n]*)?\][+-]?[ \t]*(.{0,300})$/;
/** Lines that say nothing to a reader. */
const EMPTY_LINES =
	/^[ \t]*(?:;?-+8<-+.*|\[TOC\]|\[\[_?toc_?\]\]|(?:[*-][ \t]+)?\{:toc[^}]*\}|\{:{1,2}[^}]*\}|<<<[ \t]*@.*|@\[code.*|\{![^}]*!\}|import\s[^;\n]{1,200}\sfrom\s+["'][^"'\n]+["'];?|import\s+["'][^"'\n]+["'];?)[ \t]*$/i;
const INLINE_MARKS =
	/[ \t]*\{:[ \t]?[.#a-z][^{}\n]{0,200}\}|[ \t]*\{[ \t]?[.#][\w-][^{}\n]{0,200}\}(?=[ \t]*$|[\s.,;:)|])|:(?:material|octicons|fontawesome|simple)-[a-z0-9-]{1,80}:|%%(?=\S|[ \t]).{1,2000}?%%|(?<=\S)[ \t]+\^[A-Za-z0-9][\w-]{3,40}$/g;

function withoutLineMarks(lines: readonly string[]): readonly string[] {
	const fence = createFence();
	const kept: string[] = [];
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at] ?? "";
		const isCode = fence(line);
		// Remarks of a vault may span lines, and no one but their writer is meant to read them.
		const isRemark = !isCode && /^[ \t]*%%(?!.*%%)/.test(line);
		const end = isRemark ? lines.findIndex((one, place) => place > at && one.includes("%%")) : -1;
		if (end > 0) at = end;
		else kept.push(...(isCode ? [line] : withoutMarks(line)));
	}
	return kept;
}

function withoutMarks(line: string): readonly string[] {
	if (EMPTY_LINES.test(line)) return [""];
	const callout = CALLOUT.exec(line);
	if (callout) return titled(callout[2]?.trim(), callout[1]);
	const directive = DIRECTIVE.exec(line);
	if (directive) return ["", ...titled(directive[1] || directive[2])];
	return [/[{:^]|%%/.test(line) ? line.replace(INLINE_MARKS, "") : line];
}

/** A title as a paragraph of its own, in a quotation where it stands in one. */
function titled(title: string | undefined, quote = ""): readonly string[] {
	return title ? [`${quote}**${title}**`, quote] : [quote];
}
