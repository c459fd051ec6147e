import { ServiceError } from "../../src/kernel/kernel.js";

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

/** A look at the journal that the system refused just now (no more file descriptors, say): it tells nothing of damage. */
export function unreadable(path: string, cause: unknown): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`The journal could not be read: "${path}" (${messageOf(cause)}). Try again in a moment.`,
		{ retryable: true, cause },
	);
}

/** False for what may pass: the disk or the system refused, and nothing was compared. */
export function isDamage(error: unknown): boolean {
	return !(error instanceof ServiceError && error.retryable);
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Whether what is on the disk is still what was written. */
export interface DamageLog {
	note(): void;
	isIntact(): boolean;
	/**
	 * Notes the damage that a look at the journal finds, but not that it could not look. A look at the whole journal that
	 * finds nothing clears what was noted before it began: what was wrong has been put right.
	 */
	watch<T>(look: () => Promise<T>, options: { isWhole: boolean }): Promise<T>;
}

export function createDamageLog(): DamageLog {
	let damages = 0;
	const note = () => {
		damages += 1;
	};
	return {
		note,
		isIntact: () => damages === 0,
		async watch(look, { isWhole }) {
			const before = damages;
			try {
				const result = await look();
				if (isWhole && damages === before) damages = 0;
				return result;
			} catch (error) {
				if (isDamage(error)) note();
				throw error;
			}
		},
	};
}
