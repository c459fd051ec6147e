import { Worker } from "node:worker_threads";
import type { Clock } from "../../kernel/kernel.js";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.js";
import { firstWhere } from "../model/path-map.js";
import { type StampWalk, walkStamps } from "./stamp-walk.mjs";

/** What shows without reading it whether a file of a graph has changed. */
export interface FileStamps {
	/** Paths of the Markdown files in order, with a zero between them. */
	readonly list: string;
	/**
	 * Four of each file: size, the times in milliseconds at which content and entry changed, and inode; all NaN for a file that
	 * has to be looked into, since a second change at the same tick of the disk's clock would not show.
	 */
	readonly numbers: Float64Array;
	/** Another one as soon as any file is added, removed or touched; undefined while some have to be looked into. */
	readonly hash: string | undefined;
}

/** A disk may date changes as coarsely as this. */
const TICK_MS = 2_000;
const NUMBERS = 4;

/**
 * Stamps of the files that a graph in this folder is read from; a large one is walked in a thread of its own, because tens of
 * thousands of files take a tenth of a second. Throws what the disk says of a folder.
 */
export async function stampGraphFiles(
	folder: string,
	{ clock, isLarge }: { readonly clock: Clock; readonly isLarge: boolean },
): Promise<FileStamps> {
	const trustedBeforeMs = clock.now() - TICK_MS;
	const walk = { folder, depth: BUNDLE_LIMITS.depth, trustedBeforeMs };
	return isLarge ? walkInThread(walk) : walkStamps(walk);
}

function walkInThread(walk: StampWalk): Promise<FileStamps> {
	return new Promise((resolve, reject) => {
		const worker = new Worker(new URL("./stamp-worker.mjs", import.meta.url), {
			workerData: walk,
			// What loaders the process was started with is not the thread's business.
			execArgv: [],
		});
		worker.once("message", resolve);
		worker.once("error", reject);
		worker.once("exit", () => reject(new Error("The thread that looks at files has ended.")));
	});
}

export function pathsOf({ list }: Pick<FileStamps, "list">): readonly string[] {
	return list === "" ? [] : list.split("\0");
}

/** False for a file that has to be looked into, by its place in the list. */
export function hasStampAt({ numbers }: FileStamps, index: number): boolean {
	return !Number.isNaN(numbers[index * NUMBERS]);
}

function textStampAt(stamps: FileStamps, index: number): string | undefined {
	const from = index * NUMBERS;
	return hasStampAt(stamps, index)
		? stamps.numbers.subarray(from, from + NUMBERS).join(" ")
		: undefined;
}

/** Finds stamps as text by path, without holding them all. */
export function createStampLookup(stamps: FileStamps) {
	const paths = pathsOf(stamps);
	let stamped = 0;
	for (const index of paths.keys()) if (hasStampAt(stamps, index)) stamped += 1;
	const stampOf = (path: string) => {
		const at = firstWhere(paths.length, (index) => (paths[index] ?? path) >= path);
		return paths[at] === path ? textStampAt(stamps, at) : undefined;
	};
	return { stampOf, stamped };
}

/** Stamps as text by path, in order; a file that has to be looked into has none. */
export function textStampsOf(stamps: FileStamps): Map<string, string | undefined> {
	return new Map(pathsOf(stamps).map((path, index) => [path, textStampAt(stamps, index)]));
}

/** The same but for the files at these places, which have to be looked into. */
export function withoutStamps(stamps: FileStamps, indexes: readonly number[]): FileStamps {
	if (indexes.length === 0) return stamps;
	const numbers = stamps.numbers.slice();
	for (const index of indexes) numbers.fill(Number.NaN, index * NUMBERS, (index + 1) * NUMBERS);
	return { list: stamps.list, numbers, hash: undefined };
}

/** True when the same files have the same stamps, or none. */
export function areSame(one: FileStamps, other: FileStamps): boolean {
	return one.list === other.list && bytesOf(one).equals(bytesOf(other));
}

function bytesOf({ numbers }: FileStamps): Buffer {
	return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Returns of paths that are asked for in order whether their stamps are as they were. */
export function createStampComparison(
	before: FileStamps | undefined,
	now: FileStamps,
): (path: string, index: number) => boolean {
	const paths = before ? pathsOf(before) : [];
	let at = 0;
	return (path, index) => {
		while ((paths[at] ?? path) < path) at++;
		return before !== undefined && paths[at] === path && isSameAt([before, at], [now, index]);
	};
}

type Place = readonly [stamps: FileStamps, index: number];

function isSameAt([one, oneIndex]: Place, [other, otherIndex]: Place): boolean {
	for (let part = 0; part < NUMBERS; part++) {
		// One that has to be looked into equals nothing, itself included.
		if (one.numbers[oneIndex * NUMBERS + part] !== other.numbers[otherIndex * NUMBERS + part])
			return false;
	}
	return true;
}
