/*
 * Documents come from strangers. No pattern may read the same characters again from many starting points: each one either
 * begins at the start of a line and stays on that line, or stops where the next match could begin.
 */
const FOOTNOTE_DEFINITION = /^\[\^[^\]\n]{1,200}\]:.*$/gm;
const FOOTNOTE_REFERENCE = /\[\^[^[\]\n]{1,200}\]/g;
const LINK = /!?\[([^[\]]{0,500})\]\([^()\s]*(?:\s{1,20}"[^"]{0,500}")?\)/g;
const BARE_ADDRESS = /<?https?:\/\/[^\s>)]+>?/g;
const COMMENT = /<!--(?:(?!<!--)[\s\S])*?-->/g;
const RULE = /^[-=:| \t]{3,}$/gm;
const MARKUP = /^[ \t]*(?:#{1,6}(?:[ \t]|$)|>|[-*+](?:[ \t]|$)|`{3}[a-z]{0,40}$)|[*`|]+/gm;

/** Markdown as the words a reader sees: links by their text; footnotes, addresses and marks left out. */
export function toPlainText(markdown: string): string {
	return markdown
		.replace(COMMENT, " ")
		.replace(FOOTNOTE_DEFINITION, "")
		.replace(FOOTNOTE_REFERENCE, "")
		.replace(LINK, "$1")
		.replace(BARE_ADDRESS, " ")
		.replace(RULE, " ")
		.replace(MARKUP, " ");
}
