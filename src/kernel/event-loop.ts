import { setImmediate as afterThisTurn } from "node:timers";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "./clock.js";

/**
 * Counts work in long loops: `if (spend(n)) await nextTurn();`. True once a share is done and other work should get its turn.
 * One unit is what takes a few nanoseconds, so that a share lasts a few milliseconds.
 */
export type Spend = (units: number) => boolean;

const UNITS_PER_TURN = 200_000;

export function createTurns(): Spend {
	let spent = 0;
	return (units) => {
		spent += units;
		if (spent < UNITS_PER_TURN) return false;
		spent = 0;
		return true;
	};
}

export async function nextTurn(): Promise<void> {
	await setImmediate();
}

/** Resolves once the event loop has asked for what came in on every connection, such as that one was closed. */
export async function afterPolling(): Promise<void> {
	// The first ends the turn under way, possibly before it polls; the second the one after, which has polled.
	await setImmediate();
	await setImmediate();
}

/** Visits all items, each worth so many units. */
export async function inTurns<T>(
	items: Iterable<T>,
	units: number,
	visit: (item: T, position: number) => void,
): Promise<void> {
	const spend = createTurns();
	let position = 0;
	for (const item of items) {
		visit(item, position++);
		if (spend(units)) await nextTurn();
	}
}

/** Work of many callers, one after the other, and no more of it in one turn of the event loop than others can wait for. */
export interface EventLoopThrottle {
	/** Runs the work in a turn in which less than the budget is spent. Rejects with what it throws. */
	run<T>(work: () => T): Promise<T>;
}

/** A batch of sixteen comes back from the model at once: ranked in one go it would block all other calls. */
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
