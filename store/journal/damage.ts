import { ServiceError, unavailable } from "../../src/kernel/kernel.js";
import { messageOf } from "../store.js";
import { SHORT_WRITE } from "./file-system.js";

const RESTORE =
	"Nothing was changed. Restore the store's folder from a backup, all its files together, and start again.";

/** Refusal to work on with files that are not what was written; trying again would not help. */
export function damaged({
	path,
	offset,
	problem,
	remedy = RESTORE,
}: {
	readonly path: string;
	/** Byte within the file. */
	readonly offset: number;
	/** A clause: what is wrong there. */
	readonly problem: string;
	/** A sentence: what to do about it. */
	readonly remedy?: string;
}): ServiceError {
	return unavailable(
		`The store is damaged: in "${path}", at byte ${offset}, ${problem}. ${remedy}`,
		{ retryable: false },
	);
}

/** A read that the system refused just now (no more file descriptors, say): it proves no damage. */
export function unreadable(path: string, cause: unknown): ServiceError {
	return unavailable(
		`The journal could not be read: "${path}" (${messageOf(cause)}). Try again in a moment.`,
		{ retryable: true, cause },
	);
}

/** A disk without room, or beyond its owner's quota; one that takes a part of a write says so at the next. */
const NO_ROOM: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", SHORT_WRITE]);

/** True where the same bytes may be written at the same place once there is room: nothing that was synced is in doubt. */
export function isFull(error: unknown): boolean {
	return error instanceof Error && "code" in error && NO_ROOM.has(error.code);
}

/** Whether what is on the disk is still what was written. */
export function createDamageLog() {
	let damages = 0;
	const note = () => {
		damages += 1;
	};
	return {
		note,
		isIntact: () => damages === 0,
		/**
		 * Notes the damage that a check finds; a whole check that finds nothing clears what was noted
		 * before it began.
		 */
		async watch<T>(check: () => Promise<T>, { isWhole }: { isWhole: boolean }): Promise<T> {
			const before = damages;
			try {
				const result = await check();
				if (isWhole && damages === before) damages = 0;
				return result;
			} catch (error) {
				const mayPass = error instanceof ServiceError && error.retryable;
				if (!mayPass) note();
				throw error;
			}
		},
	};
}
