import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { crc32 } from "node:zlib";
import { ServiceError } from "../../src/core/errors.js";
import { messageOf } from "./damage.js";
import { replaceFile, writeFully } from "./durable-file.js";
import type { FileSystem } from "./file-system.js";
import { hex } from "./frame.js";
import { nextTurn } from "./next-turn.js";

/** The last file of a backup: a folder without it is none, so that an unfinished backup is never taken for a whole one. */
export const MANIFEST = "manifest.json";

const MANIFEST_END = ',"crc32":"';
const PART_BYTES = 256 * 1024;

export interface BackupFile {
	/** Within the backup, with forward slashes. */
	readonly path: string;
	readonly bytes: number;
	readonly sha256: string;
}

/** A folder that a backup is written into; everything in it is on the disk before `finish` resolves. */
export interface BackupFolder {
	/** Copies the first bytes of a file, all of them by default; false when it is gone or goes meanwhile. */
	copy(from: string, path: string, bytes?: number): Promise<boolean>;
	/** Takes in a file that `write` makes under the name it is given. */
	add(path: string, write: (fullPath: string) => Promise<void>): Promise<void>;
	/** Writes the manifest, after everything else. */
	finish(facts: object): Promise<{ readonly files: number; readonly bytes: number }>;
	/** Removes what was written, as far as the disk lets us. */
	abandon(): Promise<void>;
}

/** Throws INVALID_ARGUMENT unless the folder is missing or empty. */
export async function openBackupFolder(
	fileSystem: FileSystem,
	path: string,
): Promise<BackupFolder> {
	const folder = resolve(path);
	await assertEmpty(fileSystem, folder);
	const files: BackupFile[] = [];
	const written: string[] = [];
	const folders = new Set<string>();

	const prepare = async (path: string): Promise<string> => {
		const fullPath = join(folder, path);
		const own = dirname(fullPath);
		if (folders.has(own)) return fullPath;
		for (let above = own; above.length >= folder.length; above = dirname(above)) folders.add(above);
		await fileSystem.makeFolder(own);
		return fullPath;
	};
	await prepare(MANIFEST);

	return {
		async copy(from, path, bytes) {
			const to = await prepare(path);
			const copied = await copyFile(fileSystem, {
				from,
				to,
				bytes,
				onCreate: () => written.push(to),
			});
			if (copied) files.push({ path, ...copied });
			return copied !== undefined;
		},
		async add(path, write) {
			const to = await prepare(path);
			written.push(to);
			await write(to);
			files.push({ path, ...(await hashFile(fileSystem, to)) });
		},
		async finish(facts) {
			// From the innermost name to the folder's own.
			const byDepth = [...folders].sort((a, b) => b.length - a.length);
			for (const each of byDepth) await fileSystem.syncFolder(each);
			await syncOwnName(fileSystem, folder);
			const path = join(folder, MANIFEST);
			written.push(path);
			const chunks = manifestChunks(facts, files);
			await replaceFile(fileSystem, { path, temporaryPath: `${path}.new`, chunks });
			const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
			return { files: files.length, bytes };
		},
		async abandon() {
			const innermostFirst = [...folders].sort((a, b) => b.length - a.length);
			// The manifest goes first: without it nothing passes for a backup.
			for (const path of [...written.reverse(), ...innermostFirst]) {
				await fileSystem.remove(path).catch(() => undefined);
			}
		},
	};
}

/** Throws INVALID_ARGUMENT when something is there already. */
export async function assertEmpty(fileSystem: FileSystem, folder: string): Promise<void> {
	const names = await fileSystem.list(folder).catch((error: unknown) => {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`"${folder}" is no folder that can be used (${messageOf(error)}); name an empty or a new one.`,
		);
	});
	if (names.length === 0) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`The folder "${folder}" is not empty (it holds "${names[0]}"); name an empty or a new one.`,
	);
}

/** Puts a folder's own name on the disk. */
export async function syncOwnName(fileSystem: FileSystem, folder: string): Promise<void> {
	try {
		await fileSystem.syncFolder(dirname(resolve(folder)));
	} catch (error) {
		// Whoever may not even list the folder above did not make this one.
		if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
	}
}

export interface Copy {
	readonly from: string;
	/** Must not be there. */
	readonly to: string;
	/** Only the first so many; what is missing of them is a failure. */
	readonly bytes?: number | undefined;
	readonly onCreate?: () => void;
}

/** Copies a file in parts and syncs it; undefined, and nothing left, when the source is gone. */
export async function copyFile(
	fileSystem: FileSystem,
	{ from, to, bytes: wanted, onCreate }: Copy,
): Promise<Omit<BackupFile, "path"> | undefined> {
	const bytes = wanted ?? (await fileSystem.size(from));
	if (bytes === undefined) return undefined;
	const file = await fileSystem.open(to, "create");
	onCreate?.();
	const sha256 = createHash("sha256");
	let isGone = false;
	try {
		let position = 0;
		for await (const part of partsOf(fileSystem, from, bytes)) {
			await writeFully(file, part, position);
			sha256.update(part);
			position += part.length;
		}
		await file.sync();
	} catch (error) {
		isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
		if (!isGone) throw error;
	} finally {
		await file.close();
	}
	if (!isGone) return { bytes, sha256: sha256.digest("hex") };
	await fileSystem.remove(to);
	return undefined;
}

/** Reads a file in parts. */
export async function hashFile(
	fileSystem: FileSystem,
	path: string,
): Promise<Omit<BackupFile, "path">> {
	const bytes = (await fileSystem.size(path)) ?? 0;
	const sha256 = createHash("sha256");
	for await (const part of partsOf(fileSystem, path, bytes)) sha256.update(part);
	return { bytes, sha256: sha256.digest("hex") };
}

async function* partsOf(
	fileSystem: FileSystem,
	path: string,
	bytes: number,
): AsyncGenerator<Buffer> {
	let position = 0;
	while (position < bytes) {
		const part = await fileSystem.readPart(path, position, Math.min(PART_BYTES, bytes - position));
		if (part.length === 0) throw new Error(`"${path}" has ${position} bytes instead of ${bytes}`);
		yield part;
		position += part.length;
		// Calls go on meanwhile.
		await nextTurn();
	}
}

/** One line for each file, and last a checksum of what comes before it. */
function* manifestChunks(facts: object, files: readonly BackupFile[]): Generator<Buffer> {
	let crc = 0;
	for (const text of manifestLines(facts, files)) {
		const chunk = Buffer.from(text);
		crc = crc32(chunk, crc);
		yield chunk;
	}
	yield Buffer.from(`${MANIFEST_END}${hex(crc, 8)}"}\n`);
}

function* manifestLines(facts: object, files: readonly BackupFile[]): Generator<string> {
	yield `${JSON.stringify(facts).slice(0, -1)},"files":[\n`;
	for (const [index, file] of files.entries()) {
		yield `${JSON.stringify(file)}${index + 1 < files.length ? "," : ""}\n`;
	}
	yield "]";
}

/** False when a byte of the manifest is another one than was written. */
export function isManifestWhole(bytes: Buffer): boolean {
	const end = bytes.lastIndexOf(MANIFEST_END);
	if (end === -1) return false;
	const expected = `${MANIFEST_END}${hex(crc32(bytes.subarray(0, end)), 8)}"}\n`;
	return bytes.toString("utf8", end) === expected;
}
