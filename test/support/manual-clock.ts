import { type Clock, systemClock } from "../../src/kernel/clock.js";

/** Stands still until advanced; intervals never fire by themselves. */
export interface ManualClock extends Clock {
	advance(ms: number): void;
	set(isoTime: string): void;
}

export function manualClock(isoTime: string): ManualClock {
	let nowMs = Date.parse(isoTime);
	return {
		now: () => nowMs,
		monotonicMs: systemClock.monotonicMs,
		every: () => () => undefined,
		// Batching in the embedder and the journal must go on.
		after: systemClock.after,
		advance(ms) {
			nowMs += ms;
		},
		set(text) {
			nowMs = Date.parse(text);
		},
	};
}

/** The same, a millisecond later at each look: what happens later has a later time, as it has outside of tests. */
export function movingClock(isoTime: string): ManualClock {
	const clock = manualClock(isoTime);
	return {
		...clock,
		now() {
			clock.advance(1);
			return clock.now();
		},
	};
}
