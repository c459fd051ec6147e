import type { Clock } from "../core/clock.js";
import { FEED_LIMITS } from "../core/feed-limits.js";

export interface FeedFailure {
	/** A sentence that may be shown. */
	readonly reason: string;
	/** Failures in a row. */
	readonly count: number;
}

interface TimedFailure extends FeedFailure {
	readonly retryAt: number;
}

/** Who failed lately, and until when nobody asks again: a dead host costs one call its patience, not every call. */
export interface FeedFailures {
	find(key: string): FeedFailure | undefined;
	/** True while it is too early to ask again. */
	isPaused(key: string): boolean;
	add(key: string, reason: string): FeedFailure;
	clear(key: string): void;
}

/** Failures of searches are as many as questions: the oldest are forgotten. */
const FAILURES_KEPT = 2_000;

export function createFeedFailures(clock: Clock): FeedFailures {
	const failures = new Map<string, TimedFailure>();
	return {
		find: (key) => failures.get(key),
		isPaused(key) {
			const failure = failures.get(key);
			if (!failure) return false;
			const waitMs = failure.retryAt - clock.now();
			// A clock that was set back must not put a feed to sleep for longer than its pause.
			return waitMs > 0 && waitMs <= pauseMs(failure.count);
		},
		add(key, reason) {
			const count = (failures.get(key)?.count ?? 0) + 1;
			const failure = { reason, count, retryAt: clock.now() + pauseMs(count) };
			failures.delete(key);
			failures.set(key, failure);
			for (const oldest of failures.keys()) {
				if (failures.size <= FAILURES_KEPT) break;
				failures.delete(oldest);
			}
			return failure;
		},
		clear: (key) => void failures.delete(key),
	};
}

function pauseMs(count: number): number {
	return Math.min(FEED_LIMITS.retryMaxMs, FEED_LIMITS.retryMs * 2 ** Math.min(count - 1, 10));
}
