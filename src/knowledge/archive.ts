import { unzipSync, zipSync } from "fflate";
import { ServiceError } from "../core/errors.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";

/** Packs files so that the same files always give the same bytes, in any time zone, on any system. */
export function packArchive(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
	// The format stores local time without a zone; its first representable instant, read locally, is the same everywhere.
	const mtime = new Date(1980, 0, 1);
	const paths = [...files.keys()].sort();
	const entries = paths.map((path) => [path, files.get(path) ?? new Uint8Array()] as const);
	return zipSync(Object.fromEntries(entries), { mtime, level: 9, os: 3, attrs: 0o100644 << 16 });
}

/**
 * The wanted files of a zip archive. Names that climb out are left to the caller's checks: nothing is written here.
 * Throws INVALID_ARGUMENT for what is no zip archive and for one that unpacks to too much, before unpacking it.
 */
export function unpackArchive(
	archive: Uint8Array,
	isWanted: (path: string) => boolean,
): Map<string, Uint8Array> {
	let count = 0;
	let totalBytes = 0;
	const admit = (entry: { name: string; size: number; originalSize: number }): boolean => {
		if (entry.name.endsWith("/") || !isWanted(entry.name)) return false;
		count += 1;
		totalBytes += entry.originalSize;
		const isBomb = entry.originalSize > (entry.size + 1_024) * BUNDLE_LIMITS.archiveRatio;
		if (count > BUNDLE_LIMITS.files || totalBytes > BUNDLE_LIMITS.archiveBytes || isBomb) {
			throw new ServiceError(
				"INVALID_ARGUMENT",
				`The archive unpacks to too much at "${entry.name.slice(0, 200)}".`,
			);
		}
		return true;
	};
	try {
		return new Map(Object.entries(unzipSync(archive, { filter: admit })));
	} catch (error) {
		if (error instanceof ServiceError) throw error;
		throw new ServiceError("INVALID_ARGUMENT", "The file is not a readable zip archive.", {
			cause: error,
		});
	}
}
