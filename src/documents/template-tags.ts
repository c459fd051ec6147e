import { type FrontMatter, textOf } from "./front-matter.js";

/**
 * Tags of template languages that sites are built with: Liquid and Jinja (`{% … %}`, `{{ … }}`, `{# … #}`), Hugo
 * (`{{< … >}}`, `{{% … %}}`) and Templater (`<% … %>`).
 */
const TAG =
	/\{%[-+]?\s*(?<liquid>[\s\S]{0,2000}?)[-+]?%\}|\{\{[<%]\s*(?<hugo>[\s\S]{0,4000}?)\s*[%>]\}\}|(?<output>(?<![\\\w^_}])\$?\{\{(?<value>[^{}]{0,500})\}\}\}?)|<%[-_*+=]?[\s\S]{0,2000}?%>|\{#(?=\s)[^{}]{0,500}#\}/g;

/** What a tag and all up to its end become nothing of: their data lies elsewhere, or they are remarks. */
const DROPPED_WITH_CONTENT = new Set(
	"comment for tablerow capture schema script style javascript".split(" "),
);
const CODE_BLOCKS = new Set("highlight code-block codeblock prism".split(" "));
/** Attributes that a reader of the page sees. */
const SEEN_ATTRIBUTES = [
	"title",
	"label",
	"header",
	"heading",
	"caption",
	"summary",
	"name",
	"tabname",
];
/** Tags whose only argument is what a reader sees. */
const TITLED_TAGS = new Set(
	"tab details expand accordion card step alert admonition callout notice".split(" "),
);
/** Tags that stand for the address of another page. */
const ADDRESS_TAGS = new Set("ref relref link post_url doc".split(" "));

interface Tag {
	readonly start: number;
	readonly end: number;
	readonly name: string;
	readonly isClosing: boolean;
	readonly text: string;
	readonly isOutput: boolean;
}

/** True for text that may hold such tags; most documents hold none. */
export function mayHaveTags(text: string): boolean {
	return /\{\{|\{%|<%|\{#\s/.test(text);
}

/**
 * The text without the tags of template languages: what a reader of the built page would see of them stays. `isCode` says
 * which places are code, where they are content.
 */
export function withoutTemplateTags(
	text: string,
	data: FrontMatter,
	isCode: (place: number, isOutput: boolean) => boolean,
): string {
	const tags = [...text.matchAll(TAG)].map(toTag).filter((tag) => !isCode(tag.start, tag.isOutput));
	let kept = "";
	let from = 0;
	for (let at = 0; at < tags.length; at++) {
		const tag = tags[at];
		if (!tag || tag.start < from) continue;
		kept += text.slice(from, tag.start);
		from = tag.end;
		const end = endOf(tags, at);
		if (end && !tag.isClosing && DROPPED_WITH_CONTENT.has(tag.name)) from = end.end;
		else if (end && !tag.isClosing && CODE_BLOCKS.has(tag.name)) {
			kept += toFence(tag.text, text.slice(tag.end, end.start));
			from = end.end;
		} else kept += shownOf(tag, data, text);
	}
	return kept + text.slice(from);
}

function toTag(match: RegExpMatchArray): Tag {
	const { liquid, hugo, value } = match.groups ?? {};
	const start = match.index ?? 0;
	const inside = (hugo ?? liquid ?? value ?? "")
		.trim()
		.replace(/^\/\*|\*\/$/g, "")
		.trim();
	const name = /^\/?\s*([\w./-]+)/.exec(inside)?.[1]?.toLowerCase() ?? "";
	const isOutput = value !== undefined && !/^\s*#|^\s*\//.test(value);
	const isEnd = /^\//.test(inside) || (liquid !== undefined && /^end\w/.test(name));
	return {
		start,
		end: start + match[0].length,
		name: liquid === undefined ? name : name.replace(/^end_?(?=\w)/, ""),
		isClosing: isEnd,
		text: inside
			.replace(/^\/?\s*[\w./-]+/, "")
			.replace(/\/$/, "")
			.trim(),
		isOutput: isOutput && hugo === undefined && liquid === undefined,
	};
}

/** Where an opening tag is closed; undefined for one that is not. */
function endOf(tags: readonly Tag[], at: number): Tag | undefined {
	const { name } = tags[at] ?? {};
	let depth = 0;
	for (const tag of tags.slice(at, at + 400)) {
		if (tag.name !== name || tag.isOutput) continue;
		depth += tag.isClosing ? -1 : 1;
		if (depth === 0) return tag;
	}
	return undefined;
}

function toFence(language: string, code: string): string {
	const [word = ""] = language.split(/\s/, 1);
	const name = word.replace(/[^\w+#-]/g, "");
	return ["\n\n```", name, "\n", code.replace(/^\s*\n|\s+$/g, ""), "\n```\n\n"].join("");
}

function shownOf(tag: Tag, data: FrontMatter, text: string): string {
	if (tag.isClosing) return "";
	if (tag.isOutput) return outputOf(tag, data);
	// Sites name their own tags; in a link they all stand for an address.
	const isAddress = ADDRESS_TAGS.has(tag.name) || text.charAt(tag.start - 1) === "(";
	if (isAddress) return addressOf(tag, text);
	if (tag.name === "param") return textOf(data[unquoted(tag.text)]) ?? "";
	const attributes = attributesOf(tag.text);
	const seen = SEEN_ATTRIBUTES.map((name) => attributes.get(name)).find((value) => value);
	const shown = seen ?? (TITLED_TAGS.has(tag.name) ? quotedIn(tag.text) : undefined);
	if (shown === undefined || /^[a-z]+$/.test(shown) || /[{}]/.test(shown)) return "";
	return isAlone(tag, text) ? `\n\n**${shown}**\n\n` : shown;
}

/** `{{ page.title }}` where the document says it; a literal stands for itself. */
function outputOf({ text: rest, name }: Tag, data: FrontMatter): string {
	const own = /^\$?(?:page|frontmatter|fm|params?)\.([\w-]+)$/.exec(name);
	if (own?.[1] !== undefined) return textOf(data[own[1]]) ?? "";
	const literal = /^(?:"([^"{}]*)"|'([^'{}]*)')/.exec(`${name}${rest}`.trim());
	return literal?.[1] ?? literal?.[2] ?? "";
}

/** An address inside a link; elsewhere it would be no word of the text. */
function addressOf({ name, text: written, start }: Tag, text: string): string {
	const isInLink = /[("'<]\s*$/.test(text.slice(Math.max(0, start - 4), start));
	if (!isInLink) return "";
	const address = unquoted(written).split(/\s/, 1)[0] ?? "";
	return name === "post_url" ? `/_posts/${address}.md` : name === "link" ? `/${address}` : address;
}

function attributesOf(text: string): ReadonlyMap<string, string> {
	const pairs = text.matchAll(
		/([\w-]+)\s*=\s*(?:"([^"]{0,500})"|'([^']{0,500})'|`([^`]{0,500})`)/g,
	);
	return new Map([...pairs].map(([, key = "", a, b, c]) => [key.toLowerCase(), a ?? b ?? c ?? ""]));
}

function quotedIn(text: string): string | undefined {
	const quoted = /^(?:"([^"]{1,200})"|'([^']{1,200})'|`([^`]{1,200})`)/.exec(text);
	return quoted?.[1] ?? quoted?.[2] ?? quoted?.[3];
}

function unquoted(text: string): string {
	return (quotedIn(text) ?? text).trim();
}

function isAlone({ start, end }: Tag, text: string): boolean {
	const before = text.lastIndexOf("\n", start - 1) + 1;
	const after = text.indexOf("\n", end);
	return (
		text.slice(before, start).trim() === "" &&
		text.slice(end, after < 0 ? text.length : after).trim() === ""
	);
}
