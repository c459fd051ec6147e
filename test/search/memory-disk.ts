import type { IndexDisk } from "../../src/search/index/index-folder.js";

export interface MemoryDisk extends IndexDisk {
	readonly files: Map<string, Uint8Array>;
	/** How often the disk was changed so far. */
	changes(): number;
}

class PowerCut extends Error {}

/** A folder in memory that stops in the middle of its `survived`-th change: a file being written is left half done. */
export function createMemoryDisk(
	files = new Map<string, Uint8Array>(),
	survived = Number.POSITIVE_INFINITY,
): MemoryDisk {
	let changes = 0;
	const isLast = () => {
		if (changes >= survived) {
			changes++;
			if (changes > survived + 1) throw new PowerCut("The power is out.");
			return true;
		}
		changes++;
		return false;
	};
	return {
		files,
		changes: () => changes,
		list: async () => [...files.keys()],
		read: async (name) => {
			const bytes = files.get(name);
			return bytes && new Uint8Array(bytes);
		},
		async write(name, pieces) {
			const isCut = isLast();
			const parts: Uint8Array[] = [];
			for await (const piece of pieces) parts.push(piece);
			const bytes = new Uint8Array(Buffer.concat(parts));
			files.set(name, isCut ? bytes.slice(0, bytes.length / 2) : bytes);
			if (isCut) throw new PowerCut("The power went out while a file was written.");
		},
		async rename(from, to) {
			if (isLast()) throw new PowerCut("The power went out before a file had its name.");
			const bytes = files.get(from);
			if (!bytes) throw new Error(`There is no ${from}.`);
			files.set(to, bytes);
			files.delete(from);
		},
		async remove(name) {
			if (isLast()) throw new PowerCut("The power went out before a file was removed.");
			files.delete(name);
		},
	};
}
