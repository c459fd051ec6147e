import type { FileSystem, OpenFile } from "../../store/journal/file-system.js";
import { diskError, type FakeDisk, type Verdict } from "./fake-disk.js";

export interface FailingDisk extends FileSystem {
	/** Calls so far, looks included. */
	readonly calls: () => number;
}

/** A disk whose n-th call, be it a change or a look, meets the verdict; all others work. */
export function failAt(disk: FakeDisk, failing: number, verdict: Verdict): FailingDisk {
	let calls = 0;
	const change = <T>(act: () => Promise<T>): Promise<T> => {
		calls += 1;
		// Judged before it first waits, so that the verdict meets this call alone.
		disk.judge = calls === failing ? () => verdict : () => "work";
		const result = act();
		disk.judge = () => "work";
		return result;
	};
	const look = async <T>(act: () => Promise<T>): Promise<T> => {
		calls += 1;
		if (calls === failing) throw typeof verdict === "object" ? verdict.error : diskError("EIO");
		return act();
	};
	const toFile = (file: OpenFile): OpenFile => ({
		write: (bytes, position) => change(() => file.write(bytes, position)),
		writeDurably: (bytes, position) => change(() => file.writeDurably(bytes, position)),
		sync: () => change(() => file.sync()),
		truncate: (length) => change(() => file.truncate(length)),
		close: () => file.close(),
	});
	return {
		calls: () => calls,
		makeFolder: (path) => look(() => disk.makeFolder(path)),
		makeNewFolder: (path) => look(() => disk.makeNewFolder(path)),
		kindOf: (path) => look(() => disk.kindOf(path)),
		isMountPoint: (folder) => look(() => disk.isMountPoint(folder)),
		space: (folder) => look(() => disk.space(folder)),
		async openForReading(path) {
			const file = await look(() => disk.openForReading(path));
			const read = file?.read;
			return read && { ...file, read: (...part) => look(() => read(...part)) };
		},
		list: (folder) => look(() => disk.list(folder)),
		read: (path) => look(() => disk.read(path)),
		readPart: (path, position, length) => look(() => disk.readPart(path, position, length)),
		size: (path) => look(() => disk.size(path)),
		open: async (path, how) => toFile(await change(() => disk.open(path, how))),
		rename: (from, to) => change(() => disk.rename(from, to)),
		link: (from, to) => change(() => disk.link(from, to)),
		remove: (path) => look(() => disk.remove(path)),
		syncFolder: (folder) => change(() => disk.syncFolder(folder)),
	};
}
