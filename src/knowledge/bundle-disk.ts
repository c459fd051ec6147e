import { mkdir, mkdtemp, open, rename, rm, rmdir, stat, unlink, writeFile } from "node:fs/promises";

/** What an update asks of a disk; injected, so that tests can cut its power between any two calls. */
export interface BundleDisk {
	/** Makes a folder and those above it that are missing. */
	makeFolder(path: string): Promise<void>;
	/** A new folder: the prefix and six characters nobody else has. */
	makeWorkFolder(prefix: string): Promise<string>;
	/** Resolves when every byte is on the disk. */
	write(path: string, bytes: Uint8Array): Promise<void>;
	rename(from: string, to: string): Promise<void>;
	has(path: string): Promise<boolean>;
	isFolder(path: string): Promise<boolean>;
	/** Leaves what is no file, and what is not there. */
	remove(path: string): Promise<void>;
	/** Leaves a folder that holds something, and one that is not there. */
	removeEmptyFolder(path: string): Promise<void>;
	/** With everything in it. */
	removeFolder(path: string): Promise<void>;
	/** Asks the disk to remember the names; file systems that cannot are left alone. */
	syncFolder(path: string): Promise<void>;
}

export const nodeBundleDisk: BundleDisk = {
	async makeFolder(path) {
		await mkdir(path, { recursive: true });
	},
	makeWorkFolder: (prefix) => mkdtemp(prefix),
	write: (path, bytes) => writeFile(path, bytes, { mode: 0o644, flush: true }),
	rename: (from, to) => rename(from, to),
	has: async (path) => (await stat(path).catch(() => undefined)) !== undefined,
	isFolder: async (path) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false,
	async remove(path) {
		const found = await stat(path).catch(() => undefined);
		if (found?.isFile()) await unlink(path);
	},
	async removeEmptyFolder(path) {
		await rmdir(path).catch(() => undefined);
	},
	removeFolder: (path) => rm(path, { recursive: true, force: true }),
	async syncFolder(path) {
		const handle = await open(path, "r").catch(() => undefined);
		await handle?.sync().catch(() => undefined);
		await handle?.close();
	},
};
