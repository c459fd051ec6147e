import * as fs from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

const { link, lstat, mkdir, readdir, readFile, rename, rmdir, stat, statfs, unlink } = fs.promises;

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export interface OpenFile {
	/** Writes at a position and returns how many bytes arrived, which may be fewer than asked. */
	write(bytes: Uint8Array, position: number): Promise<number>;
	/** As `write`, then fdatasync. After a rejection the bytes may be anywhere: never retry. */
	writeDurably(bytes: Uint8Array, position: number): Promise<number>;
	/** Resolves when everything written, and the file's length, is on the disk (fsync). */
	sync(): Promise<void>;
	truncate(length: number): Promise<void>;
	close(): Promise<void>;
}

/** One file opened to be read: the same file to the end, whatever takes its name meanwhile. */
export interface ReadableFile {
	readonly bytes: number;
	/** Up to `length` bytes from `position`; fewer at the end of the file. */
	read(position: number, length: number): Promise<Buffer>;
	close(): Promise<void>;
}

export interface Space {
	readonly free: number;
	readonly total: number;
}

/** Everything the journal asks of a disk; injected, so that tests can fail it and cut its power. */
export interface FileSystem {
	/** Makes a folder and those above it that are missing, for the owner only. */
	makeFolder(path: string): Promise<void>;
	/** Makes one folder, for the owner only; rejects with EEXIST when something has the name. */
	makeNewFolder(path: string): Promise<void>;
	/** What has the name; a link is a link, wherever it leads. Undefined when nothing has it. */
	kindOf(path: string): Promise<"file" | "folder" | "link" | undefined>;
	/** True for the top of another disk than the folder above is on: it cannot be renamed or replaced. */
	isMountPoint(folder: string): Promise<boolean>;
	/** Room on the disk that a folder is on; undefined where the system does not report it. */
	space(folder: string): Promise<Space | undefined>;
	/** Names in a folder, sorted; none when there is no such folder. */
	list(folder: string): Promise<readonly string[]>;
	read(path: string): Promise<Buffer | undefined>;
	readPart(path: string, position: number, length: number): Promise<Buffer>;
	openForReading(path: string): Promise<ReadableFile | undefined>;
	size(path: string): Promise<number | undefined>;
	/** `create` makes the file for the owner only and rejects with EEXIST when it is there; `existing` with ENOENT when not. */
	open(path: string, how: "create" | "existing"): Promise<OpenFile>;
	rename(from: string, to: string): Promise<void>;
	/** Gives a file a second name at once, whole; rejects with EEXIST when something has it. */
	link(from: string, to: string): Promise<void>;
	/** True when there was something to remove: a file, an empty folder, or a link and not what it leads to. */
	remove(path: string): Promise<boolean>;
	/** Resolves when the names in a folder are on the disk. */
	syncFolder(path: string): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
	async makeFolder(path) {
		await mkdir(path, { recursive: true, mode: FOLDER_MODE });
	},
	makeNewFolder: (path) => mkdir(path, { mode: FOLDER_MODE }),
	async kindOf(path) {
		const found = await orMissing(lstat(path));
		if (found?.isSymbolicLink()) return "link";
		if (found?.isDirectory()) return "folder";
		return found && "file";
	},
	async isMountPoint(folder) {
		const [own, above] = [await orMissing(stat(folder)), await orMissing(stat(dirname(folder)))];
		return own !== undefined && above !== undefined && own.dev !== above.dev;
	},
	async space(folder) {
		const found = await statfs(folder).catch(() => undefined);
		return found && { free: found.bavail * found.bsize, total: found.blocks * found.bsize };
	},
	list: async (folder) => (await orMissing(readdir(folder)))?.sort() ?? [],
	read: (path) => orMissing(readFile(path)),
	readPart: async (path, position, length) => {
		const fd = await open(path, fs.constants.O_RDONLY);
		try {
			return await readFrom(fd, position, length);
		} finally {
			await close(fd);
		}
	},
	async openForReading(path) {
		const fd = await orMissing(open(path, fs.constants.O_RDONLY));
		if (fd === undefined) return undefined;
		try {
			const { size: bytes } = await fstat(fd);
			const read = (position: number, length: number) => readFrom(fd, position, length);
			return { bytes, read, close: () => close(fd) };
		} catch (error) {
			await close(fd);
			throw error;
		}
	},
	size: async (path) => (await orMissing(stat(path)))?.size,
	async open(path, how) {
		const { O_CREAT, O_EXCL, O_RDWR } = fs.constants;
		const fd = await open(path, how === "create" ? O_RDWR | O_CREAT | O_EXCL : O_RDWR);
		return toOpenFile(path, fd);
	},
	rename,
	link,
	remove: async (path) => (await orMissing(removeOne(path))) !== undefined,
	async syncFolder(path) {
		// Windows opens no folders; NTFS keeps a journal of names by itself.
		if (process.platform === "win32") return;
		const fd = await open(path, fs.constants.O_RDONLY);
		try {
			await fsync(fd);
		} finally {
			await close(fd);
		}
	},
};

const openFd = promisify(fs.open);
const readBytes = promisify(fs.read);
const writeBytes = promisify(fs.write);
const fstat = promisify(fs.fstat);
const fdatasync = promisify(fs.fdatasync);
const fsync = promisify(fs.fsync);
const ftruncate = promisify(fs.ftruncate);
const close = promisify(fs.close);

function open(path: string, flags: number): Promise<number> {
	return openFd(path, flags, FILE_MODE);
}

async function readFrom(fd: number, position: number, length: number): Promise<Buffer> {
	const bytes = Buffer.alloc(length);
	let read = 0;
	while (read < length) {
		const { bytesRead } = await readBytes(fd, bytes, read, length - read, position + read);
		if (bytesRead === 0) break;
		read += bytesRead;
	}
	return bytes.subarray(0, read);
}

// Plain descriptors: a FileHandle costs a third more processor time for each call.
function toOpenFile(path: string, fd: number): OpenFile {
	const write = async (target: number, bytes: Uint8Array, position: number) =>
		(await writeBytes(target, bytes, 0, bytes.byteLength, position)).bytesWritten;
	let durableFd: number | undefined;
	return {
		write: (bytes, position) => write(fd, bytes, position),
		async writeDurably(bytes, position) {
			// O_DSYNC is write and fdatasync in one call: one trip to the thread pool instead of two.
			if (process.platform === "linux") {
				durableFd ??= await open(path, fs.constants.O_RDWR | fs.constants.O_DSYNC);
				return write(durableFd, bytes, position);
			}
			const written = await write(fd, bytes, position);
			await fdatasync(fd);
			return written;
		},
		sync: () => fsync(fd),
		truncate: (length) => ftruncate(fd, length),
		async close() {
			if (durableFd !== undefined) await close(durableFd);
			await close(fd);
		},
	};
}

async function removeOne(path: string): Promise<true> {
	const isFolder = (await lstat(path)).isDirectory();
	await (isFolder ? rmdir(path) : unlink(path));
	return true;
}

async function orMissing<T>(result: Promise<T>): Promise<T | undefined> {
	try {
		return await result;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw error;
	}
}

/** Writes all bytes or rejects: a short write is a failure of the disk. */
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

export const SHORT_WRITE = "SHORT_WRITE";

function assertWhole(written: number, { byteLength }: Uint8Array): void {
	if (written === byteLength) return;
	const error = new Error(`the disk took ${written} of ${byteLength} bytes (short write)`);
	throw Object.assign(error, { code: SHORT_WRITE });
}

/**
 * Puts a whole file into place: readers see the old one or the new one, and only the new one after
 * the promise resolves, power cut or not. `temporaryPath` must be on the same disk; it is removed
 * in the end.
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
