import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { Clock } from "../core/clock.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { type StampWalk, walkStamps } from "./stamp-walk.mjs";

/** What tells without reading it whether a file of a graph has changed. */
export interface FileStamps {
	/** Paths of the Markdown files in order, with a zero between them. */
	readonly list: string;
	/**
	 * Four of each file: size, the times in milliseconds at which content and entry changed, and inode; all NaN for a file that
	 * has to be looked into, since a second change at the same tick of the disk's clock would not show.
	 */
	readonly numbers: Float64Array;
}

/** A disk may date changes as coarsely as this. */
const TICK_MS = 2_000;
const NUMBERS = 4;

export interface StampOptions {
	readonly clock: Clock;
	/** Looks at the files in a thread of its own: tens of thousands take a tenth of a second. */
	readonly isLarge: boolean;
}

/** Stamps of the files that a graph in this folder is read from. Throws what the disk says of a folder. */
export async function stampGraphFiles(
	folder: string,
	{ clock, isLarge }: StampOptions,
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

/** Another one as soon as any file is added, removed or touched; undefined while some have to be looked into. */
export function hashOfStamps({ list, numbers }: FileStamps): string | undefined {
	if (hasUntrusted({ numbers })) return undefined;
	return createHash("sha256").update(list).update(numbers).digest("hex");
}

/** True when some files have to be looked into. */
export function hasUntrusted({ numbers }: Pick<FileStamps, "numbers">): boolean {
	return numbers.some(Number.isNaN);
}

/** Stamps as text by path, in order; a file that has to be looked into has none. */
export function textStampsOf({ list, numbers }: FileStamps): Map<string, string | undefined> {
	const stamps = new Map<string, string | undefined>();
	for (const [index, path] of (list === "" ? [] : list.split("\0")).entries()) {
		const own = numbers.subarray(index * NUMBERS, (index + 1) * NUMBERS);
		stamps.set(path, own.some(Number.isNaN) ? undefined : own.join(" "));
	}
	return stamps;
}
