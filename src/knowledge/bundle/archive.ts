import { deflateRawSync } from "node:zlib";
import { unzipSync, Zip, ZipPassThrough, zipSync } from "fflate";
import { invalidArgument, ServiceError } from "../../kernel/kernel.js";
import type { Steps } from "../model/work-in-turns.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";

/** Packs files so that the same files always give the same bytes, in any time zone, on any system. */
export function packArchive(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
	const paths = [...files.keys()].sort();
	const entries = paths.map((path) => [path, files.get(path) ?? new Uint8Array()] as const);
	return zipSync(Object.fromEntries(entries), { ...FILE_MARKS, mtime: firstInstant(), level: 9 });
}

/** Packs files like `packArchive`, one after the other; its bytes are other ones, and the same each time as well. */
export function* packInSteps(files: ReadonlyMap<string, Uint8Array>): Steps<Uint8Array> {
	const chunks: Uint8Array[] = [];
	const archive = new Zip((error, chunk) => {
		if (error) throw error;
		chunks.push(chunk);
	});
	for (const path of [...files.keys()].sort()) {
		const entry = new DeflatedFile(path);
		Object.assign(entry, FILE_MARKS, { mtime: firstInstant() });
		archive.add(entry);
		entry.push(files.get(path) ?? new Uint8Array(), true);
		yield;
	}
	archive.end();
	return Buffer.concat(chunks);
}

/** One small file, deflated by the system's library: a stream of our own for each would take a hundred times as long. */
class DeflatedFile extends ZipPassThrough {
	override compression = 8;

	protected override process(bytes: Uint8Array, isLast: boolean): void {
		this.ondata(null, deflateRawSync(bytes, { level: 6 }), isLast);
	}
}

/** Files of a Unix system that their owner may write. */
const FILE_MARKS = { os: 3, attrs: 0o100644 << 16 };

/** The format stores local time without a zone; its first representable instant, read locally, is the same everywhere. */
function firstInstant(): Date {
	return new Date(1980, 0, 1);
}

/** What an archive says of one of its files; nothing of it is known to be true. */
interface ArchiveEntry {
	readonly name: string;
	readonly size: number;
	readonly originalSize: number;
	/** 0 for stored, 8 for deflated. */
	readonly compression: number;
}

/**
 * The wanted files of a zip archive. Throws INVALID_ARGUMENT, before unpacking, for one that lies
 * or is too large.
 */
export function unpackArchive(
	archive: Uint8Array,
	isWanted: (path: string, sizeBytes: number) => boolean,
): Map<string, Uint8Array> {
	const names = new Set<string>();
	let packedBytes = 0;
	let totalBytes = 0;
	const admit = (entry: ArchiveEntry): boolean => {
		// Stored files are as long as they are in the archive, whatever length is declared.
		const bytes = Math.max(entry.size, entry.originalSize);
		if (entry.name.endsWith("/") || !isWanted(entry.name, bytes)) return false;
		// Entries that share bytes, or a name, take more room unpacked than their archive lets one expect.
		packedBytes += entry.size;
		const isFalse = entry.compression === 0 && entry.size !== entry.originalSize;
		if (names.has(entry.name) || packedBytes > archive.length || isFalse) {
			throw refusal("is damaged or made to mislead", entry);
		}
		names.add(entry.name);
		totalBytes += bytes;
		const bytesMax = Math.min(
			BUNDLE_LIMITS.fileBytes,
			(entry.size + 1_024) * BUNDLE_LIMITS.archiveRatio,
		);
		const isBomb = bytes > bytesMax;
		const isTooMuch = names.size > BUNDLE_LIMITS.files || totalBytes > BUNDLE_LIMITS.archiveBytes;
		if (isTooMuch || isBomb) throw refusal("unpacks to too much", entry);
		return true;
	};
	try {
		return new Map(Object.entries(unzipSync(archive, { filter: admit })));
	} catch (error) {
		if (error instanceof ServiceError) throw error;
		throw invalidArgument("The file is not a readable zip archive.", {
			cause: error,
		});
	}
}

function refusal(complaint: string, { name }: ArchiveEntry): ServiceError {
	return invalidArgument(`The archive ${complaint} at "${name.slice(0, 200)}".`);
}
