import { createHash } from "node:crypto";
import { nextTurn, unavailable } from "../../src/kernel/kernel.js";
import { type FileSystem, type ReadableFile, writeFully } from "./file-system.js";

const PART_BYTES = 256 * 1024;

export interface FileHash {
	readonly bytes: number;
	readonly sha256: string;
}

export interface CopyOptions {
	readonly to: string;
	/** Only the first so many; all by default. What is missing of them is a failure. */
	readonly bytes?: number | undefined;
	/** Called before each part; what it throws ends the copy. */
	readonly onPart?: (() => void) | undefined;
}

/** Copies an open file in parts and syncs the copy: another file may take its name meanwhile. */
export async function copyOpened(
	fileSystem: FileSystem,
	source: ReadableFile,
	{ to, bytes: wanted, onPart }: CopyOptions,
): Promise<FileHash> {
	const bytes = wanted ?? source.bytes;
	const sha256 = createHash("sha256");
	const file = await fileSystem.open(to, "create");
	try {
		let position = 0;
		for await (const part of partsOf(source, bytes)) {
			onPart?.();
			await writeFully(file, part, position);
			sha256.update(part);
			position += part.length;
		}
		if (wanted === undefined && (await source.read(bytes, 1)).length > 0) {
			throw new Error(`what became "${to}" has grown beyond ${bytes} bytes while it was copied`);
		}
		await file.sync();
	} finally {
		await file.close();
	}
	return { bytes, sha256: sha256.digest("hex") };
}

export function hashFile(fileSystem: FileSystem, path: string): Promise<FileHash | undefined> {
	return withFile(fileSystem, path, async (source) => {
		const sha256 = createHash("sha256");
		for await (const part of partsOf(source, source.bytes)) sha256.update(part);
		return { bytes: source.bytes, sha256: sha256.digest("hex") };
	});
}

/** Opens a file for as long as it is used; undefined when there is none. */
export async function withFile<T>(
	fileSystem: FileSystem,
	path: string,
	use: (file: ReadableFile) => Promise<T>,
): Promise<T | undefined> {
	const file = await fileSystem.openForReading(path);
	if (!file) return undefined;
	try {
		return await use(file);
	} finally {
		await file.close();
	}
}

async function* partsOf(source: ReadableFile, bytes: number): AsyncGenerator<Buffer> {
	let position = 0;
	while (position < bytes) {
		const part = await source.read(position, Math.min(PART_BYTES, bytes - position));
		if (part.length === 0) throw new Error(`a file ends after ${position} of ${bytes} bytes`);
		yield part;
		position += part.length;
		// Calls go on meanwhile.
		await nextTurn();
	}
}

const MIB = 1024 * 1024;
/** Stays free beside a backup, so that sales on the same disk go on; on a small disk a share of it. */
const RESERVE_BYTES = 64 * MIB;
const RESERVE_SHARE = 0.05;
/** What a file takes beside its bytes, at most: its last block, and its name. */
const BYTES_BESIDE = 8 * 1024;

/** Throws UNAVAILABLE unless a disk takes so much more and keeps a reserve; a disk that reports no space is trusted. */
export async function assertSpace(
	fileSystem: Pick<FileSystem, "space">,
	folder: string,
	{ bytes, files }: { readonly bytes: number; readonly files: number },
): Promise<void> {
	const space = await fileSystem.space(folder);
	if (!space) return;
	const needed = bytes + files * BYTES_BESIDE;
	const reserve = Math.min(RESERVE_BYTES, RESERVE_SHARE * space.total);
	if (space.free - needed >= reserve) return;
	throw unavailable(
		`No backup was made: the disk of "${folder}" has ${inMib(space.free)} free; what is still to be copied takes ${inMib(needed)}, and ${inMib(reserve)} must stay free so that a service on that disk goes on. Free some space or name a folder on another disk, and run it again.`,
	);
}

function inMib(bytes: number): string {
	return `${(bytes / MIB).toFixed(1)} MiB`;
}
