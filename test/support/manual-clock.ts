import { type Clock, systemClock } from "../../src/kernel/clock.js";

/** Stands still until advanced; intervals never fire by themselves. */
export interface ManualClock extends Clock {
	/** So much time passes. */
	advance(ms: number): void;
	/** As much time passes as there is until then. */
	set(isoTime: string): void;
	/** Somebody sets the clock of the machine: no time passes. */
	misset(ms: number): void;
}

export function manualClock(isoTime: string): ManualClock {
	let nowMs = Date.parse(isoTime);
	let passedMs = 0;
	return {
		now: () => nowMs,
		monotonicMs: () => systemClock.monotonicMs() + passedMs,
		every: () => () => undefined,
		// Batching in the embedder and the journal must go on.
		after: systemClock.after,
		advance(ms) {
			nowMs += ms;
			passedMs += Math.max(0, ms);
		},
		set(text) {
			const at = Date.parse(text);
			passedMs += Math.max(0, at - nowMs);
			nowMs = at;
		},
		misset(ms) {
			nowMs += ms;
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
