import { readFile, stat } from "node:fs/promises";
import { ServiceError } from "../core/errors.js";
import { unpackArchive } from "./archive.js";
import { readFiles } from "./bundle-files.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import type { BundleFiles } from "./bundle-reader.js";
import { importBundle } from "./import-bundle.js";
import type { ImportOptions, ImportResult, SkippedFile } from "./import-options.js";
import { reasonToPassOver } from "./import-screen.js";

export interface ImportRequest {
	/** A folder, or a zip archive. */
	readonly source: string;
	/** Id of the graph. */
	readonly as: string;
	readonly options?: ImportOptions;
}

/**
 * Imports an OKF bundle, a vault or any folder of Markdown, plain or zipped. Nothing is written: hand `files` to
 * `writeBundle`. Throws NOT_FOUND for a missing source, INVALID_ARGUMENT for an unusable id or a source that is too large.
 */
export async function importFolder({ source, as, options }: ImportRequest): Promise<ImportResult> {
	const { files, skipped } = await readSource(source);
	const { report, ...result } = await importBundle(files, as, options);
	const all = [...skipped, ...report.skipped].sort((a, b) => (a.file < b.file ? -1 : 1));
	return { ...result, report: { ...report, skipped: all } };
}

interface SourceReading {
	readonly files: BundleFiles;
	/** Files that were not opened. */
	readonly skipped: readonly SkippedFile[];
}

async function readSource(source: string): Promise<SourceReading> {
	const found = await stat(source).catch(() => undefined);
	if (!found) throw new ServiceError("NOT_FOUND", `There is no file or folder "${source}".`);
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
		throw new ServiceError("INVALID_ARGUMENT", `The archive "${source}" is too large.`);
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
