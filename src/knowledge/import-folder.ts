import { readFile, stat } from "node:fs/promises";
import { ServiceError } from "../core/errors.js";
import { unpackArchive } from "./archive.js";
import { readFiles } from "./bundle-files.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import type { BundleFiles } from "./bundle-reader.js";
import { importBundle } from "./import-bundle.js";
import type { ImportOptions, ImportResult } from "./import-options.js";

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
	return importBundle(await readSource(source), as, options);
}

async function readSource(source: string): Promise<BundleFiles> {
	const found = await stat(source).catch(() => undefined);
	if (!found) throw new ServiceError("NOT_FOUND", `There is no file or folder "${source}".`);
	if (found.isDirectory()) return readFiles(source, () => true);
	if (found.size > BUNDLE_LIMITS.archiveBytes) {
		throw new ServiceError("INVALID_ARGUMENT", `The archive "${source}" is too large.`);
	}
	return withoutSharedFolder(unpackArchive(await readFile(source), isVisible));
}

/** Hidden entries of an archive, and those a Mac adds, are no content. */
function isVisible(path: string): boolean {
	return !path.split("/").some((segment) => /^\.(?!\.?$)/.test(segment) || segment === "__MACOSX");
}

/** Archives often hold one folder that holds everything; the bundle's root is inside it. */
function withoutSharedFolder(files: BundleFiles): BundleFiles {
	const [first] = [...files.keys()];
	const folder = first?.includes("/") ? `${first.split("/", 1)[0]}/` : undefined;
	if (folder === undefined || ![...files.keys()].every((path) => path.startsWith(folder)))
		return files;
	return new Map([...files].map(([path, bytes]) => [path.slice(folder.length), bytes]));
}
