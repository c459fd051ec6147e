import { LIMITS, STREAM_LIMITS } from "../contract/contract.js";
import { type Clock, ServiceError, unavailable } from "../kernel/kernel.js";

/** A place for the work of one stream. */
export interface StreamSlot {
	/** Aborted by `abort`, by the end of everything, or when the work takes too long. */
	readonly signal: AbortSignal;
	abort(reason: unknown): void;
	/** Frees the place; harmless when called again. */
	end(): void;
}

/** Places for work whose end is not its caller's: so many in all, and of each owner. */
export function createStreamSlots(clock: Clock) {
	/** Whose each is. */
	const works = new Map<AbortController, string>();
	return {
		/** Throws UNAVAILABLE when there is no place, RATE_LIMITED when this owner has too many. */
		take(owner: string): StreamSlot {
			if (works.size >= STREAM_LIMITS.runningMax)
				throw unavailable(
					`${STREAM_LIMITS.runningMax} streams are being written already; send the same request again in a moment. Nothing was charged.`,
					{ retryAfterSeconds: LIMITS.retryAfterSeconds },
				);
			const own = [...works.values()].filter((other) => other === owner).length;
			if (own >= STREAM_LIMITS.ownerRunningMax)
				throw new ServiceError(
					"RATE_LIMITED",
					`${STREAM_LIMITS.ownerRunningMax} streams of yours are being written already; send the same request again when one of them has ended. Nothing was charged.`,
					{ retryAfterSeconds: LIMITS.retryAfterSeconds },
				);
			const work = new AbortController();
			works.set(work, owner);
			const cancelTimer = clock.after(STREAM_LIMITS.workMs, () => work.abort(tooLong()));
			return {
				signal: work.signal,
				abort: (reason) => work.abort(reason),
				end() {
					cancelTimer();
					works.delete(work);
				},
			};
		},

		abortAll(reason: unknown): void {
			for (const work of works.keys()) work.abort(reason);
		},
	};
}

export function tooLong(): ServiceError {
	return unavailable(
		"The stream took longer, or became longer, than one may; send the same request again later.",
	);
}
