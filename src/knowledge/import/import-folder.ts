import { lstat, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isCompanion, isSection } from "../../documents/documents.js";
import { invalidArgument, notFound } from "../../kernel/kernel.js";
import { unpackArchive } from "../bundle/archive.js";
import type { Changeable } from "../bundle/bundle-change.js";
import { readBounded, readPaths, stampFiles, unreadable } from "../bundle/bundle-folder.js";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.js";
import type { BundleFiles } from "../bundle/bundle-reader.js";
import { runInTurns } from "../model/work-in-turns.js";
import { reasonToPassOver } from "./bundle-paths.js";
import { readGitDates } from "./git-dates.js";
import { importBundle } from "./import-bundle.js";
import type { ImportOptions, SkippedFile } from "./import-options.js";
import { type ImportUpdate, toImportMemory, updateImport } from "./import-update.js";
import type { ImportMemory } from "./source-reading.js";
import { createReason, failTooLarge, isIgnoreFile, scanFolder, toIgnore } from "./source-scan.js";

export interface ImportRequest {
	readonly source: string;
	readonly as: string;
	readonly options?: ImportOptions;
	/** The time by the clock that dates files: what was touched just now is not taken for unchanged later. */
	readonly nowMs?: number;
	/** Called once it is known which files there are and which may have changed. */
	readonly onRead?: () => void;
	/** Ends the reading: it rejects with the signal's reason then. */
	readonly signal?: AbortSignal | undefined;
}

/** Disks date changes by ticks of some milliseconds, network disks by seconds. */
const STAMP_TICK_MS = 2_000;

/**
 * Imports an OKF bundle, a vault or any folder of documents, plain or zipped. Nothing is written: hand `files` to
 * `writeBundle`. Throws NOT_FOUND for a missing source, INVALID_ARGUMENT for an unusable id or a source that is too large.
 */
export async function importFolder(request: ImportRequest) {
	const { source, as, options = {}, onRead, signal } = request;
	const { files, skipped, stamps, sections } = await readSource(request, options);
	onRead?.();
	const dated = await withDates(source, options);
	const own = { ...dated, sections, ignored: ignoredIn(skipped) };
	const { report, ...result } = await importBundle(files, as, own, signal);
	/** Lets the next import of this folder read only what has changed; archives are read whole. */
	const memory = stamps && (await runInTurns(toImportMemory(files, stamps, { report, ...result })));
	return { ...result, memory, report: { ...report, skipped: merge(skipped, report.skipped) } };
}

/** What importing a folder again would change; undefined when that takes a whole import. Throws NOT_FOUND. */
export async function updateFromFolder({
	source,
	options,
	nowMs,
	onRead,
	signal,
	graph,
	memory,
}: Required<Omit<ImportRequest, "signal">> & {
	readonly signal: AbortSignal | undefined;
	readonly graph: Changeable;
	readonly memory: ImportMemory;
}): Promise<(ImportUpdate & { readonly skipped: readonly SkippedFile[] }) | undefined> {
	// The history of a folder changes without its files.
	if (options.dates === "git" || !(await isFolder(source))) return undefined;
	const { paths, skipped, sections } = await scanFolder(source, options);
	if (paths.length > BUNDLE_LIMITS.files || sections.length > 0) return undefined;
	const stamps = await stampFiles(source, nowMs - STAMP_TICK_MS, paths);
	onRead();
	const readFile = async (path: string) => {
		signal?.throwIfAborted();
		return readBounded(join(source, path));
	};
	// A file that cannot be read now is reported by a whole import.
	const update = await updateImport(
		{ graph, memory, stamps, readFile },
		{ ...options, ignored: ignoredIn(skipped) },
	).catch((error: unknown) => {
		if (isSystemError(error)) return undefined;
		throw error;
	});
	if (!update) return undefined;
	await setImmediate();
	const left = [...update.memory.rows.values()].flatMap((row) => row.skipped ?? []);
	return { ...update, skipped: merge(skipped, left) };
}

function ignoredIn(skipped: readonly SkippedFile[]): readonly string[] {
	return skipped.flatMap(({ file, kind }) => (kind === "ignored" ? file : []));
}

function isSystemError(error: unknown): boolean {
	return error instanceof Error && "syscall" in error;
}

function merge(...lists: readonly (readonly SkippedFile[])[]): readonly SkippedFile[] {
	return lists.flat().sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function isFolder(source: string): Promise<boolean> {
	const found = await stat(source).catch(() => undefined);
	return found?.isDirectory() ?? false;
}

async function withDates(source: string, options: ImportOptions): Promise<ImportOptions> {
	if (options.dates !== "git") return options;
	return { ...options, dateOf: await readGitDates(source) };
}

interface SourceReading {
	readonly files: BundleFiles;
	readonly skipped: readonly SkippedFile[];
	readonly stamps?: ReadonlyMap<string, string | undefined> | undefined;
	readonly sections: Map<string, Uint8Array | undefined>;
}

async function readSource(request: ImportRequest, options: ImportOptions): Promise<SourceReading> {
	const { source } = request;
	const found = await stat(source).catch(() => undefined);
	if (!found) throw notFound(`There is no file or folder "${source}".`);
	if (found.isDirectory()) return readFolder(request, options);
	if (!found.isFile()) {
		throw invalidArgument(`"${source}" is no folder and no ordinary file; name a folder or a zip.`);
	}
	if (found.size > BUNDLE_LIMITS.archiveBytes) {
		throw invalidArgument(`The archive "${source}" is too large.`);
	}
	return readArchive(await readFile(source), options);
}

async function readFolder(
	{ source, nowMs, signal }: ImportRequest,
	options: ImportOptions,
): Promise<SourceReading> {
	const { paths, skipped, sections: left } = await scanFolder(source, options);
	// Taken before the files are read: what changes meanwhile has another stamp the next time.
	const stamps =
		nowMs === undefined ? undefined : await stampFiles(source, nowMs - STAMP_TICK_MS, paths);
	const sections = new Map<string, Uint8Array | undefined>();
	for (const path of left) {
		const { isFile } = await lstat(join(source, path)).then(
			(found) => ({ isFile: found.isFile() }),
			() => ({ isFile: false }),
		);
		// What a symbolic link leads to is not read.
		const bytes = isFile ? await readBounded(join(source, path)).catch(() => undefined) : undefined;
		sections.set(path, bytes);
	}
	const onUnreadable = (file: string, error: unknown) => {
		skipped.push({ file, reason: unreadable(error), kind: "unreadable" });
		if (isSection(file)) sections.set(file, undefined);
	};
	const files = await readPaths(source, paths, { onUnreadable, signal });
	return { files, skipped, stamps, sections };
}

function reasonInArchive(path: string, sizeBytes: number): string | undefined {
	const isKept = isCompanion(path) && sizeBytes <= BUNDLE_LIMITS.fileBytes;
	return isKept ? undefined : reasonToPassOver(path, sizeBytes);
}

function unpack(bytes: Uint8Array): SourceReading {
	const skipped: SkippedFile[] = [];
	const sections = new Map<string, Uint8Array | undefined>();
	const admit = (path: string, sizeBytes: number): boolean => {
		// One that is too large ends the import: what it would keep out must not go on sale.
		if (isIgnoreFile(path)) return sizeBytes <= BUNDLE_LIMITS.fileBytes || failTooLarge(path);
		const reason = reasonInArchive(path, sizeBytes);
		if (isVisible(path) && reason !== undefined) skipped.push({ file: path, reason });
		const isWanted = isVisible(path) && reason === undefined;
		if (!isWanted && isSection(path)) sections.set(path, undefined);
		return isWanted;
	};
	return withoutSharedFolder({ files: unpackArchive(bytes, admit), skipped, sections });
}

function readArchive(bytes: Uint8Array, options: ImportOptions): SourceReading {
	const unpacked = unpack(bytes);
	const texts = [...unpacked.files].filter(([path]) => isIgnoreFile(path));
	const reasonOf = createReason(
		options,
		texts.map(([path, text]) => toIgnore(path, text)),
	);
	const files = new Map<string, Uint8Array>();
	const left: SkippedFile[] = [];
	for (const [path, text] of unpacked.files) {
		if (isIgnoreFile(path)) continue;
		const reason = reasonOf(path);
		const isBeside = isCompanion(path) && reason?.kind === undefined;
		if (!reason) files.set(path, text);
		else if (!isBeside) left.push(reason);
		if (reason && (isBeside || isSection(path))) unpacked.sections.set(path, text);
	}
	return { files, skipped: [...unpacked.skipped, ...left], sections: unpacked.sections };
}

/** Hidden entries of an archive, and those a Mac adds, are no content. */
function isVisible(path: string): boolean {
	return !path.split("/").some((segment) => /^\.(?!\.?$)/.test(segment) || segment === "__MACOSX");
}

/** Archives often hold one folder that holds everything; the bundle's root is inside it. */
function withoutSharedFolder({ files, skipped, sections }: SourceReading): SourceReading {
	const paths = [...files.keys(), ...skipped.map(({ file }) => file)];
	const [first] = paths;
	const folder = first?.includes("/") ? `${first.split("/", 1)[0]}/` : undefined;
	if (folder === undefined || !paths.every((path) => path.startsWith(folder))) {
		return { files, skipped, sections };
	}
	const inFolder = (path: string) => path.slice(folder.length);
	return {
		files: new Map([...files].map(([path, bytes]) => [inFolder(path), bytes])),
		skipped: skipped.map(({ file, reason }) => ({ file: inFolder(file), reason })),
		sections: new Map([...sections].map(([path, bytes]) => [inFolder(path), bytes])),
	};
}
