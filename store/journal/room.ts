import { ServiceError } from "../../src/kernel/kernel.js";
import type { FileSystem } from "./file-system.js";

const MIB = 1024 * 1024;
/** Stays free beside a backup, so that sales on the same disk go on; on a small disk a share of it. */
const RESERVE_BYTES = 64 * MIB;
const RESERVE_SHARE = 0.05;
/** What a file takes beside its bytes, at most: its last block, and its name. */
const BYTES_BESIDE = 8 * 1024;

export interface Needed {
	readonly bytes: number;
	readonly files: number;
}

/** Throws UNAVAILABLE unless a disk takes so much more and keeps a reserve; a disk that does not tell is trusted. */
export async function assertRoom(
	fileSystem: Pick<FileSystem, "space">,
	folder: string,
	{ bytes, files }: Needed,
): Promise<void> {
	const space = await fileSystem.space(folder);
	if (!space) return;
	const needed = bytes + files * BYTES_BESIDE;
	const reserve = Math.min(RESERVE_BYTES, RESERVE_SHARE * space.total);
	if (space.free - needed >= reserve) return;
	throw new ServiceError(
		"UNAVAILABLE",
		`No backup was made: the disk of "${folder}" has ${inMib(space.free)} free; what is still to be copied takes ${inMib(needed)}, and ${inMib(reserve)} must stay free so that a service on that disk goes on. Free some space or name a folder on another disk, and run it again.`,
	);
}

function inMib(bytes: number): string {
	return `${(bytes / MIB).toFixed(1)} MiB`;
}
