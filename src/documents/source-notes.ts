import { DOCUMENT_LIMITS } from "./document-limits.js";
import { findOutsideLinks, type MarkdownTree, type OutsideLink } from "./markdown-tree.js";
import { toPlainText, truncateText } from "./served-text.js";
import { applyEdits, type TextEdit } from "./text-edits.js";

/** A page elsewhere that a document links to; `id` is the label of its footnotes in the text. */
export interface LinkedSource {
	readonly id: string;
	readonly resource: string;
	readonly title: string | undefined;
}

/** Words that say of a link that it is one. */
const EMPTY_LABEL = /^(?:here|this|link|more|read more|see|source|website|docs?|details|\d+|\W+)$/i;

/**
 * Makes every link to another site a source of the sentence it stands in, by a footnote behind it as the format has it.
 * Footnotes that hold an address keep their labels.
 */
export function noteSources(
	text: string,
	tree: MarkdownTree,
	isAddress: (url: string) => boolean,
): { readonly text: string; readonly sources: readonly LinkedSource[] } {
	const links = findOutsideLinks(text, tree).filter(({ url }) => isAddress(url));
	if (links.length === 0) return { text, sources: [] };
	const inNotes = new Map<string, LinkedSource>();
	for (const link of links) {
		const { note } = link;
		if (note !== undefined && !inNotes.has(note)) inNotes.set(note, toSource(note, link));
	}
	const room = DOCUMENT_LIMITS.sources - 1 - inNotes.size;
	const inText = new Map<string, LinkedSource>();
	const noted = links.map((link): TextEdit => {
		const { edit, note, url } = link;
		if (note !== undefined) return edit;
		const key = url.replace(/#.*$/, "");
		if (!inText.has(key) && inText.size < room) {
			inText.set(key, toSource(`link-${inText.size + 1}`, link));
		}
		const source = inText.get(key);
		return source ? { ...edit, text: `${edit.text}[^${source.id}]` } : edit;
	});
	const sources = [...inNotes.values(), ...inText.values()];
	return { text: applyEdits(text, noted), sources: sources.slice(0, DOCUMENT_LIMITS.sources) };
}

function toSource(id: string, { url, label }: OutsideLink): LinkedSource {
	const title = toPlainText(label);
	const isTelling = title.length > 3 && !EMPTY_LABEL.test(title);
	return {
		id,
		resource: url,
		title: isTelling ? truncateText(title, DOCUMENT_LIMITS.titleChars) : undefined,
	};
}
