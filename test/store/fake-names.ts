import { dirname } from "node:path";
import { type FakeFile, fileOf, mixSectors } from "./fake-file.js";

/** The names on a disk in memory, and what a power cut would leave of them. */
export interface FakeNames {
	/** Files as programs see them. */
	readonly seen: Map<string, FakeFile>;
	/** Folders as programs see them. */
	readonly folders: Set<string>;
	hasBelow(folder: string): boolean;
	/** With all that is in it, and how durable it was. */
	renameFolder(from: string, to: string): void;
	syncFolder(folder: string): void;
	/** What was synced, and any part of what was not; `random` is in [0, 1). */
	afterPowerCut(random: () => number): FakeRemains;
}

interface FakeRemains {
	readonly files: ReadonlyMap<string, Buffer>;
	readonly folders: ReadonlySet<string>;
}

interface FolderRename {
	readonly from: string;
	readonly to: string;
}

export function createFakeNames({ files, folders: given }: FakeRemains): FakeNames {
	const seen = new Map<string, FakeFile>();
	for (const [path, bytes] of files) seen.set(path, fileOf(bytes));
	/** Names that survive a power cut for sure. */
	const durableNames = new Map(seen);
	const folders = new Set(given);
	const durableFolders = new Set(given);
	/** Whose new names may not survive, and then the old ones are back. */
	let renames: FolderRename[] = [];

	const syncFiles = (folder: string) => {
		for (const path of [...durableNames.keys()]) {
			if (dirname(path) === folder && !seen.has(path)) durableNames.delete(path);
		}
		for (const [path, file] of seen) {
			if (dirname(path) === folder) durableNames.set(path, file);
		}
	};

	return {
		seen,
		folders,
		hasBelow: (folder) =>
			[...seen.keys(), ...folders].some((path) => path.startsWith(`${folder}/`)),
		renameFolder(from, to) {
			for (const names of [seen, durableNames]) {
				for (const [path, file] of [...names].filter(([name]) => isWithin(name, from))) {
					names.delete(path);
					names.set(moved(path, from, to), file);
				}
			}
			folders.delete(to);
			for (const names of [folders, durableFolders]) {
				for (const path of [...names].filter((name) => isWithin(name, from))) {
					names.delete(path);
					names.add(moved(path, from, to));
				}
			}
			renames.push({ from, to });
		},
		syncFolder(folder) {
			renames = renames.filter(({ to }) => dirname(to) !== folder);
			for (const path of [...durableFolders]) {
				if (dirname(path) === folder) durableFolders.delete(path);
			}
			for (const path of folders) if (dirname(path) === folder) durableFolders.add(path);
			syncFiles(folder);
		},
		afterPowerCut(random) {
			const found = new Map<string, Buffer>();
			const lost = [...folders].filter((path) => !durableFolders.has(path) && random() < 0.5);
			const undone = renames.filter(() => random() < 0.5).toReversed();
			const isFound = (path: string) => !lost.some((folder) => isWithin(path, folder));
			const nameOf = (path: string) =>
				undone.reduce((name, { from, to }) => moved(name, to, from), path);
			for (const path of new Set([...durableNames.keys(), ...seen.keys()])) {
				const [before, after] = [durableNames.get(path), seen.get(path)];
				const file = before === after || random() < 0.5 ? after : before;
				if (file && isFound(path)) found.set(nameOf(path), mixSectors(file, random));
			}
			return { files: found, folders: new Set([...folders].filter(isFound).map(nameOf)) };
		},
	};
}

function isWithin(path: string, folder: string): boolean {
	return path === folder || path.startsWith(`${folder}/`);
}

/** The name of a path once a folder has another one. */
function moved(path: string, from: string, to: string): string {
	return isWithin(path, from) ? `${to}${path.slice(from.length)}` : path;
}
