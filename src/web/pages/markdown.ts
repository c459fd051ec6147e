import { defaultSchema, sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";

/** Pictures would be fetched from elsewhere. */
const SCHEMA = {
	...defaultSchema,
	tagNames:
		defaultSchema.tagNames?.filter((name) => !["img", "picture", "source"].includes(name)) ?? [],
};

/** Markdown of others as HTML that runs nothing: raw HTML is left out, and links lead to pages of the web alone. */
export function toSafeHtml(markdown: string): string {
	const tree = fromMarkdown(markdown, {
		extensions: [gfm()],
		mdastExtensions: [gfmFromMarkdown()],
	});
	return toHtml(sanitize(toHast(tree), SCHEMA));
}
