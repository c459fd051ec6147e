import { dirname } from "node:path";
import type { FileSystem, OpenFile } from "./file-system.js";

/** Writes all bytes or rejects: a short write is a failure of the disk, not a wish to be asked again. */
export async function writeFully(
	file: OpenFile,
	bytes: Uint8Array,
	position: number,
): Promise<void> {
	assertWhole(await file.write(bytes, position), bytes);
}

/** As `writeFully`, and resolves when the bytes are on the disk. */
export async function writeDurably(
	file: OpenFile,
	bytes: Uint8Array,
	position: number,
): Promise<void> {
	assertWhole(await file.writeDurably(bytes, position), bytes);
}

function assertWhole(written: number, { byteLength }: Uint8Array): void {
	if (written === byteLength) return;
	throw new Error(`the disk took ${written} of ${byteLength} bytes (short write)`);
}

/**
 * Puts a whole file into place: readers see the old one or the new one, and after the promise resolves only the new
 * one, power cut or not. `temporaryPath` must be on the same disk and nobody else's; it is gone in the end, also after a
 * failure unless the disk refuses that as well.
 */
export async function replaceFile(
	fileSystem: FileSystem,
	{ path, temporaryPath, chunks }: { path: string; temporaryPath: string; chunks: Chunks },
): Promise<void> {
	await fileSystem.remove(temporaryPath);
	try {
		await writeNew(fileSystem, temporaryPath, chunks);
		await fileSystem.rename(temporaryPath, path);
	} catch (error) {
		await fileSystem.remove(temporaryPath).catch(() => undefined);
		throw error;
	}
	await fileSystem.syncFolder(dirname(path));
}

async function writeNew(fileSystem: FileSystem, path: string, chunks: Chunks): Promise<void> {
	const file = await fileSystem.open(path, "create");
	try {
		let position = 0;
		for await (const chunk of chunks) {
			await writeFully(file, chunk, position);
			position += chunk.byteLength;
		}
		await file.sync();
	} finally {
		await file.close();
	}
}

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
