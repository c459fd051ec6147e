import { createDocumentNames, type NamedDocument, nameKeysOf } from "./document-names.js";
import { asItIs } from "./import-bundle.js";
import type { ImportDocument } from "./import-document.js";
import { mapDocument, readImportDocument } from "./import-documents.js";
import type { ImportRow } from "./import-memory.js";
import type { ImportOptions, MappedDocument } from "./import-options.js";
import type { ImportSpace } from "./import-relations.js";
import type { Reread, SourceReading, SourceState } from "./import-reread.js";
import { runInTurns, type Steps } from "./work-in-turns.js";

/** A document and the file it becomes now. */
export interface Remapped {
	readonly document: MappedDocument;
	readonly bytes: Uint8Array;
}

/**
 * Maps the files that changed, and those whose names and links lead elsewhere by it, by path in the source. Undefined when
 * the whole source reads differently now: as notes of a vault, or no longer so.
 */
export async function remapDocuments(
	{ memory, readFile }: Pick<SourceState, "memory" | "readFile">,
	reading: SourceReading,
	options: ImportOptions,
): Promise<ReadonlyMap<string, Remapped> | undefined> {
	const { reread, kept } = reading;
	if (memory.format === "okf") {
		const taken = [...reread.values()].filter(({ bundlePath }) => bundlePath !== undefined);
		return new Map(taken.map(({ path, bytes }) => [path, { document: asItIs(path), bytes }]));
	}
	const stirred = stirredKeys(reading, memory.rows);
	const documents = [...reread.values()].flatMap(({ document }) => document ?? []);
	for (const [path, { document }] of kept) {
		if (!document?.asked.some((key) => stirred.has(key))) continue;
		const affected = readImportDocument(path, await readFile(path));
		if (typeof affected !== "string") documents.push(affected);
	}
	const isVault = [...memory.rows.values()].some(hasWikiLink);
	const space = await runInTurns(spaceOf(documents, reading, options));
	const encoder = new TextEncoder();
	const remapped = new Map<string, Remapped>();
	for (const one of documents) {
		const { text, ...document } = mapDocument(one, { options, space, isVault });
		remapped.set(one.path, { document, bytes: encoder.encode(text) });
	}
	const stillVault =
		[...remapped.values()].some(({ document }) => document.hasWikiLink) ||
		[...kept].some(([path, row]) => !remapped.has(path) && hasWikiLink(row));
	return stillVault === isVault ? remapped : undefined;
}

function hasWikiLink({ document }: ImportRow): boolean {
	return document?.hasWikiLink ?? false;
}

/** Names and paths that lead to another document than before, or may. */
function stirredKeys(
	{ reread, gone }: SourceReading,
	rows: ReadonlyMap<string, ImportRow>,
): ReadonlySet<string> {
	const stirred = new Set<string>();
	const stir = (named: NamedDocument | undefined, bundlePath: string | undefined) => {
		if (!named || bundlePath === undefined) return;
		for (const key of nameKeysOf(named)) stirred.add(key);
		stirred.add(`/${named.path}`);
		stirred.add(`/${bundlePath}`);
	};
	for (const { document } of gone) stir(document, document?.bundlePath);
	for (const now of reread.values()) {
		const before = rows.get(now.path)?.document;
		if (before && isNamedAlike(before, now)) continue;
		stir(before, before?.bundlePath);
		stir(now.document, now.bundlePath);
	}
	return stirred;
}

function isNamedAlike(before: MappedDocument, { bundlePath, document }: Reread): boolean {
	return (
		before.bundlePath === bundlePath &&
		before.title === document?.title &&
		before.aliases.join("\n") === document.aliases.join("\n")
	);
}

/** What these documents may name, and no more: an index of all names would cost more than the documents. */
function* spaceOf(
	documents: readonly ImportDocument[],
	{ kept, reread }: SourceReading,
	options: ImportOptions,
): Steps<ImportSpace> {
	const titles = titlesOf({ kept, reread });
	const bundlePaths = {
		get: (path: string) => {
			const changed = reread.get(path);
			return changed ? changed.bundlePath : kept.get(path)?.document?.bundlePath;
		},
	};
	const asked = new Set<string>();
	const blind: ImportSpace = { names: { find: () => undefined }, bundlePaths, titles };
	for (const document of documents) {
		for (const key of mapDocument(document, { options, space: blind, isVault: false }).asked) {
			// The others are paths, which need no names.
			if (!key.startsWith("/")) asked.add(key);
		}
		yield;
	}
	const named: NamedDocument[] = [];
	const consider = (candidate: NamedDocument | undefined) => {
		if (candidate && nameKeysOf(candidate).some((key) => asked.has(key))) named.push(candidate);
	};
	for (const { document } of reread.values()) consider(document);
	for (const { document } of asked.size > 0 ? kept.values() : []) {
		consider(document);
		yield;
	}
	return { names: createDocumentNames(named), bundlePaths, titles };
}

/** By path in the bundle. */
function titlesOf({
	kept,
	reread,
}: Pick<SourceReading, "kept" | "reread">): ReadonlyMap<string, string> {
	const titles = new Map<string, string>();
	for (const { document } of kept.values()) {
		if (document) titles.set(document.bundlePath, document.title);
	}
	for (const { bundlePath, document } of reread.values()) {
		if (document && bundlePath !== undefined) titles.set(bundlePath, document.title);
	}
	return titles;
}
