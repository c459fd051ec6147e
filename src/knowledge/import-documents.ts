import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { createPathClaims, pathWithoutExtension, stemOf, toBundlePath } from "./bundle-paths.js";
import type { BundleFiles } from "./bundle-reader.js";
import {
	encodeFiles,
	type RelationEntry,
	type SourceEntry,
	toConceptFile,
	toSourceEntry,
} from "./bundle-writer.js";
import { isWebAddress, readEvidence, toConceptId } from "./concept-reader.js";
import {
	type FrontMatter,
	parseMarkdown,
	parseSourceDate,
	textOf,
	textsOf,
} from "./front-matter.js";
import type { Concept } from "./graph.js";
import {
	createDocumentNames,
	hasWikiLink,
	type ImportSpace,
	readRelations,
	rewriteLinks,
	toNameKey,
	withRelatedLinks,
} from "./import-links.js";
import type { ImportOptions, MappedDocument, SkippedFile } from "./import-options.js";
import { firstHeading, firstParagraph, withoutCode } from "./markdown.js";
import { cleanText, truncateText } from "./served-text.js";
import type { Steps } from "./work-in-turns.js";

/** Concept files made from plain documents, and what became of the rest. */
export interface DocumentImport {
	readonly files: BundleFiles;
	readonly skipped: readonly SkippedFile[];
	readonly documents: readonly MappedDocument[];
	readonly displaced: number;
}

/** Maps Markdown documents with any front matter, or none, to concepts. The whole body of each is kept. */
export function* importDocuments(
	files: BundleFiles,
	options: ImportOptions,
): Steps<DocumentImport> {
	const skipped: SkippedFile[] = [];
	const documents = yield* readDocuments(files, skipped);
	const skippedBefore = skipped.length;
	const bundlePaths = placeDocuments(documents, skipped);
	const displaced = skipped.length - skippedBefore;
	const placed = documents.filter(({ path }) => bundlePaths.has(path));
	const space: ImportSpace = {
		names: createDocumentNames(placed),
		bundlePaths,
		titles: new Map(placed.map(({ path, title }) => [bundlePaths.get(path) ?? path, title])),
	};
	const isVault = yield* looksLikeVault(placed, space);
	const texts = new Map<string, string>();
	const mapped: MappedDocument[] = [];
	for (const document of placed) {
		const { text, ...rest } = mapDocument(document, { options, space, isVault });
		texts.set(rest.bundlePath, text);
		mapped.push(rest);
		yield;
	}
	return { files: encodeFiles(texts), skipped, documents: mapped, displaced };
}

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
	const { path, title, aliases } = document;
	const asked = new Set<string>();
	const space = watchSpace(whole, asked);
	const bundlePath = whole.bundlePaths.get(path) ?? path;
	const { relations, unresolved } = readRelations(document, options.edgeKeys ?? [], space);
	return {
		path,
		title,
		aliases,
		bundlePath,
		text: toText(document, relations, { options, space, bundlePath, isVault }),
		asked: [...asked],
		hasWikiLink: hasWikiLink(document.body, space),
		unresolved: unresolved.map((one) => ({ file: path, ...one })),
	};
}

/** Notes every name and path that is asked for. */
function watchSpace({ names, bundlePaths, titles }: ImportSpace, asked: Set<string>): ImportSpace {
	const watch = <T>(key: string, found: T): T => {
		asked.add(key);
		return found;
	};
	return {
		names: { find: (name) => watch(toNameKey(name), names.find(name)) },
		bundlePaths: { get: (path) => watch(`/${path}`, bundlePaths.get(path)) },
		titles: { get: (path) => watch(`/${path}`, titles.get(path)) },
	};
}

function* readDocuments(
	files: BundleFiles,
	skipped: SkippedFile[],
): Steps<readonly ImportDocument[]> {
	const documents: ImportDocument[] = [];
	for (const [path, bytes] of files) {
		const document = readImportDocument(path, bytes);
		if (typeof document === "string") skipped.push({ file: path, reason: document });
		else documents.push(document);
		yield;
	}
	return documents;
}

export function readImportDocument(path: string, bytes: Uint8Array): ImportDocument | string {
	const { data, body, problem } = parseMarkdown(new TextDecoder().decode(bytes));
	return problem ?? nameDocument(path, data, cleanText(body).trim());
}

function* looksLikeVault(documents: readonly ImportDocument[], space: ImportSpace): Steps<boolean> {
	for (const { body } of documents) {
		if (hasWikiLink(body, space)) return true;
		yield;
	}
	return false;
}

/** Why a document is left out whose name holds nothing an id can be made of. */
export const NO_ID = "No concept id can be made of the file's name.";

/** Bundle path by source path; of two documents that would get one id, the first in path order does. */
function placeDocuments(
	documents: readonly ImportDocument[],
	skipped: SkippedFile[],
): ReadonlyMap<string, string> {
	const bundlePaths = new Map<string, string>();
	const takenBy = new Map<string, string>();
	const claim = createPathClaims();
	const claimOf = (bundlePath: string) => (bundlePath === "" ? NO_ID : claim(bundlePath));
	for (const { path } of documents) {
		const bundlePath = toBundlePath(path);
		const id = toConceptId(bundlePath);
		const first = takenBy.get(id);
		const isTaken = bundlePath !== "" && first !== undefined;
		const reason = isTaken ? `The id "${id}" already belongs to "${first}".` : claimOf(bundlePath);
		if (reason !== undefined) skipped.push({ file: path, reason });
		else {
			takenBy.set(id, path);
			bundlePaths.set(path, bundlePath);
		}
	}
	return bundlePaths;
}

function toText(
	document: ImportDocument,
	relations: readonly RelationEntry[],
	{ options, space, bundlePath, isVault }: Mapping & { readonly bundlePath: string },
): string {
	const { path, data, title } = document;
	const body = rewriteLinks(document.body, path, space);
	return toConceptFile({
		type: textOf(data["type"]) ?? "Concept",
		title,
		description: describeDocument(document),
		tags: tagsOf(document, isVault),
		aliases: document.aliases,
		sources: sourcesOf(document, options),
		relations,
		...keptOf(document),
		status: statusOf(document),
		extra: extraOf(document),
		body: withRelatedLinks(body, relations, bundlePath, space),
	});
}

/** Provenance keys that are the format's own already. */
function keptOf({ data }: ImportDocument): object {
	const kept = ["generated", "verified", "stale_after"].filter((key) => data[key] !== undefined);
	return Object.fromEntries(kept.map((key) => [key, data[key]]));
}

/** A document on its way into a bundle: read, named, not yet linked. */
export interface ImportDocument {
	readonly path: string;
	readonly data: FrontMatter;
	readonly body: string;
	readonly title: string;
	readonly aliases: readonly string[];
}

const SUMMARY_SECTIONS = ["simple summary", "abstract", "tl;dr", "summary", "overview"];
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

function nameDocument(path: string, data: FrontMatter, body: string): ImportDocument {
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
function describeDocument({ data, body }: ImportDocument): string {
	const given = textOf(data["description"]) ?? textOf(data["summary"]) ?? textOf(data["abstract"]);
	return truncateText(given ?? firstParagraph(body, SUMMARY_SECTIONS) ?? "", 600);
}

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

/** Sources as written, after the address at which the document itself is published. */
function sourcesOf(
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
			: sourceUrl.replace(/\{(stem|path)\}/g, (_, key: string) =>
					encodeURI(key === "stem" ? stem : pathWithoutExtension(path)),
				);
	const given = readEvidence({ sources: data["sources"] }, "").evidence.map(toSourceEntry);
	if (address === undefined) return given;
	const dated = dateKey === undefined ? undefined : parseSourceDate(data[dateKey]);
	const own = toSourceEntry({
		articleId: stem,
		sourceUrl: address,
		title,
		publishedAt: dated?.date,
		datePrecision: dated?.precision,
	});
	const others = given.filter(({ resource }) => resource !== address);
	return [own, ...others].slice(0, BUNDLE_LIMITS.sources);
}

/** Keys of the source that the format does not know, as they were. */
function extraOf({ data }: ImportDocument): FrontMatter {
	const extra = Object.entries(data).filter(([key]) => !MAPPED_KEYS.has(key));
	// The format knows three; what the document itself says may be asked for: "accepted", "final".
	const status = textOf(data["status"]);
	const isOther = status !== undefined && !["draft", "stable", "deprecated"].includes(status);
	return Object.fromEntries(isOther ? [...extra, ["document_status", status]] : extra);
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
