import { setImmediate } from "node:timers/promises";
import {
	createDocumentReader,
	type DocumentReader,
	isCompanion,
} from "../../documents/documents.js";
import type { BundleChanges, Changeable } from "../bundle/bundle-change.js";
import { foldersAbove, RECORD_PATH, readDocument } from "../bundle/bundle-document.js";
import type { BundleFiles } from "../bundle/bundle-reader.js";
import { toConceptId } from "../bundle/concept-reader.js";
import { hashOf, markOf } from "../bundle/content-hash.js";
import type { Graph } from "../model/graph.js";
import { entriesOf, valueAt } from "../model/path-map.js";
import { runInTurns, type Steps, visitInSteps } from "../model/work-in-turns.js";
import { FRAME_PATHS } from "./bundle-paths.js";
import { mapDocument, nameDocument } from "./document-mapping.js";
import { documentNamesIn, type ImportSpace, nameKeysOf } from "./document-names.js";
import { asItIs } from "./import-bundle.js";
import { toPaths } from "./import-documents.js";
import type {
	ImportDocument,
	ImportOptions,
	ImportResult,
	MappedDocument,
	NamedDocument,
} from "./import-options.js";
import {
	type ImportMemory,
	type ImportRow,
	nameDocuments,
	type Reread,
	type RereadFile,
	rereadSource,
	type SourceReading,
	type SourceState,
	type Sources,
} from "./source-reading.js";
import { withheldNamesOf } from "./withheld-names.js";

export interface ImportUpdate {
	/** Files of the bundle to change, but for its frame. */
	readonly changes: BundleChanges;
	readonly memory: ImportMemory;
}

/** What importing a source again would change; undefined when only a whole import can determine it. */
export async function updateImport(
	state: SourceState,
	options: ImportOptions,
): Promise<ImportUpdate | undefined> {
	const { memory, graph } = state;
	// One document, or the history of the folder, may decide about all others.
	if (memory.hasCascades || options.dateOf || options.splitChars !== undefined) return undefined;
	const reader = await createDocumentReader(options);
	const sources = await rereadSource(state, options, reader);
	await setImmediate();
	const isNamedAsBefore = isSameSet(memory.withheld, withheldNow(sources, options));
	if (!isNamedAsBefore || needsWhole(memory, sources)) return undefined;
	const reading = await nameDocuments(sources, { ...state, options, reader });
	const remapped = await remapDocuments(state, reading, { options, reader });
	if (!remapped) return undefined;
	await setImmediate();
	const rows = new Map(reading.kept);
	const changes = new Map<string, Uint8Array | undefined>();
	for (const one of reading.reread.values()) rows.set(one.path, toSkippedRow(one));
	for (const [path, mapped] of remapped) {
		const row = toRow(mapped, reading.reread.get(path) ?? reading.kept.get(path));
		rows.set(path, row);
		const { bundlePath } = mapped.document;
		const isNew = valueAt(graph.memory.files, bundlePath)?.sha256 !== row.outputHash;
		if (row.outputHash !== undefined && isNew) changes.set(bundlePath, mapped.bytes);
	}
	// Each of these steps takes some milliseconds with a hundred thousand files; others are served in between.
	await setImmediate();
	for (const path of straysOf(graph, rows)) changes.set(path, undefined);
	return { changes, memory: { ...memory, rows } };
}

/** Files at the root say what kind of source it is, and a section may say that nothing below it is sold. */
function isDecisive({ format }: ImportMemory, { reread, gone }: Sources): boolean {
	const closes = (one: RereadFile) =>
		one.withheldBelow !== undefined || (format === "okf" && one.kind === "private");
	if ([...reread.values()].some(closes)) return true;
	const paths = [...reread.keys(), ...gone.flatMap(({ document }) => document?.path ?? [])];
	return paths.some((path) =>
		format === "okf"
			? FRAME_PATHS.has(path)
			: path === RECORD_PATH || path === "index.md" || isCompanion(path),
	);
}

function needsWhole(memory: ImportMemory, sources: Sources): boolean {
	return isDecisive(memory, sources) || isDisputed(memory, sources);
}

/** What is private is read again at every update, so that its names are known. */
function withheldNow({ reread }: Sources, { ignored }: ImportOptions): ReadonlySet<string> {
	const closed = [...reread.values()].filter(({ kind }) => kind === "private");
	return withheldNamesOf([...closed, ...toPaths(ignored)]);
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
	return one.size === other.size && [...one].every((name) => other.has(name));
}

/** True when files come or go and the name of one may decide about another one. */
function isDisputed(memory: ImportMemory, { kept, reread, gone }: Sources): boolean {
	const before = ({ path }: RereadFile) => memory.rows.get(path)?.document?.bundlePath;
	const moved = [...reread.values()].filter((one) => one.bundlePath !== before(one));
	if (moved.length === 0 && gone.length === 0) return false;
	if (memory.displaced > 0) return true;
	const holders = [...kept.values()].flatMap(({ document }) => document?.bundlePath ?? []);
	const stayed = [...reread.values()].filter((one) => !moved.includes(one));
	const come = moved.flatMap(({ bundlePath }) => bundlePath ?? []);
	return collide([...holders, ...stayed.flatMap(({ bundlePath }) => bundlePath ?? [])], come);
}

/** True when a path that comes has the id of another one, or makes one name a file and a folder. */
function collide(paths: readonly string[], come: readonly string[]): boolean {
	if (come.length === 0) return false;
	const files = new Set([...paths, ...FRAME_PATHS]);
	const ids = new Set(paths.map(toConceptId));
	const folders = new Set(paths.flatMap(foldersAbove));
	return come.some((path) => {
		const above = foldersAbove(path);
		const id = toConceptId(path);
		const isTaken = ids.has(id) || folders.has(path) || above.some((folder) => files.has(folder));
		files.add(path);
		ids.add(id);
		for (const folder of above) folders.add(folder);
		return isTaken;
	});
}

function toSkippedRow({ path, stamp, sourceHash, reason, kind }: Reread): ImportRow {
	const skipped = reason === undefined ? undefined : { file: path, reason, ...(kind && { kind }) };
	return { stamp, sourceHash, document: undefined, outputHash: undefined, skipped };
}

function toRow(
	{ document, bytes }: Remapped,
	source: Pick<ImportRow, "stamp" | "sourceHash"> | undefined,
): ImportRow {
	const { bundlePath } = document;
	const reading = readDocument(bundlePath, bytes);
	// A file the reader refuses would be a broken file of the bundle.
	const refusal = reading && "rule" in reading ? reading.message : undefined;
	return {
		stamp: source?.stamp,
		sourceHash: source?.sourceHash ?? "",
		document,
		outputHash: refusal === undefined ? markOf(bytes).sha256 : undefined,
		skipped: refusal === undefined ? undefined : { file: bundlePath, reason: refusal },
	};
}

/** Files of the bundle that nothing in the source stands for. */
function straysOf({ memory }: Changeable, rows: ReadonlyMap<string, ImportRow>): readonly string[] {
	const wanted = new Set<string>();
	for (const { document, outputHash } of rows.values()) {
		if (document && outputHash !== undefined) wanted.add(document.bundlePath);
	}
	const strays: string[] = [];
	for (const [path] of entriesOf(memory.files)) {
		if (!wanted.has(path) && !FRAME_PATHS.has(path)) strays.push(path);
	}
	return strays;
}

/** A document and the file it becomes now. */
type Remapped = { readonly document: MappedDocument; readonly bytes: Uint8Array };

/**
 * Maps changed files and those whose links lead elsewhere now; undefined when the source (no
 * longer) is a vault.
 */
async function remapDocuments(
	{ memory, readFile }: Pick<SourceState, "memory" | "readFile">,
	reading: SourceReading,
	{ options, reader }: { readonly options: ImportOptions; readonly reader: DocumentReader },
): Promise<ReadonlyMap<string, Remapped> | undefined> {
	const { reread, kept } = reading;
	if (memory.format === "okf") {
		const taken = [...reread.values()].filter(({ bundlePath }) => bundlePath !== undefined);
		return new Map(taken.map(({ path, bytes }) => [path, { document: asItIs(path), bytes }]));
	}
	const affectedNames = affectedKeys(reading, memory.rows);
	const documents = [...reread.values()].flatMap(({ document }) => document ?? []);
	for (const [path, { document }] of kept) {
		if (!document?.asked.some((key) => affectedNames.has(key))) continue;
		const affected = reader.read(path, await readFile(path));
		if (!("reason" in affected)) documents.push(nameDocument(affected, document.title, options));
	}
	const isVault = [...memory.rows.values()].some(({ document }) => document?.hasWikiLink);
	const space = await runInTurns(
		spaceOf(documents, reading, { options, withheld: memory.withheld }),
	);
	const encoder = new TextEncoder();
	const remapped = new Map<string, Remapped>();
	for (const one of documents) {
		const { text, ...document } = mapDocument(one, { options, space, isVault });
		remapped.set(one.path, { document, bytes: encoder.encode(text) });
	}
	const stillVault =
		[...remapped.values()].some(({ document }) => document.hasWikiLink) ||
		[...kept].some(([path, row]) => !remapped.has(path) && row.document?.hasWikiLink);
	return stillVault === isVault ? remapped : undefined;
}

/** Names and paths that lead to another document than before, or may. */
function affectedKeys(
	{ reread, gone }: SourceReading,
	rows: ReadonlyMap<string, ImportRow>,
): ReadonlySet<string> {
	const affectedNames = new Set<string>();
	const affect = (named: NamedDocument | undefined, bundlePath: string | undefined) => {
		if (!named || bundlePath === undefined) return;
		for (const key of nameKeysOf(named)) affectedNames.add(key);
		affectedNames.add(`/${named.path}`);
		affectedNames.add(`/${bundlePath}`);
	};
	for (const { document } of gone) affect(document, document?.bundlePath);
	for (const now of reread.values()) {
		const before = rows.get(now.path)?.document;
		if (before && isNamedAlike(before, now)) continue;
		affect(before, before?.bundlePath);
		affect(now.document, now.bundlePath);
	}
	return affectedNames;
}

function isNamedAlike(before: MappedDocument, { bundlePath, document }: Reread): boolean {
	return (
		before.bundlePath === bundlePath &&
		before.title === document?.title &&
		before.address === document.address &&
		before.aliases.join("\n") === document.aliases.join("\n")
	);
}

/** What these documents may name, and no more: an index of all names would cost more than the documents. */
function* spaceOf(
	documents: readonly ImportDocument[],
	reading: SourceReading,
	{ options, withheld }: { readonly options: ImportOptions } & Pick<ImportSpace, "withheld">,
): Steps<ImportSpace> {
	const { kept, reread } = reading;
	const titles = titlesOf(reading);
	const bundlePaths = {
		get: (path: string) => {
			const changed = reread.get(path);
			return changed ? changed.bundlePath : kept.get(path)?.document?.bundlePath;
		},
	};
	const asked = new Set<string>();
	const blind: ImportSpace = {
		names: { find: () => undefined },
		bundlePaths,
		titles,
		withheld,
	};
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
	return { names: yield* documentNamesIn(named), bundlePaths, titles, withheld };
}

function titlesOf({ kept, reread }: SourceReading): ReadonlyMap<string, string> {
	const titles = new Map<string, string>();
	for (const { document } of kept.values()) {
		if (document) titles.set(document.bundlePath, document.title);
	}
	for (const { bundlePath, document } of reread.values()) {
		if (document && bundlePath !== undefined) titles.set(bundlePath, document.title);
	}
	return titles;
}

/** Remembers a whole import. `stamps` were taken before the files were read. */
export function* toImportMemory(
	source: BundleFiles,
	stamps: ReadonlyMap<string, string | undefined>,
	{ report, graph, trace }: Pick<ImportResult, "report" | "graph" | "trace">,
): Steps<ImportMemory> {
	const documents = new Map(trace.documents.map((document) => [document.path, document]));
	const skipped = new Map(report.skipped.map((one) => [one.file, one]));
	const rows = new Map<string, ImportRow>();
	yield* visitInSteps(source, ([path, bytes]) => {
		const document = documents.get(path);
		const outputHash = document && outputOf(graph, document.bundlePath);
		rows.set(path, {
			stamp: stamps.get(path),
			sourceHash: hashOf(bytes),
			document,
			outputHash,
			skipped: outputHash === undefined ? skipped.get(document?.bundlePath ?? path) : undefined,
		});
	});
	const { documents: _, ...rest } = trace;
	return { ...rest, rows };
}

/** The frame is rebuilt whenever something changes; what it says is compared by other means. */
function outputOf({ memory }: Graph, bundlePath: string): string | undefined {
	if (bundlePath === RECORD_PATH) return hashOf(bundlePath);
	return memory && valueAt(memory.files, bundlePath)?.sha256;
}
