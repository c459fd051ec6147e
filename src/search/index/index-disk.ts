import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

/** One folder of files, by name; what the index needs of a file system, and where tests let it fail. */
export interface IndexDisk {
	list(): Promise<readonly string[]>;
	/** Undefined when there is no such file. */
	read(name: string): Promise<Uint8Array | undefined>;
	/** Writes a file anew and syncs it. */
	write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
	/** Lasts once it resolves. */
	rename(from: string, to: string): Promise<void>;
	remove(name: string): Promise<void>;
}

/** The folder on the machine's disk, made when it is not there; files are for its owner alone. */
export async function openIndexDisk(folder: string): Promise<IndexDisk> {
	await mkdir(folder, { recursive: true });
	return {
		list: () => readdir(folder),
		async read(name) {
			try {
				return await readFile(join(folder, name));
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
				throw error;
			}
		},
		async write(name, pieces) {
			const file = await open(join(folder, name), "w", 0o600);
			try {
				for await (const piece of pieces) await file.writeFile(piece);
				await file.sync();
			} finally {
				await file.close();
			}
		},
		async rename(from, to) {
			await rename(join(folder, from), join(folder, to));
			const directory = await open(folder, "r");
			await directory.sync().finally(() => directory.close());
		},
		remove: (name) => rm(join(folder, name), { force: true }),
	};
}
