import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { type MdxJsxFlowElement, type MdxJsxTextElement, mdxFromMarkdown } from "mdast-util-mdx";
import { gfm } from "micromark-extension-gfm";
import { mdxjs } from "micromark-extension-mdxjs";
import { writeMarkdown } from "./html-text.js";

/** Attributes of a component that a reader of the page sees. */
const SEEN_ATTRIBUTES = ["title", "label", "heading", "caption"];
/** Elements that show no text of theirs. */
const UNSEEN = new Set("script style iframe video audio svg".split(" "));

/** The parser's time grows with the square of a paragraph; no one wrote a longer one for readers. */
const PARAGRAPH_CHARS = 20_000;
const PAGE_CHARS = 200_000;

type JsxElement = MdxJsxFlowElement | MdxJsxTextElement;

/**
 * Markdown for a page of MDX: code that runs is left out, components become their titles and text. Undefined for what is
 * no MDX, which is then read as Markdown.
 */
export function mdxToMarkdown(text: string): string | undefined {
	if (text.length > PAGE_CHARS) return undefined;
	if (text.split(/\n[ \t]*\n/).some(({ length }) => length > PARAGRAPH_CHARS)) return undefined;
	try {
		const tree = fromMarkdown(text, {
			extensions: [gfm(), mdxjs()],
			mdastExtensions: [gfmFromMarkdown(), mdxFromMarkdown()],
		});
		return writeMarkdown(withoutCode(tree, text) as Root);
	} catch {
		return undefined;
	}
}

function withoutCode(node: Nodes, source: string): Nodes {
	if (!("children" in node)) return node;
	const children = node.children.flatMap((child) => shownOf(child, source));
	return { ...node, children } as Nodes;
}

function shownOf(node: Nodes, source: string): readonly Nodes[] {
	if (node.type === "mdxjsEsm") return [];
	if (node.type === "mdxFlowExpression") return asParagraph(literalOf(node.value));
	if (node.type === "mdxTextExpression") return asText(literalOf(node.value));
	if (node.type === "mdxJsxFlowElement") return flowOf(node, source);
	if (node.type === "mdxJsxTextElement") return phraseOf(node, source);
	if (node.type === "text") return [asWritten(node, source)];
	return [withoutCode(node, source)];
}

/** A text in one line keeps the escapes its author gave it. */
function asWritten<T extends Nodes & { value: string }>(node: T, source: string): T {
	const { start, end } = node.position ?? {};
	const written = source.slice(start?.offset, end?.offset);
	return start && end && !written.includes("\n") ? { ...node, value: written } : node;
}

function flowOf(node: MdxJsxFlowElement, source: string): readonly Nodes[] {
	if (UNSEEN.has(node.name ?? "")) return [];
	if (node.name === "img") return [{ type: "paragraph", children: [imageOf(node)] }];
	const title = titleOf(node);
	const strong: Nodes[] = title
		? [
				{
					type: "paragraph",
					children: [{ type: "strong", children: [{ type: "text", value: title }] }],
				},
			]
		: [];
	return [...strong, ...node.children.flatMap((child) => shownOf(child, source))];
}

function phraseOf(node: MdxJsxTextElement, source: string): readonly Nodes[] {
	const { name } = node;
	if (UNSEEN.has(name ?? "")) return [];
	const children = node.children.flatMap((child) => shownOf(child, source));
	const url = attributeOf(node, "href") ?? attributeOf(node, "to");
	if (name === "img") return [imageOf(node)];
	if (name === "br") return asText(" ");
	const label = children.length > 0 ? children : asText(titleOf(node));
	return url ? [{ type: "link", url, children: label } as Nodes] : label;
}

function imageOf(node: JsxElement) {
	const url = attributeOf(node, "src") ?? "";
	return { type: "image" as const, url, alt: attributeOf(node, "alt") ?? "" };
}

function titleOf(node: JsxElement): string | undefined {
	return SEEN_ATTRIBUTES.map((name) => attributeOf(node, name)).find((value) => value);
}

function attributeOf(node: JsxElement, name: string): string | undefined {
	for (const attribute of node.attributes) {
		if (attribute.type !== "mdxJsxAttribute" || attribute.name !== name) continue;
		if (typeof attribute.value === "string") return attribute.value;
		return attribute.value ? literalOf(attribute.value.value) : undefined;
	}
	return undefined;
}

/** What an expression shows when it is a text and nothing else. */
function literalOf(expression: string): string | undefined {
	const literal = /^\s*(?:"([^"]*)"|'([^']*)'|`([^`$]*)`)\s*$/.exec(expression);
	return literal?.[1] ?? literal?.[2] ?? literal?.[3];
}

function asText(value: string | undefined): readonly Nodes[] {
	return value ? [{ type: "text", value }] : [];
}

function asParagraph(value: string | undefined): readonly Nodes[] {
	return value?.trim() ? [{ type: "paragraph", children: [{ type: "text", value }] }] : [];
}
