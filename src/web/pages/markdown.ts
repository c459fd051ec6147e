import type { Element, Nodes } from "hast";
import { defaultSchema, sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";

/** Pictures would be fetched from elsewhere; ids are given here. */
const SCHEMA = {
	...defaultSchema,
	tagNames:
		defaultSchema.tagNames?.filter((name) => !["img", "picture", "source"].includes(name)) ?? [],
	clobberPrefix: "",
};

interface Options {
	/** Where a link leads; undefined where it leads nowhere, and then only its text stays. */
	readonly addressOf?: (link: string) => string | undefined;
}

/** Markdown of anyone as HTML that runs nothing: raw HTML is left out, and links lead to pages of the web alone. */
export function toSafeHtml(markdown: string, { addressOf }: Options = {}): string {
	const tree = fromMarkdown(markdown, {
		extensions: [gfm()],
		mdastExtensions: [gfmFromMarkdown()],
	});
	const html = sanitize(toHast(tree), SCHEMA);
	if (addressOf) prepare(html, addressOf);
	return toHtml(html);
}

/** Headings get ids, links their addresses, and what scrolls is reached by the keyboard. */
function prepare(node: Nodes, addressOf: (link: string) => string | undefined): void {
	if (!("children" in node)) return;
	for (const child of node.children) {
		if (child.type !== "element") continue;
		if (/^h[2-6]$/.test(child.tagName)) child.properties["id"] = toAnchor(textOf(child));
		if (child.tagName === "pre") child.properties["tabIndex"] = 0;
		if (child.tagName === "a") redirect(child, addressOf);
		prepare(child, addressOf);
	}
}

function redirect(link: Element, addressOf: (link: string) => string | undefined): void {
	const address = addressOf(String(link.properties["href"] ?? ""));
	if (address === undefined) {
		link.tagName = "span";
		link.properties = {};
	} else link.properties["href"] = address;
}

const textOf = (node: Nodes): string => {
	if (node.type === "text") return node.value;
	return "children" in node ? node.children.map(textOf).join("") : "";
};

/** As GitHub names headings. */
const toAnchor = (text: string): string =>
	text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, "")
		.replaceAll(/\s/g, "-");
