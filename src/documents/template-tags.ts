import { type FrontMatter, isMapping, textOf } from "./front-matter.js";
import { toReadableName } from "./title-choice.js";

/**
 * Where tags of template languages begin that sites are built with: Liquid and Jinja (`{% … %}`, `{{ … }}`), Hugo
 * (`{{< … >}}`, `{{% … %}}`) and Templater (`<% … %>`).
 */
const OPENING = /\{%[-+]?|\{\{[<%]|(?<![\\\w^_}])\$?\{\{|<%/g;
/** Right behind a tag no formula goes on. */
const NEXT_OUTPUT = /\$?\{\{(?![<%])/y;
const OUTPUT = /\$?\{\{([^{}]{0,500})\}\}\}?/y;
/** What is longer is no tag. */
const TAG_CHARS = 4_000;

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
	"text",
];
/** Attributes that lead to another page. */
const LINK_ATTRIBUTES = ["href", "link", "url"];
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
	return /\{\{|\{%|<%/.test(text);
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
	const tags = findTags(text).filter((tag) => !isCode(tag.start, tag.isOutput));
	const ends = pairTags(tags);
	let kept = "";
	let from = 0;
	for (let at = 0; at < tags.length; at++) {
		const tag = tags[at];
		if (!tag || tag.start < from) continue;
		kept += text.slice(from, tag.start);
		from = tag.end;
		const end = tag.isClosing ? undefined : ends.get(tag);
		const whole = end && shownWhole(tag, text.slice(tag.end, end.start), text);
		kept += whole ?? shownOf(tag, data, text);
		if (end && whole !== undefined) from = end.end;
	}
	return kept + text.slice(from);
}

/** Every tag in reading order. No part of the text is searched twice for the end of one kind. */
function findTags(text: string): readonly Tag[] {
	const tags: Tag[] = [];
	const seek = createSeeker(text);
	let opening: RegExpExecArray | null;
	OPENING.lastIndex = 0;
	for (;;) {
		NEXT_OUTPUT.lastIndex = OPENING.lastIndex;
		opening =
			(tags.at(-1)?.end === OPENING.lastIndex && NEXT_OUTPUT.exec(text)) || OPENING.exec(text);
		if (!opening) return tags;
		const tag = readTag(text, opening, seek);
		if (tag) tags.push(tag);
		// `{{%` that is not closed as such may hold `{%`.
		OPENING.lastIndex = tag ? tag.end : opening.index + 1;
	}
}

function readTag(
	text: string,
	{ index: start, 0: mark }: RegExpExecArray,
	seek: (ending: string, from: number) => number,
): Tag | undefined {
	const from = start + mark.length;
	const insideUpTo = (endings: readonly string[]) => {
		const places = endings.map((ending) => seek(ending, from)).filter((place) => place >= 0);
		const place = Math.min(...places);
		return place - from <= TAG_CHARS ? place : undefined;
	};
	if (mark.startsWith("{%")) {
		const place = insideUpTo(["%}"]);
		if (place === undefined) return undefined;
		const liquid = text.slice(from, place).replace(/[-+]$/, "");
		return toTag({ start, end: place + 2, liquid });
	}
	if (mark === "<%") {
		const place = insideUpTo(["%>"]);
		return place === undefined ? undefined : toTag({ start, end: place + 2 });
	}
	const place = /[<%]$/.test(mark) ? insideUpTo([">}}", "%}}"]) : undefined;
	if (place !== undefined) return toTag({ start, end: place + 3, hugo: text.slice(from, place) });
	OUTPUT.lastIndex = start;
	const output = OUTPUT.exec(text);
	return output ? toTag({ start, end: OUTPUT.lastIndex, value: output[1] ?? "" }) : undefined;
}

/** The next place of an ending; asked in reading order. */
function createSeeker(text: string): (ending: string, from: number) => number {
	const known = new Map<string, number>();
	return (ending, from) => {
		const before = known.get(ending) ?? 0;
		if (before < 0 || (before >= from && known.has(ending))) return before;
		const place = text.indexOf(ending, from);
		known.set(ending, place);
		return place;
	};
}

interface FoundTag {
	readonly start: number;
	readonly end: number;
	readonly liquid?: string;
	readonly hugo?: string;
	readonly value?: string;
}

function toTag({ start, end, liquid, hugo, value }: FoundTag): Tag {
	const inside = (hugo ?? liquid ?? value ?? "")
		.trim()
		.replace(/^\/\*|\*\/$/g, "")
		.trim();
	const name = /^\/?\s*([\w./-]+)/.exec(inside)?.[1]?.toLowerCase() ?? "";
	const isEnd = /^\//.test(inside) || (liquid !== undefined && /^end\w/.test(name));
	return {
		start,
		end,
		name: liquid === undefined ? name : name.replace(/^end_?(?=\w)/, ""),
		isClosing: isEnd,
		text: inside
			.replace(/^\/?\s*[\w./-]+/, "")
			.replace(/\/$/, "")
			.trim(),
		isOutput: value !== undefined && !/^\s*#|^\s*\//.test(value),
	};
}

/** Where opening tags are closed, of those that are. */
function pairTags(tags: readonly Tag[]): ReadonlyMap<Tag, Tag> {
	const open = new Map<string, Tag[]>();
	const ends = new Map<Tag, Tag>();
	for (const tag of tags) {
		if (tag.isOutput) continue;
		const waiting = open.get(tag.name) ?? [];
		open.set(tag.name, waiting);
		if (!tag.isClosing) waiting.push(tag);
		else {
			const start = waiting.pop();
			if (start) ends.set(start, tag);
		}
	}
	return ends;
}

const RAW_MARKS = /\{%-?\s{0,20}(?:end)?raw\s{0,20}-?%\}[ \t]*\n?/g;

/** What a tag and all up to its end become together; undefined where each is read for itself. */
function shownWhole({ name, text: rest, start }: Tag, content: string, text: string) {
	if (DROPPED_WITH_CONTENT.has(name)) return "";
	if (CODE_BLOCKS.has(name)) return toFence(rest, content);
	// `<code>{% raw %}{{ name }}{% endraw %}</code>`: a tag that is written about.
	const isCode = name === "raw" && /<code>\s*$/i.test(text.slice(Math.max(0, start - 20), start));
	return isCode ? content : undefined;
}

function toFence(language: string, code: string): string {
	const [word = ""] = language.split(/\s/, 1);
	const name = word.replace(/[^\w+#-]/g, "");
	return [
		"\n\n```",
		name,
		"\n",
		code.replace(RAW_MARKS, "").replace(/^\s*\n|\s+$/g, ""),
		"\n```\n\n",
	].join("");
}

function shownOf(tag: Tag, data: FrontMatter, text: string): string {
	if (tag.isClosing) return "";
	if (tag.isOutput) return outputOf(tag, data);
	// Sites name their own tags; in a link they all stand for an address.
	const isAddress = ADDRESS_TAGS.has(tag.name) || text.charAt(tag.start - 1) === "(";
	if (isAddress) return addressOf(tag, text);
	if (tag.name === "param") return textOf(data[unquoted(tag.text)]) ?? "";
	const attributes = attributesOf(tag.text);
	const words = wordsOf(tag, attributes);
	const link = linkOf(attributes, words);
	if (!isAlone(tag, text)) return link ?? words ?? "";
	const shown = link ?? (words && `**${words}**`);
	return shown === undefined ? "" : `\n\n${shown}\n\n`;
}

function wordsOf({ name, text }: Tag, attributes: ReadonlyMap<string, string>) {
	const seen = SEEN_ATTRIBUTES.map((key) => attributes.get(key)).find((value) => value);
	const words = seen ?? (TITLED_TAGS.has(name) ? quotedIn(text) : undefined);
	return words === undefined || /^[a-z]+$|[{}]/.test(words) ? undefined : words;
}

/** `{{< button href="/start" text="Begin" >}}` is a link; where it has no text, a page of the same site names itself. */
function linkOf(attributes: ReadonlyMap<string, string>, shown: string | undefined) {
	const address = LINK_ATTRIBUTES.map((name) => attributes.get(name)).find((value) => value);
	if (address === undefined || !/^(?:https?:\/\/|\.{0,2}\/)[^\s<>(){}]+$/.test(address))
		return undefined;
	const label =
		shown ?? (/^http/.test(address) ? undefined : toReadableName(address.replace(/\/+$/, "")));
	return label && `[${label.replace(/[[\]]/g, "")}](${address})`;
}

/** `{{ page.title }}` where the document says it, `{{ site.title }}` where its site does; a literal stands for itself. */
function outputOf({ text: rest, name }: Tag, data: FrontMatter): string {
	const own = /^\$?(?:page|frontmatter|fm|params?)\.([\w-]+)$/.exec(name);
	if (own?.[1] !== undefined) return textOf(data[own[1]]) ?? "";
	const ofSite = /^site\.([\w-]+)$/.exec(name)?.[1];
	if (ofSite !== undefined)
		return isMapping(data["site"]) ? (textOf(data["site"][ofSite]) ?? "") : "";
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
		/(?<![\w-])([\w-]{1,100})\s{0,20}=\s{0,20}(?:"([^"]{0,500})"|'([^']{0,500})'|`([^`]{0,500})`)/g,
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
