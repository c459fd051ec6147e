import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";

/** Numbers of one file: size, the times in milliseconds at which content and entry changed, and inode. */
const NUMBERS = 4;

/**
 * Stamps of the Markdown files below a folder, in path order. Plain JavaScript, because the thread that runs it is a script.
 * Throws what the disk says of a folder.
 * @param {{ folder: string, depth: number, trustedBeforeMs: number }} asked `depth`: folders below the first one
 * @returns {{ list: string, numbers: Float64Array, hash: string | undefined }}
 */
export function walkStamps({ folder, depth, trustedBeforeMs }) {
	const paths = listMarkdown(folder, depth);
	const numbers = new Float64Array(paths.length * NUMBERS).fill(Number.NaN);
	let untrusted = 0;
	paths.forEach((path, index) => {
		const found = statSync(`${folder}/${path}`, { throwIfNoEntry: false });
		// Every change moves the time of the entry, and no one can set it; the content's may be any date.
		if (!found || found.ctimeMs >= trustedBeforeMs) {
			untrusted += 1;
			return;
		}
		numbers[index * NUMBERS] = found.size;
		numbers[index * NUMBERS + 1] = found.mtimeMs;
		numbers[index * NUMBERS + 2] = found.ctimeMs;
		numbers[index * NUMBERS + 3] = found.ino;
	});
	// No path holds a zero; one text crosses to another thread faster than a list.
	const list = paths.join("\0");
	const hash = untrusted > 0 ? undefined : createHash("sha256").update(list).update(numbers);
	return { list, numbers, hash: hash?.digest("hex") };
}

/**
 * The files that reading a bundle reads: hidden entries and symbolic links are passed over.
 * @param {string} folder
 * @param {number} depth
 */
function listMarkdown(folder, depth) {
	/** @type {string[]} */
	const paths = [];
	let level = [""];
	for (let below = 0; below <= depth && level.length > 0; below++) {
		const listings = level.map((prefix) => listFolder(folder, prefix));
		for (const { files } of listings) for (const file of files) paths.push(file);
		level = listings.flatMap(({ folders }) => folders);
	}
	return paths.sort();
}

/**
 * @param {string} folder
 * @param {string} prefix
 */
function listFolder(folder, prefix) {
	const entries = readdirSync(`${folder}/${prefix}`, { withFileTypes: true });
	const visible = entries.filter(({ name }) => !name.startsWith("."));
	const files = visible.filter((entry) => entry.isFile() && /\.md$/i.test(entry.name));
	const folders = visible.filter((entry) => entry.isDirectory());
	return {
		files: files.map(({ name }) => prefix + name),
		folders: folders.map(({ name }) => `${prefix}${name}/`),
	};
}
