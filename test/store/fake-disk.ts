import { basename, dirname } from "node:path";
import type { FileSystem, OpenFile, Space } from "../../store/journal/file-system.js";

const SECTOR_BYTES = 512;

/** Bytes as programs see them, and the way back to those that would be found after a power cut. */
interface FakeFile {
	/** May be longer than the file. */
	room: Buffer;
	length: number;
	/** What was not synced yet, oldest first. */
	unsynced: Change[];
}

interface Change {
	readonly position: number;
	/** What was there before. */
	readonly bytes: Buffer;
	/** The file's length before. */
	readonly length: number;
}

export interface DiskOperation {
	readonly name:
		| "write"
		| "writeDurably"
		| "sync"
		| "truncate"
		| "rename"
		| "link"
		| "create"
		| "syncFolder";
	readonly path: string;
}

/** What the disk does with an operation: as asked, half of it, or an error; `unsynced` writes and then fails to sync. */
export type Verdict = "work" | "short" | { readonly error: Error; readonly unsynced?: boolean };

/** A disk in memory that fails on request and can be cut from power. */
export interface FakeDisk extends FileSystem {
	judge: (operation: DiskOperation) => Verdict;
	/** What it says of its room. */
	room: Space | undefined;
	/** Operations so far that change something. */
	readonly operations: readonly DiskOperation[];
	/** What a machine finds after a power cut: what was synced, and any part of what was not; `random` is in [0, 1). */
	afterPowerCut(random: () => number): FakeDisk;
	/** A disk of its own with the same files, all of them durable. */
	copy(): FakeDisk;
	/** Names of all files, sorted. */
	files(): readonly string[];
	edit(path: string, change: (bytes: Buffer) => Buffer): void;
	exchange(one: string, other: string): void;
}

export function diskError(code: string): Error {
	return Object.assign(new Error(`${code}: simulated`), { code });
}

export function createFakeDisk(
	files: ReadonlyMap<string, Buffer> = new Map(),
	folders: ReadonlySet<string> = new Set(),
): FakeDisk {
	const seen = new Map<string, FakeFile>();
	for (const [path, bytes] of files) seen.set(path, fileOf(bytes));
	/** Names that survive a power cut for sure. */
	const durableNames = new Map(seen);
	const allFolders = new Set(folders);
	const operations: DiskOperation[] = [];

	const judge = (name: DiskOperation["name"], path: string): Verdict => {
		operations.push({ name, path });
		return disk.judge({ name, path });
	};
	const perform = (name: DiskOperation["name"], path: string): "work" | "short" => {
		const verdict = judge(name, path);
		if (typeof verdict === "object") throw verdict.error;
		return verdict;
	};
	const getFile = (path: string): FakeFile => {
		const file = seen.get(path);
		if (file) return file;
		throw diskError("ENOENT");
	};
	/** With all that is in it, durable at once. */
	const renameFolder = (from: string, to: string) => {
		const names = [...seen.keys(), ...allFolders];
		if (names.some((path) => path.startsWith(`${to}/`))) throw diskError("ENOTEMPTY");
		const moved = (path: string) => `${to}${path.slice(from.length)}`;
		const isInside = (path: string) => path === from || path.startsWith(`${from}/`);
		for (const names of [seen, durableNames]) {
			for (const [path, file] of [...names].filter(([name]) => isInside(name))) {
				names.delete(path);
				names.set(moved(path), file);
			}
		}
		for (const folder of [...allFolders].filter(isInside)) {
			allFolders.delete(folder);
			allFolders.add(moved(folder));
		}
	};
	const toOpenFile = (path: string, file: FakeFile): OpenFile => ({
		async write(bytes, position) {
			const part = partOf(bytes, perform("write", path));
			put(file, part, position);
			return part.length;
		},
		async writeDurably(bytes, position) {
			const verdict = judge("writeDurably", path);
			const isFailed = typeof verdict === "object";
			const part = partOf(bytes, verdict);
			if (!isFailed || verdict.unsynced) put(file, part, position);
			if (isFailed) throw verdict.error;
			// As a real disk: later than the caller's next microtask, so that callers gather.
			await new Promise<void>((resolve) => {
				setImmediate(resolve);
			});
			if (verdict === "work") file.unsynced = [];
			return part.length;
		},
		async sync() {
			perform("sync", path);
			file.unsynced = [];
		},
		async truncate(length) {
			perform("truncate", path);
			cut(file, length);
		},
		close: async () => undefined,
	});

	const disk: FakeDisk = {
		room: undefined,
		judge: () => "work",
		operations,
		async makeFolder(path) {
			for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
				allFolders.add(folder);
			}
		},
		async makeNewFolder(path) {
			if (allFolders.has(path) || seen.has(path)) throw diskError("EEXIST");
			allFolders.add(path);
		},
		async kindOf(path) {
			if (seen.has(path)) return "file";
			return path === "/" || allFolders.has(path) ? "folder" : undefined;
		},
		space: async () => disk.room,
		async openForReading(path) {
			const file = seen.get(path);
			if (!file) return undefined;
			const read = async (position: number, length: number) =>
				Buffer.from(file.room.subarray(position, Math.min(position + length, file.length)));
			return { bytes: file.length, read, close: async () => undefined };
		},
		async list(folder) {
			const names = [...seen.keys(), ...allFolders].filter((path) => dirname(path) === folder);
			return names.map((path) => basename(path)).sort();
		},
		read: async (path) => readAll(seen.get(path)),
		async readPart(path, position, length) {
			const file = getFile(path);
			return Buffer.from(file.room.subarray(position, Math.min(position + length, file.length)));
		},
		size: async (path) => seen.get(path)?.length,
		async open(path, how) {
			if (how === "existing") return toOpenFile(path, getFile(path));
			perform("create", path);
			if (seen.has(path)) throw diskError("EEXIST");
			const file = fileOf(Buffer.alloc(0));
			seen.set(path, file);
			return toOpenFile(path, file);
		},
		async rename(from, to) {
			perform("rename", to);
			if (allFolders.has(from)) return renameFolder(from, to);
			const file = getFile(from);
			seen.delete(from);
			seen.set(to, file);
		},
		async link(from, to) {
			perform("link", to);
			if (seen.has(to)) throw diskError("EEXIST");
			seen.set(to, getFile(from));
		},
		async remove(path) {
			if (allFolders.has(path)) {
				const names = [...seen.keys(), ...allFolders];
				if (names.some((name) => dirname(name) === path)) throw diskError("ENOTEMPTY");
				return allFolders.delete(path);
			}
			return seen.delete(path);
		},
		async syncFolder(folder) {
			perform("syncFolder", folder);
			for (const path of [...durableNames.keys()]) {
				if (dirname(path) === folder && !seen.has(path)) durableNames.delete(path);
			}
			for (const [path, file] of seen) {
				if (dirname(path) === folder) durableNames.set(path, file);
			}
		},
		afterPowerCut(random) {
			const found = new Map<string, Buffer>();
			for (const path of new Set([...durableNames.keys(), ...seen.keys()])) {
				const [before, after] = [durableNames.get(path), seen.get(path)];
				const file = before === after || random() < 0.5 ? after : before;
				if (file) found.set(path, mixSectors(file, random));
			}
			return createFakeDisk(found, allFolders);
		},
		copy: () =>
			createFakeDisk(new Map([...seen].map(([path, file]) => [path, readAll(file)])), allFolders),
		files: () => [...seen.keys()].sort(),
		edit(path, change) {
			seen.set(path, fileOf(change(readAll(getFile(path)))));
		},
		exchange(one, other) {
			const [first, second] = [getFile(one), getFile(other)];
			seen.set(one, second);
			seen.set(other, first);
		},
	};
	return disk;
}

function partOf(bytes: Uint8Array, verdict: Verdict): Uint8Array {
	return verdict === "short" ? bytes.subarray(0, bytes.length >> 1) : bytes;
}

function fileOf(bytes: Buffer): FakeFile {
	return { room: Buffer.from(bytes), length: bytes.length, unsynced: [] };
}

/** A copy, so that later writes do not show in it. */
function readAll(file: FakeFile): Buffer;
function readAll(file: FakeFile | undefined): Buffer | undefined;
function readAll(file: FakeFile | undefined): Buffer | undefined {
	return file && Buffer.from(file.room.subarray(0, file.length));
}

function put(file: FakeFile, bytes: Uint8Array, position: number): void {
	const end = position + bytes.length;
	note(file, position, Math.min(end, file.length));
	if (end > file.room.length) {
		const room = Buffer.alloc(Math.max(end, 2 * file.room.length));
		file.room.copy(room, 0, 0, file.length);
		file.room = room;
	}
	// What is skipped reads as zeros.
	if (position > file.length) file.room.fill(0, file.length, position);
	file.room.set(bytes, position);
	file.length = Math.max(file.length, end);
}

function cut(file: FakeFile, length: number): void {
	if (length > file.length) put(file, Buffer.alloc(length - file.length), file.length);
	note(file, length, file.length);
	file.length = length;
}

/** Remembers what lies between two positions, before it changes. */
function note(file: FakeFile, from: number, to: number): void {
	const bytes = Buffer.from(file.room.subarray(from, Math.max(from, to)));
	file.unsynced.push({ position: from, bytes, length: file.length });
}

function durableOf({ room, length, unsynced }: FakeFile): Buffer {
	const bytes = Buffer.alloc(Math.max(length, ...unsynced.map((change) => change.length)));
	room.copy(bytes, 0, 0, length);
	for (const change of unsynced.toReversed()) change.bytes.copy(bytes, change.position);
	return bytes.subarray(0, unsynced[0]?.length ?? length);
}

/** Each sector is as synced or as written last; the length is anywhere between the two. */
function mixSectors(file: FakeFile, random: () => number): Buffer {
	const cached = readAll(file);
	if (file.unsynced.length === 0) return cached;
	const durable = durableOf(file);
	const length = durable.length + Math.round(random() * (cached.length - durable.length));
	const mixed = Buffer.alloc(length);
	durable.copy(mixed);
	for (let at = 0; at < length; at += SECTOR_BYTES) {
		const end = Math.min(at + SECTOR_BYTES, length, cached.length);
		if (at < end && random() < 0.5) cached.copy(mixed, at, at, end);
	}
	return mixed;
}

/** A small repeatable source of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}
