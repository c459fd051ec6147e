import type { BundleFiles } from "./bundle-reader.js";
import { encodeFiles } from "./bundle-writer.js";
import { toConceptId } from "./concept-reader.js";
import { type RelationEntry, toConceptFile } from "./concept-writer.js";
import { createDocumentNames } from "./document-names.js";
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
import type { ImportOptions, ImportReport, SkippedFile } from "./import-options.js";
import { createPathClaims, toBundlePath } from "./import-path.js";
import { type ImportSpace, readRelations, withRelatedLinks } from "./import-relations.js";
import { cleanText } from "./served-text.js";
import type { Steps } from "./work-in-turns.js";

/** Concept files made from plain documents, and what became of the rest. */
export interface DocumentImport {
	readonly files: BundleFiles;
	readonly skipped: readonly SkippedFile[];
	readonly unresolved: ImportReport["unresolved"];
}

/** Maps Markdown documents with any front matter, or none, to concepts. The whole body of each is kept. */
export function* importDocuments(
	files: BundleFiles,
	options: ImportOptions,
): Steps<DocumentImport> {
	const skipped: SkippedFile[] = [];
	const documents = yield* readDocuments(files, skipped);
	const bundlePaths = placeDocuments(documents, skipped);
	const placed = documents.filter(({ path }) => bundlePaths.has(path));
	const space: ImportSpace = {
		names: createDocumentNames(placed),
		bundlePaths,
		titles: new Map(placed.map(({ path, title }) => [bundlePaths.get(path) ?? path, title])),
	};
	const isVault = yield* looksLikeVault(placed, space);
	const texts = new Map<string, string>();
	const unresolved: { file: string; key: string; name: string }[] = [];
	for (const document of placed) {
		const reading = readRelations(document, options.edgeKeys ?? [], space);
		for (const one of reading.unresolved) unresolved.push({ file: document.path, ...one });
		const bundlePath = bundlePaths.get(document.path) ?? document.path;
		texts.set(
			bundlePath,
			toText(document, reading.relations, { options, space, bundlePath, isVault }),
		);
		yield;
	}
	return { files: encodeFiles(texts), skipped, unresolved };
}

function* readDocuments(
	files: BundleFiles,
	skipped: SkippedFile[],
): Steps<readonly ImportDocument[]> {
	const documents: ImportDocument[] = [];
	for (const [path, bytes] of files) {
		const { data, body, problem } = parseMarkdown(new TextDecoder().decode(bytes));
		if (problem === undefined) documents.push(nameDocument(path, data, cleanText(body).trim()));
		else skipped.push({ file: path, reason: problem });
		yield;
	}
	return documents;
}

function* looksLikeVault(documents: readonly ImportDocument[], space: ImportSpace): Steps<boolean> {
	for (const { body } of documents) {
		if (hasWikiLink(body, space)) return true;
		yield;
	}
	return false;
}

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
			skipped.push({ file: path, reason: "No concept id can be made of the file's name." });
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
