import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { type SourceEntry, toSourceEntry } from "./concept-writer.js";
import { isWebAddress, readEvidence } from "./evidence-reader.js";
import { type FrontMatter, textOf, textsOf } from "./front-matter.js";
import type { Concept } from "./graph.js";
import type { ImportOptions } from "./import-options.js";
import { pathWithoutExtension, stemOf } from "./import-path.js";
import { firstHeading, firstParagraph, withoutCode } from "./markdown-prose.js";
import { truncateText } from "./served-text.js";
import { parseSourceDate } from "./source-date.js";

/** A document on its way into a bundle: read, named, not yet linked. */
export interface ImportDocument {
	/** Path in the source. */
	readonly path: string;
	readonly data: FrontMatter;
	readonly body: string;
	readonly title: string;
	readonly aliases: readonly string[];
}

const SUMMARY_SECTIONS = ["simple summary", "abstract", "tl;dr", "summary", "overview"];
/** Keys that become keys of the format, and therefore are not kept a second time. */
const MAPPED_KEYS = new Set([
	"type",
	"title",
	"description",
	"tags",
	"tag",
	"aliases",
	"alias",
	"sources",
	"relations",
	"generated",
	"verified",
	"status",
	"stale_after",
]);

const INLINE_TAG = /(?<=^|\s)#(\p{L}[\p{L}\p{N}_/-]{1,40})(?=$|[\s.,;:!?])/gu;

const STATUS_OF: ReadonlyMap<string, Concept["status"]> = new Map(
	Object.entries({
		draft: "draft",
		proposed: "draft",
		provisional: "draft",
		review: "draft",
		"last call": "draft",
		deprecated: "deprecated",
		obsolete: "deprecated",
		superseded: "deprecated",
		replaced: "deprecated",
		withdrawn: "deprecated",
		rejected: "deprecated",
		moved: "deprecated",
		archived: "deprecated",
	} as const),
);

export function nameDocument(path: string, data: FrontMatter, body: string): ImportDocument {
	const stem = stemOf(path);
	const title =
		textOf(data["title"]) ?? firstHeading(body) ?? (isIdentifier(stem) ? stem.toUpperCase() : stem);
	const aliases = [
		...textsOf(data["aliases"]),
		...textsOf(data["alias"]),
		...(isIdentifier(stem) ? [stem.toUpperCase()] : []),
		...numberedIdentifiers(data, stem),
	].filter((alias) => alias !== title);
	return { path, data, body, title, aliases: distinctNames(aliases) };
}

/** The description given, or the first real paragraph, preferring sections that exist to summarize. */
export function describeDocument({ data, body }: ImportDocument): string {
	const given = textOf(data["description"]) ?? textOf(data["summary"]) ?? textOf(data["abstract"]);
	return truncateText(given ?? firstParagraph(body, SUMMARY_SECTIONS) ?? "", 600);
}

/** Tags of the front matter, and the `#tags` that notes of a vault have in their text; elsewhere those are anchors. */
export function tagsOf({ data, body }: ImportDocument, isVault: boolean): readonly string[] {
	const given = [...textsOf(data["tags"]), ...textsOf(data["tag"])].map((tag) =>
		tag.replace(/^#/, ""),
	);
	const inText = isVault ? [...withoutCode(body).matchAll(INLINE_TAG)] : [];
	return [...new Set([...given, ...inText.map(([, tag = ""]) => tag)])];
}

export function statusOf({ data }: ImportDocument): Concept["status"] {
	return STATUS_OF.get(textOf(data["status"])?.toLowerCase() ?? "") ?? "stable";
}

/** Sources as written, after the address at which the document itself is published. */
export function sourcesOf(
	document: ImportDocument,
	{ sourceUrl, dateKey }: ImportOptions,
): readonly SourceEntry[] {
	const { path, data, title } = document;
	const stem = stemOf(path);
	const address =
		sourceUrl === undefined
			? ["resource", "source", "url", "permalink"]
					.map((key) => textOf(data[key]))
					.find((text) => text !== undefined && isWebAddress(text))
			: fillTemplate(sourceUrl, { stem, path: pathWithoutExtension(path) });
	const given = readEvidence({ sources: data["sources"] }, "").evidence.map(toSourceEntry);
	if (address === undefined) return given;
	const date = dateKey === undefined ? undefined : toWrittenDate(data[dateKey]);
	const own: SourceEntry = {
		id: stem,
		resource: address,
		title,
		...(date ? { last_modified: date } : {}),
	};
	const others = given.filter(({ resource }) => resource !== address);
	return [own, ...others].slice(0, BUNDLE_LIMITS.sources);
}

/** Keys of the source that the format does not know, as they were. */
export function extraOf({ data }: ImportDocument): FrontMatter {
	return Object.fromEntries(Object.entries(data).filter(([key]) => !MAPPED_KEYS.has(key)));
}

function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
	return template.replace(/\{(stem|path)\}/g, (_, key: string) => encodeURI(values[key] ?? ""));
}

function toWrittenDate(value: unknown): string | undefined {
	const parsed = parseSourceDate(value);
	return parsed?.date.slice(0, { year: 4, month: 7, day: 10 }[parsed.precision]);
}

/** `eip-1559`, `rfc9110`, `pep-0008`: a short word and a number. */
function isIdentifier(stem: string): boolean {
	return /^[a-z]{2,10}[-_ ]?\d+$/i.test(stem);
}

/** `eip: 1559` beside the stem `eip-1559` says that people call the document EIP-1559. */
function numberedIdentifiers(data: FrontMatter, stem: string): readonly string[] {
	const number = Number(/(?<!\d)\d{1,15}$/.exec(stem)?.[0]);
	return Object.entries(data)
		.filter(([key, value]) => /^[a-z]{2,10}$/i.test(key) && numberOf(value) === number)
		.map(([key]) => `${key.toUpperCase()}-${number}`);
}

/** Mappings and lists are no numbers, and some of them cannot even be asked. */
function numberOf(value: unknown): number | undefined {
	return typeof value === "number" || typeof value === "string" ? Number(value) : undefined;
}

function distinctNames(names: readonly string[]): readonly string[] {
	return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}
