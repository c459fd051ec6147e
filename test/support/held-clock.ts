import { type Clock, systemClock } from "../../src/kernel/clock.js";

/** Its durations stand still from `hold` on: what is counted by the minute is not earned back while a slow machine is at it. */
export interface HeldClock extends Clock {
	hold(): void;
	/** So long has gone by since; needs `hold` before. */
	pass(ms: number): void;
}

export function heldClock<C extends Clock>(clock: C = systemClock as C): C & HeldClock {
	let heldMs: number | undefined;
	return {
		...clock,
		monotonicMs: () => heldMs ?? clock.monotonicMs(),
		hold() {
			heldMs = clock.monotonicMs();
		},
		pass(ms) {
			if (heldMs === undefined) throw new Error("The clock is not held.");
			heldMs += ms;
		},
	};
}
