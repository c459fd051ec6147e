import { basename, dirname } from "node:path";
import type { FileSystem, OpenFile, Space } from "../../store/journal/file-system.js";
import { cut, type FakeFile, fileOf, put, readAll } from "./fake-file.js";
import { createFakeNames } from "./fake-names.js";

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
	const names = createFakeNames({ files, folders });
	const { seen, folders: allFolders } = names;
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
		isMountPoint: async () => false,
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
			if (how !== "create") throw new TypeError(`"${String(how)}" is no way to open a file.`);
			perform("create", path);
			if (seen.has(path) || allFolders.has(path)) throw diskError("EEXIST");
			const file = fileOf(Buffer.alloc(0));
			seen.set(path, file);
			return toOpenFile(path, file);
		},
		async rename(from, to) {
			perform("rename", to);
			if (allFolders.has(from)) {
				if (names.hasBelow(to)) throw diskError("ENOTEMPTY");
				return names.renameFolder(from, to);
			}
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
				const paths = [...seen.keys(), ...allFolders];
				if (paths.some((name) => dirname(name) === path)) throw diskError("ENOTEMPTY");
				return allFolders.delete(path);
			}
			return seen.delete(path);
		},
		async syncFolder(folder) {
			perform("syncFolder", folder);
			names.syncFolder(folder);
		},
		afterPowerCut(random) {
			const left = names.afterPowerCut(random);
			return createFakeDisk(left.files, left.folders);
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
