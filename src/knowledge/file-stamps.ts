import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../core/clock.js";
import { listPaths } from "./bundle-files.js";

/** What tells without reading it whether a file of a graph has changed. */
export interface FileStamps {
	/** In path order. */
	readonly paths: readonly string[];
	/**
	 * Four of each file: size, the times in milliseconds at which content and entry changed, and inode; all NaN for a file that
	 * has to be looked into, since a second change at the same tick of the disk's clock would not show.
	 */
	readonly numbers: Float64Array;
}

/** A disk may date changes as coarsely as this. */
const TICK_MS = 2_000;
const NUMBERS = 4;
const STATS_PER_TURN = 500;

/** Stamps of the Markdown files below a folder. Throws NOT_FOUND when it is missing. */
export async function stampGraphFiles(folder: string, clock: Clock): Promise<FileStamps> {
	const trustedBeforeMs = clock.now() - TICK_MS;
	const root = join(folder, "/");
	const paths = (await listPaths(folder)).filter((path) => /\.md$/i.test(path));
	const numbers = new Float64Array(paths.length * NUMBERS).fill(Number.NaN);
	for (const [index, path] of paths.entries()) {
		if (index % STATS_PER_TURN === 0) await setImmediate();
		// A hundred thousand calls that wait for a thread each would take several times as long.
		const found = statSync(root + path, { throwIfNoEntry: false });
		if (!found || Math.max(found.mtimeMs, found.ctimeMs) >= trustedBeforeMs) continue;
		numbers[index * NUMBERS] = found.size;
		numbers[index * NUMBERS + 1] = found.mtimeMs;
		numbers[index * NUMBERS + 2] = found.ctimeMs;
		numbers[index * NUMBERS + 3] = found.ino;
	}
	return { paths, numbers };
}

/** Another one as soon as any file is added, removed or touched; undefined while some have to be looked into. */
export function hashOfStamps({ paths, numbers }: FileStamps): string | undefined {
	if (numbers.some(Number.isNaN)) return undefined;
	return createHash("sha256").update(JSON.stringify(paths)).update(numbers).digest("hex");
}

/** One file's stamp as text, with its path. */
export type TextStamp = readonly [path: string, stamp: string | undefined];

export function* textStampsOf({ paths, numbers }: FileStamps): Generator<TextStamp> {
	for (const [index, path] of paths.entries()) {
		const own = numbers.subarray(index * NUMBERS, (index + 1) * NUMBERS);
		yield [path, own.some(Number.isNaN) ? undefined : own.join(" ")];
	}
}
