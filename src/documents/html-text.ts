import type { Element, Nodes, Root } from "hast";
import { fromHtml } from "hast-util-from-html";
import { defaultHandlers, type Options, toMdast } from "hast-util-to-mdast";
import type { Root as Mdast } from "mdast";
import { gfmToMarkdown } from "mdast-util-gfm";
import { toMarkdown } from "mdast-util-to-markdown";

/** Elements a reader sees nothing of, or that are a player and no text. */
const UNSEEN = new Set(
	"script style template noscript iframe video audio object embed svg canvas form button input select nav".split(
		" ",
	),
);
/** What a component shows of its own attributes. */
const SEEN_ATTRIBUTES = ["title", "label", "heading"];
const KNOWN: ReadonlySet<string> = new Set([
	...Object.keys(defaultHandlers),
	..."small big font tt strike ins abbr cite time mark bdi bdo wbr ruby rt rp data output meter progress details summary figure figcaption picture source map area".split(
		" ",
	),
]);

/** True for an element of HTML; anything else is a component of a site, or a placeholder. */
export function isHtmlElement(name: string): boolean {
	return KNOWN.has(name.toLowerCase());
}

/** Markdown for a piece of HTML: what a browser would show of it, tables and code as such. */
export function htmlToMarkdown(html: string): string {
	const tree = fromHtml(html, { fragment: true });
	prepare(tree);
	return writeMarkdown(toMdast(tree, OPTIONS) as Mdast);
}

const ENTITY = /&(?:#x?[\da-f]{1,6}|[a-z][a-z\d]{1,30});/gi;

/** A line of text in which `&#8217;` and the like became what they stand for. */
export function decodeEntities(line: string): string {
	return line.replace(ENTITY, (entity) => {
		const [node] = fromHtml(entity, { fragment: true }).children;
		return node?.type === "text" ? node.value : entity;
	});
}

/** Title and text of a whole page; the part its author marked as the main one where there is one. */
export function readPage(html: string) {
	const tree = fromHtml(html);
	const title = findElement(tree, "title");
	const main =
		findElement(tree, "main") ?? findElement(tree, "article") ?? findElement(tree, "body");
	const root: Root = { type: "root", children: main ? main.children : [] } as Root;
	prepare(root);
	return { title: title && textIn(title), body: writeMarkdown(toMdast(root, OPTIONS) as Mdast) };
}

/** Markdown with the text of a source as it was written there: escapes would be marks to everyone who reads it plain. */
export function writeMarkdown(tree: Mdast): string {
	return toMarkdown(tree, {
		extensions: [gfmToMarkdown()],
		bullet: "-",
		fences: true,
		rule: "-",
		resourceLink: true,
		handlers: { text: (node: { value: string }) => node.value },
	}).trim();
}

const OPTIONS: Options = {
	nodeHandlers: { comment: () => undefined },
	handlers: Object.fromEntries([...UNSEEN].map((name) => [name, () => undefined])),
};

/** Anchors without an address are no links, and components have their titles in front of their text. */
function prepare(node: Nodes): void {
	if (!("children" in node)) return;
	const children: Nodes[] = node.children;
	const shown = children.flatMap((child): readonly Nodes[] => {
		prepare(child);
		if (child.type !== "element") return [child];
		if (child.tagName === "a" && !child.properties["href"]) return child.children;
		if (isHtmlElement(child.tagName) || UNSEEN.has(child.tagName)) return [child];
		return [...titleOf(child), ...child.children];
	});
	node.children = shown as typeof node.children;
}

function titleOf({ properties }: Element): readonly Element[] {
	const title = SEEN_ATTRIBUTES.map((name) => properties[name]).find(
		(value) => typeof value === "string",
	);
	if (typeof title !== "string" || title === "") return [];
	const strong: Element = {
		type: "element",
		tagName: "strong",
		properties: {},
		children: [{ type: "text", value: title }],
	};
	return [{ type: "element", tagName: "p", properties: {}, children: [strong] }];
}

function findElement(node: Nodes, name: string): Element | undefined {
	if (node.type === "element" && node.tagName === name) return node;
	if (!("children" in node)) return undefined;
	for (const child of node.children) {
		const found = findElement(child, name);
		if (found) return found;
	}
	return undefined;
}

function textIn(node: Nodes): string {
	if (node.type === "text") return node.value;
	return "children" in node ? node.children.map(textIn).join("") : "";
}
