import { setImmediate } from "node:timers/promises";

/** Long work that says after each document that it may be interrupted. */
export type Steps<Result> = Generator<undefined, Result>;

/** About 10 milliseconds of reading; a server that imports meanwhile goes on answering. */
const STEPS_PER_TURN = 25;

/** After work that took as long as so many steps, a turn's at most. */
function* stepsOf(count: number): Steps<void> {
	for (let step = 0; step < Math.min(count, STEPS_PER_TURN); step++) yield;
}

/** After a step that is as long as a turn: whatever waits comes first. */
export const restOfTurn = (): Steps<void> => stepsOf(STEPS_PER_TURN);

/** Together they take about as long as one step. */
const ITEMS_PER_STEP = 20;

/** Visits items that take microseconds each. */
export function* visitInSteps<T>(items: Iterable<T>, visit: (item: T) => void): Steps<void> {
	let count = 0;
	for (const item of items) {
		visit(item);
		count += 1;
		if (count % ITEMS_PER_STEP === 0) yield;
	}
}

/** The result, with nothing else done meanwhile. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
	for (;;) {
		const step = steps.next();
		if (step.done) return step.value;
	}
}

/**
 * The result, with other work served every few steps. Rejects with the signal's reason within a
 * turn of its abort.
 */
export async function runInTurns<Result>(
	steps: Steps<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	signal?.throwIfAborted();
	for (let count = 1; ; count++) {
		const step = steps.next();
		if (step.done) {
			if (signal) await untilNewsIsHeard(signal);
			return step.value;
		}
		if (count % STEPS_PER_TURN === 0) {
			await setImmediate();
			signal?.throwIfAborted();
		}
	}
}

/** That a connection closed is read in one round of the event loop and reported at its end; the first round may have begun before. */
const ROUNDS_UNTIL_HEARD = 3;

async function untilNewsIsHeard(signal: AbortSignal): Promise<void> {
	for (let round = 0; round < ROUNDS_UNTIL_HEARD; round++) await setImmediate();
	signal.throwIfAborted();
}

/** Disks that are asked for many files at once answer sooner. */
const FILES_AT_ONCE = 32;

/** The results in the order of the items; a bounded number of items is worked on at once. */
export async function mapInBatches<T, Result>(
	items: readonly T[],
	work: (item: T, index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	for (let from = 0; from < items.length; from += FILES_AT_ONCE) {
		const batch = items.slice(from, from + FILES_AT_ONCE);
		results.push(...(await Promise.all(batch.map((item, index) => work(item, from + index)))));
	}
	return results;
}
