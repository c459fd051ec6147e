import { visibleText } from "../kernel/kernel.js";
import { DOCUMENT_LIMITS } from "./document-limits.js";

const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Text as a reader sees it: nothing that only a machine would notice survives (ANSI sequences, control, bidi and
 * zero-width characters, HTML comments). Lines end in `\n`. Applying it twice changes nothing.
 */
export function cleanText(text: string): string {
	return withoutComments(visibleText(text).replace(LONE_SURROGATE, "\ufffd"));
}

export function cleanLine(text: string): string {
	return cleanText(text).replace(/\s+/g, " ").trim();
}

/** Cuts at a word boundary and says so with an ellipsis; shorter text is returned as it is. */
export function truncateText(text: string, maxChars: number): string {
	if (text.length <= maxChars) return text;
	const cut = text.slice(0, maxChars - 1);
	const space = cut.lastIndexOf(" ");
	const kept = (space > maxChars / 2 ? cut.slice(0, space) : cut).replace(LONE_SURROGATE, "");
	return `${kept.trimEnd()}…`;
}

/** Prose without Markdown: links and images become their text, marks, footnote references and tags vanish. */
export function toPlainText(markdown: string): string {
	const bounded = markdown.slice(0, DOCUMENT_LIMITS.summaryChars * 8);
	const plain = bounded
		.replace(/\[\^[^\]\s]{1,200}\]/g, "")
		.replace(
			/!?\[([^[\]]{0,500})\]\([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?(?: "[^"]{0,300}")?\)/g,
			"$1",
		)
		.replace(/\[\[(?:[^[\]|]{1,300}\|)?([^[\]|]{1,300})\]\]/g, "$1")
		.replace(/\[([^[\]]{1,500})\]\[[^[\]]{0,200}\]/g, "$1")
		.replace(/<\/?([a-zA-Z][\w-]{0,100})[^<>]{0,500}>/g, (tag, name: string) =>
			isTag(tag, name) ? "" : tag,
		)
		.replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+/gm, "")
		.replace(/(\*\*|__|~~|`)/g, "")
		.replace(/(^|[\s(])[*_]([^*_\n]{1,500})[*_](?=$|[\s).,;:!?])/gm, "$1$2");
	return cleanLine(plain);
}

const ELEMENTS = new Set(
	"a abbr address article aside audio b big blockquote body br button center cite code dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label li main mark nav ol p picture pre q s samp section small source span strike strong style sub summary sup table tbody td tfoot th thead time tr tt u ul var video wbr".split(
		" ",
	),
);

/** Parameters of types and placeholders are none: `Vec<T>`, `<name>`. */
function isTag(tag: string, name: string): boolean {
	return ELEMENTS.has(name.toLowerCase()) || /^<\/|\/>$|=|-/.test(tag);
}

/** A comment becomes one space, so that removing it can never join two halves of another one. */
function withoutComments(text: string): string {
	let from = 0;
	let kept = "";
	for (;;) {
		const start = text.indexOf("<!--", from);
		if (start < 0) return kept + text.slice(from);
		const end = text.indexOf("-->", start + 2);
		// An unclosed comment would hide the rest of the document; its text becomes visible instead.
		if (end < 0) return kept + text.slice(from).replaceAll("<!--", " ");
		kept += `${text.slice(from, start)} `;
		from = end + 3;
	}
}
