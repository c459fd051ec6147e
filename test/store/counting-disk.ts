import type { FileSystem, OpenFile } from "../../store/journal/file-system.js";
import type { Cost } from "./store-under-test.js";

export interface CountingDisk extends FileSystem {
	readonly counted: () => Omit<Cost, "entries">;
}

/** Counts every call and every byte on their way to a disk. */
export function countOn(disk: FileSystem): CountingDisk {
	let [calls, bytesRead, bytesWritten] = [0, 0, 0];
	const call = <T>(result: Promise<T>): Promise<T> => {
		calls += 1;
		return result;
	};
	const looked = async <T extends Buffer | undefined>(result: Promise<T>): Promise<T> => {
		const bytes = await call(result);
		bytesRead += bytes?.length ?? 0;
		return bytes;
	};
	const written = (result: Promise<number>, bytes: Uint8Array): Promise<number> => {
		bytesWritten += bytes.length;
		return call(result);
	};
	const toFile = (file: OpenFile): OpenFile => ({
		write: (bytes, position) => written(file.write(bytes, position), bytes),
		writeDurably: (bytes, position) => written(file.writeDurably(bytes, position), bytes),
		sync: () => call(file.sync()),
		truncate: (length) => call(file.truncate(length)),
		close: () => file.close(),
	});
	return {
		counted: () => ({ calls, bytesRead, bytesWritten }),
		makeFolder: (path) => call(disk.makeFolder(path)),
		makeNewFolder: (path) => call(disk.makeNewFolder(path)),
		kindOf: (path) => call(disk.kindOf(path)),
		isMountPoint: (folder) => call(disk.isMountPoint(folder)),
		space: (folder) => call(disk.space(folder)),
		async openForReading(path) {
			const file = await call(disk.openForReading(path));
			const read = file?.read;
			return read && { ...file, read: (...part) => looked(read(...part)) };
		},
		list: (folder) => call(disk.list(folder)),
		read: (path) => looked(disk.read(path)),
		readPart: (path, position, length) => looked(disk.readPart(path, position, length)),
		size: (path) => call(disk.size(path)),
		open: async (path, how) => toFile(await call(disk.open(path, how))),
		rename: (from, to) => call(disk.rename(from, to)),
		link: (from, to) => call(disk.link(from, to)),
		remove: (path) => call(disk.remove(path)),
		syncFolder: (folder) => call(disk.syncFolder(folder)),
	};
}
