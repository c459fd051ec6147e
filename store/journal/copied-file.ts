import { createHash } from "node:crypto";
import { writeFully } from "./durable-file.js";
import type { FileSystem, ReadableFile } from "./file-system.js";
import { nextTurn } from "./next-turn.js";

const PART_BYTES = 256 * 1024;

export interface FileHash {
	readonly bytes: number;
	readonly sha256: string;
}

export interface CopyOptions {
	/** Must not be there. */
	readonly to: string;
	/** Only the first so many; all by default. What is missing of them is a failure. */
	readonly bytes?: number | undefined;
	/** Called before each part; what it throws ends the copy. */
	readonly onPart?: (() => void) | undefined;
}

/** Copies a file in parts and syncs it; undefined, and nothing made, when the source is gone. */
export async function copyFile(
	fileSystem: FileSystem,
	{ from, ...options }: CopyOptions & { readonly from: string },
): Promise<FileHash | undefined> {
	const source = await fileSystem.openForReading(from);
	if (!source) return undefined;
	try {
		return await copyOpened(fileSystem, source, options);
	} finally {
		await source.close();
	}
}

/** As `copyFile`, from a file that is open: whatever takes its name meanwhile, this one is copied. */
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

/** Reads a file in parts; undefined when there is none. */
export async function hashFile(
	fileSystem: FileSystem,
	path: string,
): Promise<FileHash | undefined> {
	const source = await fileSystem.openForReading(path);
	if (!source) return undefined;
	const sha256 = createHash("sha256");
	try {
		for await (const part of partsOf(source, source.bytes)) sha256.update(part);
	} finally {
		await source.close();
	}
	return { bytes: source.bytes, sha256: sha256.digest("hex") };
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
