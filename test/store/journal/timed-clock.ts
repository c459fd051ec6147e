import type { Clock } from "../../../src/kernel/clock.js";

interface Timer {
	readonly atMs: number;
	readonly task: () => void;
	readonly waits: "awaited" | undefined;
}

/** 2026-03-01, noon. */
export const NOON_MS = Date.parse("2026-03-01T12:00:00Z");

/** A clock whose timers fire when the test lets time pass. */
export function timedClock() {
	let passedMs = 0;
	let timers: readonly Timer[] = [];
	const clock: Clock = {
		now: () => NOON_MS + passedMs,
		monotonicMs: () => 1_000 + passedMs,
		every: () => () => undefined,
		after(delayMs, task, waits) {
			const timer = { atMs: passedMs + delayMs, task, waits };
			timers = [...timers, timer];
			return () => {
				timers = timers.filter((other) => other !== timer);
			};
		},
	};
	return {
		clock,
		/** How long each timer still has to wait. */
		delays: () => timers.map(({ atMs }) => atMs - passedMs),
		/** How many timers keep the process alive. */
		awaited: () => timers.filter(({ waits }) => waits === "awaited").length,
		async pass(ms: number): Promise<void> {
			passedMs += ms;
			const due = timers.filter(({ atMs }) => atMs <= passedMs);
			timers = timers.filter(({ atMs }) => atMs > passedMs);
			for (const { task } of due) task();
			await turns();
		},
	};
}

/** Lets everything go on that waits for nothing but its turn. */
export async function turns(count = 10): Promise<void> {
	for (let turn = 0; turn < count; turn++) {
		await new Promise<void>((resolve) => {
			setImmediate(resolve);
		});
	}
}

/** What has become of a promise by now. */
export function watch(promise: Promise<unknown>) {
	let state: unknown = "pending";
	promise.then(
		() => {
			state = "resolved";
		},
		(error: unknown) => {
			state = error;
		},
	);
	return () => state;
}

/** Waits, however slow the machine is, until none of the watched promises is pending. */
export async function ended(states: readonly (() => unknown)[]): Promise<void> {
	while (states.some((state) => state() === "pending")) await turns(1);
}
