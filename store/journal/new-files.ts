import { join } from "node:path";
import { replaceFile } from "./durable-file.js";
import type { FileSystem } from "./file-system.js";

/** Files being written, in a folder of their own until they are whole. */
export interface NewFiles {
	/** Puts a whole file into place, on the disk once the promise resolves. */
	putInto(path: string, bytes: Buffer): Promise<void>;
	/** Deletes what failures left in the folder. */
	sweep(): Promise<void>;
}

export function createNewFiles(fileSystem: FileSystem, folder: string): NewFiles {
	const underWay = new Set<string>();
	let count = 0;
	return {
		async putInto(path, bytes) {
			const name = String(count++);
			underWay.add(name);
			try {
				const temporaryPath = join(folder, name);
				await replaceFile(fileSystem, { path, temporaryPath, chunks: [bytes] });
			} finally {
				underWay.delete(name);
			}
		},
		async sweep() {
			for (const name of await fileSystem.list(folder)) {
				if (!underWay.has(name)) await fileSystem.remove(join(folder, name));
			}
		},
	};
}
