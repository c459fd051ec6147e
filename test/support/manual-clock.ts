import { type Clock, systemClock } from "../../src/core/clock.js";

/** Stands still until told; intervals never fire by themselves. */
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
