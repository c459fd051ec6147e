const FOOTNOTE_DEFINITION = /^\[\^[^\]]+\]:.*$/gm;
const FOOTNOTE_REFERENCE = /\[\^[^\]]+\]/g;
const LINK = /!?\[([^\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)/g;
const BARE_ADDRESS = /<?https?:\/\/[^\s>)]+>?/g;
const COMMENT = /<!--[\s\S]*?-->/g;
const MARKUP = /^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|\||`{3}[a-z]*$)|[*`|]+|^\s*[-=:|\s]{3,}$/gm;

/** Markdown as the words a reader sees: links by their text; footnotes, addresses and marks left out. */
export function toPlainText(markdown: string): string {
	return markdown
		.replace(COMMENT, " ")
		.replace(FOOTNOTE_DEFINITION, "")
		.replace(FOOTNOTE_REFERENCE, "")
		.replace(LINK, "$1")
		.replace(BARE_ADDRESS, " ")
		.replace(MARKUP, " ");
}
