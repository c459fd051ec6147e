import { type MarkdownTree, parseTree } from "./markdown-tree.js";

/** A part of a document: its heading, and all below it. */
export interface DocumentPart {
	readonly heading: string;
	/** Without the heading itself. */
	readonly text: string;
}

/** Parts that say less stay with what stands before them. */
const PART_CHARS_MIN = 200;

/**
 * A document cut at its headings, where it is longer than the limit: at the highest level that several have, and parts that
 * are still too long at the next one. What stands before the first cut is the lead.
 */
export function cutAtHeadings(
	text: string,
	limitChars: number,
): { readonly lead: string; readonly parts: readonly DocumentPart[] } {
	if (text.length <= limitChars) return { lead: text, parts: [] };
	const headings = headingsOf(text, parseTree(text));
	const level = cutLevel(headings);
	if (level === undefined) return { lead: text, parts: [] };
	const cuts = headings.filter((one) => one.level <= level && one.from > 0);
	let lead = text.slice(0, cuts[0]?.from);
	const parts: DocumentPart[] = [];
	for (const [at, { from, bodyFrom, title }] of cuts.entries()) {
		const end = cuts[at + 1]?.from ?? text.length;
		const body = text.slice(bodyFrom, end).trim();
		if (body.length < PART_CHARS_MIN) {
			// Where there is no part before, it belongs to the lead.
			const before = parts.pop();
			if (before) parts.push({ ...before, text: `${before.text}\n\n${text.slice(from, end)}` });
			else lead += text.slice(from, end);
			continue;
		}
		const inner = cutAtHeadings(body, limitChars);
		parts.push({ heading: title, text: inner.lead.trim() });
		parts.push(...inner.parts.map((part) => ({ ...part, heading: `${title}: ${part.heading}` })));
	}
	return { lead: lead.trim(), parts: parts.filter((part) => part.text !== "") };
}

interface Heading {
	readonly level: number;
	readonly from: number;
	readonly bodyFrom: number;
	readonly title: string;
}

/** Headings that stand in the document itself, not in a quotation or a list. */
function headingsOf(text: string, tree: MarkdownTree): readonly Heading[] {
	const headings: Heading[] = [];
	for (let node = tree.topNode.firstChild; node; node = node.nextSibling) {
		const level = /^(?:ATX|Setext)Heading(\d)$/.exec(node.name)?.[1];
		if (level === undefined) continue;
		const title = text.slice(node.from, node.to).replace(/^#+[ \t]*|[ \t]*#*$|\n[=-]+[ \t]*$/g, "");
		headings.push({
			level: Number(level),
			from: node.from,
			bodyFrom: node.to,
			title: title.trim(),
		});
	}
	return headings;
}

/** The highest level that several have, else the highest one below the start. */
function cutLevel(headings: readonly Heading[]): number | undefined {
	const inside = headings.filter(({ from }) => from > 0).map(({ level }) => level);
	const levels = [...new Set(inside)].sort();
	const isShared = (level: number) => headings.filter((one) => one.level === level).length > 1;
	return levels.find(isShared) ?? levels[0];
}
