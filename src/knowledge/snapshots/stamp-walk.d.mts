import type { FileStamps } from "./file-stamps.js";

export interface StampWalk {
	readonly folder: string;
	/** Folders below the first one that are looked into. */
	readonly depth: number;
	/** Files whose entry changed after it have no numbers. */
	readonly trustedBeforeMs: number;
}

/** Throws what the disk says of a folder. */
export function walkStamps(asked: StampWalk): FileStamps;
