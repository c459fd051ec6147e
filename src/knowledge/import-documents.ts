import type { BundleFiles } from "./bundle-reader.js";
import { encodeFiles } from "./bundle-writer.js";
import { toConceptId } from "./concept-reader.js";
import { type RelationEntry, toConceptFile } from "./concept-writer.js";
import { createDocumentNames, toNameKey } from "./document-names.js";
import { parseMarkdown, textOf } from "./front-matter.js";
import {
	describeDocument,
	extraOf,
	type ImportDocument,
	nameDocument,
	sourcesOf,
	statusOf,
	tagsOf,
} from "./import-document.js";
import { hasWikiLink, rewriteLinks } from "./import-links.js";
import type { ImportOptions, MappedDocument, SkippedFile } from "./import-options.js";
import { createPathClaims, toBundlePath } from "./import-path.js";
import { type ImportSpace, readRelations, withRelatedLinks } from "./import-relations.js";
import { cleanText } from "./served-text.js";
import type { Steps } from "./work-in-turns.js";

/** Concept files made from plain documents, and what became of the rest. */
export interface DocumentImport {
	readonly files: BundleFiles;
	readonly skipped: readonly SkippedFile[];
	/** One for each document that became a concept. */
	readonly documents: readonly MappedDocument[];
	/** How many are skipped because of what others are called. */
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
	return {
		names: {
			find(name) {
				asked.add(toNameKey(name));
				return names.find(name);
			},
		},
		bundlePaths: {
			get(path) {
				asked.add(`/${path}`);
				return bundlePaths.get(path);
			},
		},
		titles: {
			get(path) {
				asked.add(`/${path}`);
				return titles.get(path);
			},
		},
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

/** A document, or why its file is none. */
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
	for (const { path } of documents) {
		const bundlePath = toBundlePath(path);
		const id = toConceptId(bundlePath);
		const first = takenBy.get(id);
		if (bundlePath === "") {
			skipped.push({ file: path, reason: NO_ID });
		} else if (first !== undefined) {
			skipped.push({ file: path, reason: `The id "${id}" already belongs to "${first}".` });
		} else {
			const reason = claim(bundlePath);
			if (reason !== undefined) {
				skipped.push({ file: path, reason });
				continue;
			}
			takenBy.set(id, path);
			bundlePaths.set(path, bundlePath);
		}
	}
	return bundlePaths;
}

interface Placement {
	readonly options: ImportOptions;
	readonly space: ImportSpace;
	readonly bundlePath: string;
	readonly isVault: boolean;
}

function toText(
	document: ImportDocument,
	relations: readonly RelationEntry[],
	{ options, space, bundlePath, isVault }: Placement,
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
