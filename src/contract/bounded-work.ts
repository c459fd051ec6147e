import PQueue from "p-queue";
import { ServiceError } from "../kernel/kernel.js";
import { LIMITS } from "./limits.js";

export interface WorkBounds {
	/** Pieces of work that run at the same time. */
	readonly running: number;
	/** Pieces of work that may wait for their turn. */
	readonly waiting: number;
}

/**
 * Runs work that is heavy or paid by no one a few at a time, in the order it came: what other callers need stays free.
 * Throws RATE_LIMITED when too many wait already; work whose signal aborts while it waits is never started.
 */
export function createBoundedWork({ running, waiting }: WorkBounds) {
	const queue = new PQueue({ concurrency: running });
	return async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
		if (queue.size >= waiting) throw tooBusy();
		return queue.add(work, { signal });
	};
}

function tooBusy(): ServiceError {
	return new ServiceError(
		"RATE_LIMITED",
		"Too many requests for such work are waiting; send the same one again in a moment.",
		{ retryAfterSeconds: LIMITS.retryAfterSeconds },
	);
}
