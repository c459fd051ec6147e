/** A seeded simulation of the money path: one process over a disk and a chain that fail, in virtual time. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../src/kernel/clock.js";

/** Virtual time: events happen in the order of their times, and nothing passes between two. */
export interface Timeline {
	/** Milliseconds since the epoch, with fractions. */
	now(): number;
	/** Plans an event; the returned function cancels it. */
	schedule(delayMs: number, task: () => void): () => void;
	sleep(delayMs: number): Promise<void>;
	/** Lets time pass until the work is done. Rejects when nothing can happen any more. */
	run<T>(work: Promise<T>): Promise<T>;
	/** Lets so much time pass at once: what was due meanwhile happens late, and repeated tasks once. */
	leap(ms: number): void;
}

interface Planned {
	readonly at: number;
	readonly order: number;
	readonly task: () => void;
	isCancelled: boolean;
}

/** So long nothing happened that nothing ever will. */
const STUCK_MS = 60_000;

export function createTimeline(startMs: number): Timeline {
	const planned: Planned[] = [];
	let nowMs = startMs;
	let orders = 0;
	const passOne = async (idleMs: number): Promise<number> => {
		// Twice: what an event starts may itself wait for the next turn, as the store does.
		await nextTurn();
		await nextTurn();
		const next = planned.shift();
		if (!next) {
			nowMs += 1;
			return idleMs + 1;
		}
		nowMs = Math.max(nowMs, next.at);
		if (!next.isCancelled) next.task();
		return 0;
	};
	const schedule: Timeline["schedule"] = (delayMs, task) => {
		const event = { at: nowMs + Math.max(0, delayMs), order: orders++, task, isCancelled: false };
		planned.splice(placeOf(planned, event), 0, event);
		return () => {
			event.isCancelled = true;
		};
	};
	return {
		now: () => nowMs,
		schedule,
		sleep: (delayMs) => new Promise((resolve) => schedule(delayMs, resolve)),
		async run(work) {
			let isDone = false;
			const finish = () => {
				isDone = true;
			};
			work.then(finish, finish);
			for (let idleMs = 0; !isDone; ) {
				idleMs = await passOne(idleMs);
				if (idleMs > STUCK_MS) throw new Error("The simulation is stuck: nothing is planned.");
			}
			return work;
		},
		leap(ms) {
			nowMs += ms;
		},
	};
}

function placeOf(planned: readonly Planned[], event: Planned): number {
	let [low, high] = [0, planned.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((planned[middle]?.at ?? 0) <= event.at) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The clock of one process: its timers end with it, and it may go wrong by some time. */
export function createSimClock(
	timeline: Timeline,
	{ isAlive, skewMs }: { isAlive: () => boolean; skewMs: number },
): Clock {
	const after: Clock["after"] = (delayMs, task) =>
		timeline.schedule(delayMs, () => {
			if (isAlive()) task();
		});
	return {
		now: () => Math.floor(timeline.now() + skewMs),
		monotonicMs: timeline.now,
		after,
		every(intervalMs, task) {
			let cancel: () => void = () => undefined;
			const plan = () => {
				cancel = after(intervalMs, () => {
					plan();
					task();
				});
			};
			plan();
			return () => cancel();
		},
	};
}
