import { setImmediate as afterThisTurn } from "node:timers";
import type { Clock } from "./clock.js";
import { nextTurn } from "./turns.js";

/** Work of many callers, one after the other, and no more of it in one turn of the event loop than others can wait for. */
export interface EventLoopThrottle {
	/** Runs the work in a turn in which less than the budget is spent. Rejects with what it throws. */
	run<T>(work: () => T): Promise<T>;
}

/** A batch of sixteen comes back from the model at once: ranked in one go it would keep everybody else waiting. */
const BUDGET_MS = 4;

const nothing = () => undefined;

export function createEventLoopThrottle(clock: Pick<Clock, "monotonicMs">): EventLoopThrottle {
	let openedAt: number | undefined;
	let last: Promise<unknown> = Promise.resolve();

	const waitForRoom = async () => {
		while (openedAt !== undefined && clock.monotonicMs() - openedAt >= BUDGET_MS) await nextTurn();
		if (openedAt !== undefined) return;
		openedAt = clock.monotonicMs();
		afterThisTurn(() => {
			openedAt = undefined;
		});
	};
	return {
		run(work) {
			const result = last.then(waitForRoom).then(work);
			// Without the result: it would live until the next one.
			last = result.then(nothing, nothing);
			return result;
		},
	};
}
