import {
	type Companions,
	cascadeOf,
	chooseTitles,
	type DocumentReader,
	type ForeignDocument,
	isCompanion,
	isSection,
	type Refusal,
	readCompanions,
} from "../../documents/documents.js";
import { foldersAbove } from "../bundle/bundle-document.js";
import type { BundleFiles } from "../bundle/bundle-reader.js";
import { inPathOrder } from "../bundle/bundle-writer.js";
import { toConceptId } from "../bundle/concept-reader.js";
import { type Steps, visitInSteps } from "../model/work-in-turns.js";
import { createPathClaims, toBundlePath } from "./bundle-paths.js";
import { mapDocument, nameDocument, placeOf } from "./document-mapping.js";
import { documentNamesIn, type ImportSpace } from "./document-names.js";
import { hasWikiLink } from "./import-links.js";
import type {
	ImportDocument,
	ImportOptions,
	MappedDocument,
	SkippedFile,
} from "./import-options.js";
import { splitDocument } from "./split-documents.js";
import { type WithheldDocument, withheldNamesOf } from "./withheld-names.js";

/** Concept files made from plain documents, and what became of the rest. */
export interface DocumentImport {
	readonly files: BundleFiles;
	readonly skipped: readonly SkippedFile[];
	readonly documents: readonly MappedDocument[];
	readonly displaced: number;
	/** True when a section says of all documents below it that they are not to be sold. */
	readonly hasCascades: boolean;
	/** Names of what is left out because it is not for others. */
	readonly withheld: ReadonlySet<string>;
}

/** Maps Markdown documents with any front matter, or none, to concepts. The whole body of each is kept. */
export function* importDocuments(
	files: BundleFiles,
	options: ImportOptions,
	reader: DocumentReader,
): Steps<DocumentImport> {
	const skipped: SkippedFile[] = [];
	const companions = readCompanions(companionsIn(files, options), options.today);
	const { documents, hasCascades, closed } = yield* readDocuments(files, {
		reader,
		options,
		skipped,
		companions,
	});
	const skippedBefore = skipped.length;
	const bundlePaths = yield* placeDocuments(documents, skipped);
	const displaced = skipped.length - skippedBefore;
	const taken = documents.filter(({ path }) => bundlePaths.has(path));
	const listed: (ForeignDocument & { readonly listed: string | undefined })[] = [];
	yield* visitInSteps(taken, (one) => {
		listed.push({ ...one, listed: companions.listedAs(one.path) });
	});
	const chosen = yield* chooseTitles(listed);
	const named: ImportDocument[] = [];
	yield* visitInSteps(taken, (one) => {
		named.push(nameDocument(one, chosen.get(one.path) ?? "", options));
	});
	const names = yield* documentNamesIn(named);
	const placed = yield* cutDocuments(named, { bundlePaths, options, reader });
	const withheld = withheldNamesOf([...closed, ...toPaths(options.ignored)]);
	const space: ImportSpace = {
		names,
		withheld,
		bundlePaths,
		titles: new Map(placed.map(({ path, title }) => [bundlePaths.get(path) ?? path, title])),
	};
	const isVault = yield* looksLikeVault(placed, space);
	const encoder = new TextEncoder();
	const written = new Map<string, Uint8Array>();
	const mapped: MappedDocument[] = [];
	for (const document of placed) {
		const { text, ...rest } = mapDocument(document, { options, space, isVault });
		written.set(rest.bundlePath, encoder.encode(text));
		mapped.push(rest);
		yield;
	}
	return {
		files: inPathOrder(written),
		skipped,
		documents: mapped,
		displaced,
		hasCascades,
		withheld,
	};
}

function companionsIn(files: BundleFiles, { sections = new Map() }: ImportOptions) {
	return new Map([...sections, ...files].filter(([path]) => isCompanion(path)));
}

export function toPaths(paths: readonly string[] = []): readonly WithheldDocument[] {
	return paths.map((path) => ({ path }));
}

/** Documents and, where a limit is set, the parts of long ones, whose paths are added. */
function* cutDocuments(
	documents: readonly ImportDocument[],
	{
		bundlePaths,
		options: { splitChars },
		reader,
	}: { bundlePaths: Map<string, string>; options: ImportOptions; reader: DocumentReader },
): Steps<readonly ImportDocument[]> {
	if (splitChars === undefined) return documents;
	const taken = new Set(bundlePaths.values());
	const cutOne = (document: ImportDocument): readonly ImportDocument[] => {
		const bundlePath = bundlePaths.get(document.path) ?? document.path;
		const cut = reader.cutAtHeadings(document.body, splitChars);
		const split = splitDocument({ document, bundlePath }, cut);
		// Another document may lie where a part would.
		if (split.slice(1).some((part) => taken.has(part.bundlePath))) return [document];
		for (const part of split) bundlePaths.set(part.document.path, part.bundlePath);
		return split.map((part) => part.document);
	};
	const all: ImportDocument[] = [];
	for (const document of documents) {
		all.push(...cutOne(document));
		yield;
	}
	return all;
}

function* readDocuments(
	files: BundleFiles,
	{
		reader,
		options: { sections = new Map(), today },
		skipped,
		companions,
	}: {
		readonly reader: DocumentReader;
		readonly options: ImportOptions;
		readonly skipped: SkippedFile[];
		readonly companions: Companions;
	},
): Steps<{
	readonly documents: readonly ForeignDocument[];
	readonly hasCascades: boolean;
	readonly closed: readonly WithheldDocument[];
}> {
	const read: ForeignDocument[] = [];
	const closed: WithheldDocument[] = [];
	const cascades = new Map<string, string>();
	const note = (path: string, reason: string | undefined) => {
		if (reason !== undefined) cascades.set(path.slice(0, path.lastIndexOf("/") + 1), reason);
	};
	for (const [path, bytes] of sections) {
		if (isSection(path)) note(path, cascadeOf(path, bytes, today));
	}
	for (const [path, bytes] of files) {
		const document = reader.read(path, bytes, {
			beside: companions.dataOf(path),
			site: companions.siteOf(path),
		});
		note(path, document.withheldBelow);
		if ("reason" in document) skipped.push(toSkipped(path, document));
		else read.push(document);
		if ("reason" in document && document.kind === "private")
			closed.push({ path, names: document.names });
		yield;
	}
	const decisive = sections.size > 0 || [...files.keys()].some(isCompanion);
	const documents: ForeignDocument[] = [];
	yield* visitInSteps(read, (document) => {
		const { path, names } = document;
		const folders = ["", ...foldersAbove(path).map((folder) => `${folder}/`)];
		const reason = folders.map((folder) => cascades.get(folder)).find((one) => one !== undefined);
		if (reason === undefined) return documents.push(document);
		skipped.push(toSkipped(path, { reason, kind: "private" }));
		return closed.push({ path, names });
	});
	return { documents, hasCascades: cascades.size > 0 || decisive, closed };
}

export function toSkipped(file: string, { reason, kind }: Refusal): SkippedFile {
	return kind === "other" ? { file, reason } : { file, reason, kind };
}

function* looksLikeVault(documents: readonly ImportDocument[], space: ImportSpace): Steps<boolean> {
	for (const document of documents) {
		if (hasWikiLink(document.body, placeOf(document), space)) return true;
		yield;
	}
	return false;
}

/** Why a document is left out whose name holds nothing an id can be made of. */
export const NO_ID = "No concept id can be made of the file's name.";

/** Bundle path by source path; of two documents that would get one id, the first in path order does. */
function* placeDocuments(
	documents: readonly ForeignDocument[],
	skipped: SkippedFile[],
): Steps<Map<string, string>> {
	const bundlePaths = new Map<string, string>();
	const takenBy = new Map<string, string>();
	const claim = createPathClaims();
	const claimOf = (bundlePath: string) => (bundlePath === "" ? NO_ID : claim(bundlePath));
	yield* visitInSteps(documents, ({ path }) => {
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
	});
	return bundlePaths;
}
