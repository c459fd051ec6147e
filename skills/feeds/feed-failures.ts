import type { Clock } from "../../src/kernel/kernel.js";
import { FEED_LIMITS } from "./feed-limits.js";

export interface FeedFailure {
	/** A sentence that may be shown. */
	readonly reason: string;
	/** Failures in a row. */
	readonly count: number;
}

interface TimedFailure extends FeedFailure {
	readonly retryAt: number;
}

/** Which feeds failed lately, and until when nobody asks them again, whatever the topic: a dead host costs one call its patience, not every call. */
export interface FeedFailures {
	find(feedId: string): FeedFailure | undefined;
	/** True while it is too early to ask again. */
	isPaused(feedId: string): boolean;
	add(feedId: string, reason: string): FeedFailure;
	clear(feedId: string): void;
}

export function createFeedFailures(clock: Clock): FeedFailures {
	const failures = new Map<string, TimedFailure>();
	return {
		find: (feedId) => failures.get(feedId),
		isPaused(feedId) {
			const failure = failures.get(feedId);
			if (!failure) return false;
			const waitMs = failure.retryAt - clock.now();
			// A clock that was set back must not put a feed to sleep for longer than its pause.
			return waitMs > 0 && waitMs <= pauseMs(failure.count);
		},
		add(feedId, reason) {
			const count = (failures.get(feedId)?.count ?? 0) + 1;
			const failure = { reason, count, retryAt: clock.now() + pauseMs(count) };
			failures.set(feedId, failure);
			return failure;
		},
		clear: (feedId) => void failures.delete(feedId),
	};
}

function pauseMs(count: number): number {
	return Math.min(FEED_LIMITS.retryMaxMs, FEED_LIMITS.retryMs * 2 ** Math.min(count - 1, 10));
}
