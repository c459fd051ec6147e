import { ServiceError } from "../../src/core/errors.js";

export interface Damage {
	/** The file at fault. */
	readonly path: string;
	/** Byte within it. */
	readonly offset: number;
	/** A clause: what is wrong there. */
	readonly problem: string;
	/** A sentence: what to do about it; the default is to restore a backup. */
	readonly remedy?: string;
}

const RESTORE =
	"Nothing was changed. Restore the store's folder from a backup, all its files together, and start again.";

/** Refusal to work on with files that are not what was written; trying again would not help. */
export function damaged({ path, offset, problem, remedy = RESTORE }: Damage): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`The store is damaged: in "${path}", at byte ${offset}, ${problem}. ${remedy}`,
		{ retryable: false },
	);
}

/** What every caller hears after the disk failed: the outcome is unknown until the next start. */
export function stopped(reason: string, cause?: unknown): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`The store takes no more changes (${reason}). Whether a change under way was kept is unknown: send the request again with the same idempotency key once the service is back.`,
		{ retryable: true, cause },
	);
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
