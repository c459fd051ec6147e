import {
	withoutBlockDialects,
	withoutGaps,
	withoutHtmlGaps,
	withoutModuleLines,
} from "./block-dialects.js";
import { withCompanions } from "./companions.js";
import { type DocumentDates, readDates } from "./document-dates.js";
import { reasonAgainstPart } from "./document-formats.js";
import { type FrontMatter, isMapping, parseMarkdown, textOf, textsOf } from "./front-matter.js";
import { firstHeading, firstParagraph, isWebAddress, toSections } from "./markdown.js";
import { readNotebook } from "./notebook.js";
import { mayHaveRemarks, withoutRemarks } from "./remarks.js";
import { cleanLine, cleanText } from "./served-text.js";
import { type LinkedSource, noteSources } from "./source-notes.js";
import { mayHaveTags, withoutTemplateTags } from "./template-tags.js";
import { applyEdits } from "./text-edits.js";
import { decodeText } from "./text-encoding.js";
import { toReadableName } from "./title-choice.js";
import { expiryOf, reasonToWithhold, reasonToWithholdBelow } from "./withheld.js";

/** One document of somebody else, read without the others. */
export interface ForeignDocument {
	readonly path: string;
	readonly data: FrontMatter;
	/** Markdown as its author wrote it, without what only the site's generator understands. */
	readonly body: string;
	readonly givenTitle: string | undefined;
	readonly heading: string | undefined;
	/** What front matter says of it. */
	readonly givenDescription: string | undefined;
	readonly dates: DocumentDates;
	/** What it calls itself. */
	readonly names: readonly string[];
	/** What it links to elsewhere; footnotes in the body say where. */
	readonly sources: readonly LinkedSource[];
	/** `YYYY-MM-DD` from which on it is not to be sold. */
	readonly expires: string | undefined;
	/** Why no document below its folder may be sold, when it says so. */
	readonly withheldBelow: string | undefined;
}

/** Why a file becomes no document; "private" when its owner does not mean it for others. */
export interface Refusal {
	readonly reason: string;
	readonly kind: "private" | "unreadable" | "other";
	readonly withheldBelow?: string | undefined;
	/** What a private document calls itself. */
	readonly names?: readonly string[] | undefined;
}

export interface ReadingOptions {
	/** `YYYY-MM-DD`; without it nothing is withheld for being early or late. */
	readonly today?: string | undefined;
	/** "heading", "file", or the front-matter key that titles come from; the usual order without it. */
	readonly titleFrom?: string | undefined;
}

export type DocumentReader = Awaited<ReturnType<typeof createDocumentReader>>;

/** Parsers are loaded for imports alone: a server that sells needs none of them. */
export async function createDocumentReader(options: ReadingOptions = {}) {
	const [html, mdx, tree, cuts] = await Promise.all([
		import("./html-text.js"),
		import("./mdx-text.js"),
		import("./markdown-tree.js"),
		import("./heading-cuts.js"),
	]);
	const parsers: Parsers = {
		readPage: html.readPage,
		decodeEntities: html.decodeEntities,
		mdxToMarkdown: mdx.mdxToMarkdown,
		parseTree: tree.parseTree,
		codeFinder: tree.codeFinder,
		htmlEdits: tree.htmlEdits,
		readers: { toMarkdown: html.htmlToMarkdown, isElement: html.isHtmlElement },
	};
	return {
		cutAtHeadings: cuts.cutAtHeadings,
		/** Never throws: what cannot be read is a refusal. */
		read(
			path: string,
			bytes: Uint8Array,
			{ beside = {}, site = {} }: Partial<Surroundings> = {},
		): ForeignDocument | Refusal {
			try {
				return readFile(path, bytes, { options, parsers, beside, site });
			} catch (error) {
				// Elements inside one another without end.
				if (!(error instanceof RangeError)) throw error;
				return { reason: "Its text is nested too deeply to be read.", kind: "unreadable" };
			}
		},
	};
}

interface Surroundings {
	/** Front matter that lies beside the document. */
	readonly beside: FrontMatter;
	/** What its text may name as `{{ site.key }}`. */
	readonly site: FrontMatter;
}

interface Context extends Surroundings {
	readonly options: ReadingOptions;
	readonly parsers: Parsers;
}

function readFile(path: string, bytes: Uint8Array, context: Context): ForeignDocument | Refusal {
	const part = reasonAgainstPart(path);
	if (part !== undefined) return { reason: part, kind: "other" };
	const text = decodeText(bytes);
	const written = text === undefined ? undefined : readWritten(path, text, context.parsers);
	if (typeof written === "object") {
		const data = withCompanions(written.data, context.beside);
		return readDocument(path, { ...written, data }, context);
	}
	const withheldBelow = cascadeIn(path, bytes, context.options.today);
	if (written === undefined)
		return { reason: "The file is not text.", kind: "unreadable", withheldBelow };
	return { reason: written, kind: "other", withheldBelow };
}

/** Files that speak for their folder, whatever language and format they are in. */
const SECTION =
	/(?:^|\/)_index(?:\.[\w-]+)*\.(?:md|markdown|mdx|html?|adoc|asciidoc|org|rst|pandoc)$/i;

export function isSection(path: string): boolean {
	return SECTION.test(path);
}

/** Why nothing below the folder of a section may be sold; undefined where it says nothing of the kind. */
export function cascadeOf(
	path: string,
	bytes: Uint8Array | undefined,
	today: string | undefined,
): string | undefined {
	const text = bytes && decodeText(bytes);
	const { data, problem } = text === undefined ? UNREAD : parseMarkdown(text);
	if (problem === undefined) return reasonToWithholdBelow(data, today);
	return `"${path}" speaks for its folder. ${problem}`;
}

const UNREAD = { data: {}, problem: "It cannot be read." };

function cascadeIn(path: string, bytes: Uint8Array, today: string | undefined) {
	return isSection(path) ? cascadeOf(path, bytes, today) : undefined;
}

interface Parsers {
	readonly readPage: typeof import("./html-text.js").readPage;
	readonly decodeEntities: typeof import("./html-text.js").decodeEntities;
	readonly mdxToMarkdown: typeof import("./mdx-text.js").mdxToMarkdown;
	readonly parseTree: typeof import("./markdown-tree.js").parseTree;
	readonly codeFinder: typeof import("./markdown-tree.js").codeFinder;
	readonly htmlEdits: typeof import("./markdown-tree.js").htmlEdits;
	readonly readers: Parameters<typeof import("./markdown-tree.js").htmlEdits>[2];
}

interface Written {
	readonly data: FrontMatter;
	readonly body: string;
}

/** Front matter and text of a file of any kind, or why it has none. */
function readWritten(path: string, text: string, { readPage }: Parsers): Written | string {
	const isNotebook = /\.ipynb$/i.test(path);
	const written = isNotebook ? readNotebook(text) : parseMarkdown(text);
	if (!written) return "The file is no Jupyter notebook.";
	const { data, body, problem } = written;
	if (problem !== undefined) return problem;
	if (!/\.html?$/i.test(path)) return { data, body };
	if (!/<html|<!doctype/i.test(body.slice(0, 2_000)) || mayHaveTags(body)) {
		return "The file is a piece of a page, or a template.";
	}
	const page = readPage(body);
	return { data: { ...(page.title && { title: page.title }), ...data }, body: page.body };
}

function readDocument(
	path: string,
	{ data, body }: Written,
	{ options, parsers, site }: Context,
): ForeignDocument | Refusal {
	const withheldBelow = /(?:^|\/)_?index(?:\.[\w-]+)*$/i.test(path)
		? reasonToWithholdBelow(data, options.today)
		: undefined;
	const reason = reasonToWithhold(path, data, options.today);
	const names = [...namesIn(data), firstHeading(body) ?? ""];
	if (reason !== undefined) return { reason, kind: "private", withheldBelow, names };
	const plain = toPlainMarkdown(path, { data: { ...data, site }, body }, parsers);
	const givenDescription = descriptionIn(data);
	if (plain === "" && givenDescription === undefined && textOf(data["title"]) === undefined) {
		return { reason: "The file is empty.", kind: "other", withheldBelow };
	}
	const tree = parsers.parseTree(plain);
	const { text, sources } = noteSources(plain, tree, isWebAddress);
	const titles = titlesOf(path, data, plain, options.titleFrom);
	const decoded = (line: string | undefined) => line && cleanLine(parsers.decodeEntities(line));
	return {
		path,
		data,
		body: text,
		givenTitle: decoded(titles.givenTitle),
		heading: decoded(titles.heading),
		givenDescription: decoded(givenDescription),
		expires: expiryOf(data),
		names,
		dates: readDates(path, data, plain),
		sources,
		withheldBelow,
	};
}

/** What a reader of the built page sees, as Markdown. */
function toPlainMarkdown(path: string, { data, body }: Written, parsers: Parsers): string {
	const lines = body.replaceAll("\r\n", "\n");
	const isCode = mayHaveRemarks(lines) ? parsers.codeFinder(lines) : undefined;
	const read = isCode ? withoutRemarks(lines, (place) => isCode(place, false)) : lines;
	const asMdx = /\.mdx$/i.test(path) || looksLikeMdx(read);
	const shown = asMdx ? parsers.mdxToMarkdown(withoutTags(read, data, parsers)) : undefined;
	const blocks = withoutBlockDialects(shown ?? (asMdx ? withoutModuleLines(read) : read));
	const text = withoutHtmlGaps(cleanText(withoutTags(blocks, data, parsers)).trim());
	const edits = /<[a-z/]/i.test(text)
		? parsers.htmlEdits(text, parsers.parseTree(text), parsers.readers)
		: [];
	const whole = edits.length === 0 ? text : cleanText(applyEdits(text, edits)).trim();
	return whole.length === body.trim().length ? whole : withoutGaps(whole);
}

/** A site's own components in what is called Markdown. */
function looksLikeMdx(body: string): boolean {
	return /^import\s.{1,200}\sfrom\s+["']/m.test(body) && /^[ \t]*<[A-Z]/m.test(body);
}

function withoutTags(text: string, data: FrontMatter, { codeFinder }: Parsers): string {
	if (!mayHaveTags(text)) return text;
	return withoutTemplateTags(text, data, codeFinder(text));
}

function titlesOf(
	path: string,
	data: FrontMatter,
	body: string,
	titleFrom: string | undefined,
): Pick<ForeignDocument, "givenTitle" | "heading"> {
	const first = toSections(body).find(({ heading }) => heading)?.heading;
	const own = textOf(data["title"]);
	const wanted = titleFrom === undefined ? own : titleBy(titleFrom, { path, data, heading: first });
	return { givenTitle: wanted ?? own, heading: headingOf(body) };
}

/** Titles and aliases that front matter gives a document. */
export function namesIn(data: FrontMatter): readonly string[] {
	const keys = ["title", "aliases", "alias", "sidebar_label", "linkTitle"];
	return keys.flatMap((key) => (key === "title" ? (textOf(data[key]) ?? []) : textsOf(data[key])));
}

function titleBy(
	titleFrom: string,
	{ path, data, heading }: { path: string; data: FrontMatter; heading: string | undefined },
): string | undefined {
	if (titleFrom === "heading") return heading;
	return titleFrom === "file" ? toReadableName(path) : textOf(data[titleFrom]);
}

/** The first heading, unless it is one of several of a lower level, or of several behind text: those name parts. */
function headingOf(body: string): string | undefined {
	const sections = toSections(body);
	const at = sections.findIndex(({ heading }) => heading);
	const first = sections[at];
	const isPart = first?.level !== 1 || sections.slice(0, at).some(({ lines }) => hasProse(lines));
	if (!first || (isPart && sections.slice(at + 1).some(({ level }) => level <= first.level)))
		return undefined;
	return first.heading;
}

function hasProse(lines: readonly string[]): boolean {
	return firstParagraph(lines.join("\n")) !== undefined;
}

const SUMMARY_SECTIONS = ["simple summary", "abstract", "tl;dr", "summary", "overview"];
const DESCRIPTIONS = [
	"description",
	"summary",
	"abstract",
	"excerpt",
	"deck",
	"subtitle",
	"lead",
	"tagline",
];

function descriptionIn(data: FrontMatter): string | undefined {
	const params = isMapping(data["params"]) ? data["params"] : {};
	return (
		DESCRIPTIONS.map((key) => textOf(data[key])).find((text) => text !== undefined) ??
		textOf(params["description"])
	);
}

/** The first real paragraph, preferring sections that exist to summarize. */
export function describeBody(body: string): string {
	return firstParagraph(body, SUMMARY_SECTIONS) ?? "";
}
