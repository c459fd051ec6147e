import { setImmediate } from "node:timers/promises";

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
