import { dirname } from "node:path";
import type { FileSystem, OpenFile } from "../../store/journal/file-system.js";

const SECTOR_BYTES = 512;

/** Bytes as programs see them, and as they would be found after a power cut. */
interface FakeFile {
	cached: Buffer;
	durable: Buffer;
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
	for (const [path, bytes] of files) seen.set(path, { cached: bytes, durable: bytes });
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
	const put = (file: FakeFile, bytes: Uint8Array, position: number) => {
		const cached = Buffer.alloc(Math.max(file.cached.length, position + bytes.length));
		file.cached.copy(cached);
		cached.set(bytes, position);
		file.cached = cached;
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
			if (verdict === "work") file.durable = file.cached;
			return part.length;
		},
		async sync() {
			perform("sync", path);
			file.durable = file.cached;
		},
		async truncate(length) {
			perform("truncate", path);
			file.cached = file.cached.subarray(0, length);
		},
		close: async () => undefined,
	});

	const disk: FakeDisk = {
		judge: () => "work",
		operations,
		async makeFolder(path) {
			for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
				allFolders.add(folder);
			}
		},
		async list(folder) {
			const names = [...seen.keys(), ...allFolders].filter((path) => dirname(path) === folder);
			return names.map((path) => path.slice(folder.length + 1)).sort();
		},
		read: async (path) => seen.get(path)?.cached,
		readPart: async (path, position, length) =>
			getFile(path).cached.subarray(position, position + length),
		size: async (path) => seen.get(path)?.cached.length,
		async open(path, how) {
			if (how === "existing") return toOpenFile(path, getFile(path));
			perform("create", path);
			if (seen.has(path)) throw diskError("EEXIST");
			const file = { cached: Buffer.alloc(0), durable: Buffer.alloc(0) };
			seen.set(path, file);
			return toOpenFile(path, file);
		},
		async rename(from, to) {
			perform("rename", to);
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
			if (allFolders.delete(path)) return true;
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
			createFakeDisk(new Map([...seen].map(([path, { cached }]) => [path, cached])), allFolders),
		files: () => [...seen.keys()].sort(),
		edit(path, change) {
			const bytes = change(Buffer.from(getFile(path).cached));
			seen.set(path, { cached: bytes, durable: bytes });
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

/** Each sector is as synced or as written last; the length is anywhere between the two. */
function mixSectors({ cached, durable }: FakeFile, random: () => number): Buffer {
	if (cached === durable) return durable;
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
