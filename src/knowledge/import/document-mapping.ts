import {
	describeBody,
	type ForeignDocument,
	type FrontMatter,
	isIdentifier,
	isWebAddress,
	leadingNumber,
	parseSourceDate,
	textOf,
	textsOf,
	truncateText,
	withoutCode,
} from "../../documents/documents.js";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.js";
import { encodePath, type RelationEntry, toConceptFile } from "../bundle/bundle-writer.js";
import { readEvidence } from "../bundle/concept-reader.js";
import type { Concept } from "../model/graph.js";
import { type SourceEntry, toSourceEntry } from "../model/source-entry.js";
import { pathWithoutExtension, stemOf } from "./bundle-paths.js";
import { type ImportSpace, type LinkPlace, toNameKey } from "./document-names.js";
import { hasWikiLink, readRelations, rewriteLinks, withRelatedLinks } from "./import-links.js";
import type { ImportDocument, ImportOptions, MappedDocument } from "./import-options.js";
import { withoutWithheldLinks, withoutWithheldValues } from "./withheld-names.js";

export interface Mapping {
	readonly options: ImportOptions;
	readonly space: ImportSpace;
	readonly isVault: boolean;
}

/** The file a placed document becomes, and what it was made with. */
export function mapDocument(
	document: ImportDocument,
	{ options, space: whole, isVault }: Mapping,
): MappedDocument & { readonly text: string } {
	const { path, title, aliases, address } = document;
	const asked = new Set<string>();
	const space = watchSpace(whole, asked);
	const bundlePath = whole.bundlePaths.get(path) ?? path;
	const { relations, unresolved } = readRelations(document, options.edgeKeys ?? [], space);
	return {
		path,
		title,
		givenTitle: document.givenTitle,
		heading: document.heading,
		expires: document.expires,
		aliases,
		address,
		bundlePath,
		text: toText(document, relations, { options, space, bundlePath, isVault }),
		asked: [...asked],
		hasWikiLink: hasWikiLink(document.body, placeOf(document), space),
		unresolved: unresolved.map((one) => ({ file: path, ...one })),
	};
}

/** Notes every name and path that is asked for. */
function watchSpace(
	{ names, bundlePaths, titles, withheld }: ImportSpace,
	asked: Set<string>,
): ImportSpace {
	const watch = <T>(key: string, found: T): T => {
		asked.add(key);
		return found;
	};
	return {
		names: { find: (name) => watch(toNameKey(name), names.find(name)) },
		bundlePaths: { get: (path) => watch(`/${path}`, bundlePaths.get(path)) },
		titles: { get: (path) => watch(`/${path}`, titles.get(path)) },
		withheld,
	};
}

/** Where links of a document stand, and what they are relative to. */
export function placeOf({ path, linkBase }: ImportDocument): LinkPlace {
	return { path, base: linkBase ?? path };
}

function toText(
	document: ImportDocument,
	relations: readonly RelationEntry[],
	{ options, space, bundlePath, isVault }: Mapping & { readonly bundlePath: string },
): string {
	const { data, title } = document;
	const place = placeOf(document);
	const body = rewriteLinks(document.body, place, space);
	const given = document.givenDescription;
	return toConceptFile({
		type: textOf(data["type"]) ?? "Concept",
		title,
		description: truncateText(
			given === undefined ? describeBody(body) : withoutWithheldLinks(given, place, space),
			600,
		),
		tags: tagsOf(document, isVault),
		aliases: document.aliases,
		sources: sourcesOf(document, options, bundlePath),
		relations,
		...(document.date !== undefined && { generated: { at: document.date } }),
		...keptOf(document, space),
		status: statusOf(document),
		extra: extraOf(document, options, space),
		body: withRelatedLinks(body, relations, bundlePath, space),
	});
}

/** Provenance keys that are the format's own already. */
function keptOf({ path, data, linkBase: base = path }: ImportDocument, space: ImportSpace): object {
	const kept = ["generated", "verified", "stale_after"].flatMap((key) => {
		const value = withoutWithheldValues(data[key], { path, base }, space);
		return value === undefined ? [] : [[key, value] as const];
	});
	return Object.fromEntries(kept);
}

/** Keys that become keys of the format, and therefore are not kept a second time. */
const MAPPED_KEYS = new Set(
	"type title description tags tag aliases alias sources relations generated verified status stale_after".split(
		" ",
	),
);

const INLINE_TAG = /(?<=^|\s)#(\p{L}[\p{L}\p{N}_/-]{1,40})(?=$|[\s.,;:!?])/gu;

const DRAFTS = new Set(["draft", "proposed", "provisional", "review", "last call"]);
const DEPRECATIONS = new Set(
	"deprecated obsolete superseded replaced withdrawn rejected moved archived".split(" "),
);

/** The document under the title it gets among the others. */
export function nameDocument(
	document: ForeignDocument,
	title: string,
	options: ImportOptions,
): ImportDocument {
	const { path, data } = document;
	const stem = stemOf(path);
	const number = leadingNumber(stem);
	const aliases = [
		...textsOf(data["aliases"]).filter((alias) => !alias.includes("/")),
		...textsOf(data["alias"]),
		...(isIdentifier(stem) ? [stem.toUpperCase()] : []),
		...(number === undefined ? [] : [number]),
		...numberedIdentifiers(data, stem),
	].filter((alias) => alias !== title);
	return {
		...document,
		title,
		aliases: distinctNames(aliases),
		date: dateOf(document, options),
		address: addressOf(document, options),
	};
}

/** Where a document is published: what the owner says of all, else what it says itself. */
function addressOf(
	{ path, data }: Pick<ForeignDocument, "path" | "data">,
	{ sourceUrl }: ImportOptions,
) {
	if (sourceUrl === undefined) {
		return ["resource", "source", "url", "permalink", "canonical"]
			.map((key) => textOf(data[key]))
			.find((text) => text !== undefined && isWebAddress(text));
	}
	return sourceUrl.replace(/\{(stem|path)\}/g, (_, key: string) =>
		encodeURI(key === "stem" ? stemOf(path) : pathWithoutExtension(path)),
	);
}

/** What the document says, else what the history of its folder says. */
function dateOf({ path, dates }: ForeignDocument, { dateOf: historyOf }: ImportOptions) {
	const { written, changed } = dates;
	const found = changed ?? written;
	return found ? found.date.slice(0, CHARS[found.precision]) : historyOf?.get(path);
}

const CHARS = { year: 4, month: 7, day: 10 };

/** Tags of the front matter, and the `#tags` that notes of a vault have in their text; elsewhere those are anchors. */
function tagsOf({ data, body }: ImportDocument, isVault: boolean): readonly string[] {
	const given = [...textsOf(data["tags"]), ...textsOf(data["tag"])].map((tag) =>
		tag.replace(/^#/, ""),
	);
	const inText = isVault ? [...withoutCode(body).matchAll(INLINE_TAG)] : [];
	return [...new Set([...given, ...inText.map(([, tag = ""]) => tag)])];
}

function statusOf({ data }: ImportDocument): Concept["status"] {
	const status = textOf(data["status"])?.toLowerCase() ?? "";
	if (DRAFTS.has(status)) return "draft";
	return DEPRECATIONS.has(status) ? "deprecated" : "stable";
}

/**
 * Sources as written and as linked to, after the document itself: by the address at which it is published, else by its
 * place in the bundle, so that what no footnote attributes has a source, too.
 */
function sourcesOf(
	document: ImportDocument,
	options: ImportOptions,
	bundlePath: string,
): readonly SourceEntry[] {
	const { path, data, title, dates } = document;
	const { dateKey } = options;
	const address = addressOf(document, options);
	const given = readEvidence({ sources: data["sources"] }, "").evidence.map(toSourceEntry);
	const linked = document.sources.map(({ id, resource, title: label }) => ({
		id,
		resource,
		...(label !== undefined && { title: label }),
	}));
	const others = [...given, ...linked].filter(({ resource }) => resource !== address);
	if (address === undefined && linked.length === 0) return given;
	const dated =
		dateKey === undefined ? (dates.written ?? dates.changed) : parseSourceDate(data[dateKey]);
	const own = toSourceEntry({
		articleId: stemOf(path),
		sourceUrl: address ?? `/${encodePath(bundlePath)}`,
		title,
		publishedAt: dated?.date,
		datePrecision: dated?.precision,
	});
	return [own, ...others].slice(0, BUNDLE_LIMITS.sources);
}

/** Keys of the source that the format does not know, as they were, but for names of what is left out. */
function extraOf(
	{ path, data, linkBase: base = path }: ImportDocument,
	{ edgeKeys = [] }: ImportOptions,
	space: ImportSpace,
): FrontMatter {
	const extra = Object.entries(data).flatMap(([key, value]) => {
		if (MAPPED_KEYS.has(key)) return [];
		const place = { path, base, isEdge: edgeKeys.includes(key) };
		const kept = withoutWithheldValues(value, place, space);
		return kept === undefined ? [] : [[key, kept] as const];
	});
	// The format knows three; what the document itself says may be asked for: "accepted", "final".
	const status = textOf(data["status"]);
	const isOther = status !== undefined && !["draft", "stable", "deprecated"].includes(status);
	return Object.fromEntries(isOther ? [...extra, ["document_status", status]] : extra);
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
