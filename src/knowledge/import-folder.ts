import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { invalidArgument, notFound } from "../kernel/kernel.js";
import { unpackArchive } from "./archive.js";
import type { Changeable } from "./bundle-change.js";
import { readBounded, readFiles, stampFiles } from "./bundle-folder.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { reasonToPassOver } from "./bundle-paths.js";
import type { BundleFiles } from "./bundle-reader.js";
import { importBundle } from "./import-bundle.js";
import type { ImportOptions, SkippedFile } from "./import-options.js";
import {
	type ImportMemory,
	type ImportUpdate,
	toImportMemory,
	updateImport,
} from "./import-update.js";

export interface ImportRequest {
	readonly source: string;
	readonly as: string;
	readonly options?: ImportOptions;
	/** The time by the clock that dates files: what was touched just now is not taken for unchanged later. */
	readonly nowMs?: number;
	/** Called once it is known which files there are and which may have changed. */
	readonly onRead?: () => void;
}

/** Disks date changes by ticks of some milliseconds, network disks by seconds. */
const STAMP_TICK_MS = 2_000;

/**
 * Imports an OKF bundle, a vault or any folder of Markdown, plain or zipped. Nothing is written: hand `files` to
 * `writeBundle`. Throws NOT_FOUND for a missing source, INVALID_ARGUMENT for an unusable id or a source that is too large.
 */
export async function importFolder({ source, as, options, nowMs, onRead }: ImportRequest) {
	const stamps = nowMs === undefined ? undefined : await stampSource(source, nowMs);
	const { files, skipped } = await readSource(source);
	onRead?.();
	const { report, ...result } = await importBundle(files, as, options);
	/** Lets the next import of this folder read only what has changed; archives are read whole. */
	const memory = stamps && toImportMemory(files, stamps, { report, ...result });
	return { ...result, memory, report: { ...report, skipped: merge(skipped, report.skipped) } };
}

/** What importing a folder again would change; undefined when that takes a whole import. Throws NOT_FOUND. */
export async function updateFromFolder({
	source,
	options,
	nowMs,
	onRead,
	graph,
	memory,
}: Required<ImportRequest> & {
	readonly graph: Changeable;
	readonly memory: ImportMemory;
}): Promise<(ImportUpdate & { readonly skipped: readonly SkippedFile[] }) | undefined> {
	const found = await stampSource(source, nowMs);
	if (!found || found.size > BUNDLE_LIMITS.files) return undefined;
	onRead();
	const skipped: SkippedFile[] = [];
	const stamps = new Map<string, string | undefined>();
	for (const [path, stamp] of found) {
		const reason = reasonToPassOver(path, 0);
		if (reason === undefined) stamps.set(path, stamp);
		else skipped.push({ file: path, reason });
	}
	const readFile = (path: string) => readBounded(join(source, path));
	const update = await updateImport({ graph, memory, stamps, readFile }, options);
	if (!update) return undefined;
	await setImmediate();
	const left = [...update.memory.rows.values()].flatMap((row) => row.skipped ?? []);
	return { ...update, skipped: merge(skipped, left) };
}

function merge(...lists: readonly (readonly SkippedFile[])[]): readonly SkippedFile[] {
	return lists.flat().sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function stampSource(source: string, nowMs: number) {
	const found = await stat(source).catch(() => undefined);
	return found?.isDirectory() ? stampFiles(source, nowMs - STAMP_TICK_MS) : undefined;
}

interface SourceReading {
	readonly files: BundleFiles;
	readonly skipped: readonly SkippedFile[];
}

async function readSource(source: string): Promise<SourceReading> {
	const found = await stat(source).catch(() => undefined);
	if (!found) throw notFound(`There is no file or folder "${source}".`);
	const skipped: SkippedFile[] = [];
	const isWanted = (path: string, sizeBytes = 0): boolean => {
		const reason = reasonToPassOver(path, sizeBytes);
		if (reason !== undefined) skipped.push({ file: path, reason });
		return reason === undefined;
	};
	if (found.isDirectory()) {
		return { files: await readFiles(source, (path) => isWanted(path)), skipped };
	}
	if (found.size > BUNDLE_LIMITS.archiveBytes) {
		throw invalidArgument(`The archive "${source}" is too large.`);
	}
	const files = unpackArchive(
		await readFile(source),
		(path, sizeBytes) => isVisible(path) && isWanted(path, sizeBytes),
	);
	return withoutSharedFolder({ files, skipped });
}

/** Hidden entries of an archive, and those a Mac adds, are no content. */
function isVisible(path: string): boolean {
	return !path.split("/").some((segment) => /^\.(?!\.?$)/.test(segment) || segment === "__MACOSX");
}

/** Archives often hold one folder that holds everything; the bundle's root is inside it. */
function withoutSharedFolder({ files, skipped }: SourceReading): SourceReading {
	const paths = [...files.keys(), ...skipped.map(({ file }) => file)];
	const [first] = paths;
	const folder = first?.includes("/") ? `${first.split("/", 1)[0]}/` : undefined;
	if (folder === undefined || !paths.every((path) => path.startsWith(folder))) {
		return { files, skipped };
	}
	const inFolder = (path: string) => path.slice(folder.length);
	return {
		files: new Map([...files].map(([path, bytes]) => [inFolder(path), bytes])),
		skipped: skipped.map(({ file, reason }) => ({ file: inFolder(file), reason })),
	};
}
