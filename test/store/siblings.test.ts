import t from "tap";
import { times } from "../support/times.js";
import { createFakeDisk } from "./fake-disk.js";
import { credit, openOn, posting, stillClock } from "./open-test-store.js";

const DEFERRED = { durability: "deferred" } as const;

/** A store whose timers fire on command, and the frames it has written. */
async function openTimed() {
	let nowMs = 1_000;
	let timers: { atMs: number; task: () => void }[] = [];
	const clock = {
		...stillClock(),
		monotonicMs: () => nowMs,
		after(delayMs: number, task: () => void) {
			const timer = { atMs: nowMs + delayMs, task };
			timers.push(timer);
			return () => {
				timers = timers.filter((other) => other !== timer);
			};
		},
	};
	const store = await openOn(createFakeDisk(), { clock });
	await credit(store, "cust:a", 1_000n);
	const before = store.health().sequence;
	return {
		store,
		frames: () => store.health().sequence - before,
		hold: (id: number) =>
			store.transaction(
				(tx) => tx.post(posting(`hold:${id}`, { "cust:a": -1n, "held:a": 1n })),
				DEFERRED,
			),
		capture: (id: number) =>
			store.transaction((tx) => tx.post(posting(`cap:${id}`, { "held:a": -1n, rev: 1n }))),
		async pass(ms: number) {
			nowMs += ms;
			const due = timers.filter(({ atMs }) => atMs <= nowMs);
			timers = timers.filter(({ atMs }) => atMs > nowMs);
			for (const { task } of due) task();
			await turns();
		},
	};
}

async function turns(): Promise<void> {
	for (let count = 0; count < 10; count++) {
		await new Promise<void>((resolve) => {
			setImmediate(resolve);
		});
	}
}

t.test("captures of holds that are open side by side share one write", async (t) => {
	const { frames, hold, capture, pass } = await openTimed();
	for (const id of times(6, (index) => index)) await hold(id);
	t.equal(frames(), 0);
	const captures: Promise<void>[] = [];
	for (const id of times(5, (index) => index)) {
		captures.push(capture(id));
		await turns();
	}
	t.equal(frames(), 0, "one more is expected");
	await pass(2);
	t.equal(frames(), 1, "for two milliseconds at most");
	await Promise.all([...captures, capture(5)]);
	t.equal(frames(), 2);
});

t.test("the last of those expected ends the wait", async (t) => {
	const { frames, hold, capture } = await openTimed();
	for (const id of times(4, (index) => index)) await hold(id);
	const captures: Promise<void>[] = [];
	for (const id of times(4, (index) => index)) {
		captures.push(capture(id));
		await turns();
	}
	await Promise.all(captures);
	t.equal(frames(), 1, "no timer had to fire");
});

t.test("who is alone, or asks for everything, does not wait", async (t) => {
	const { store, frames, hold, capture, pass } = await openTimed();
	await hold(0);
	await hold(1);
	await capture(0);
	t.equal(frames(), 1, "one sibling is not worth a wait");
	for (const id of [2, 3, 4, 5]) await hold(id);
	await pass(31);
	await capture(1);
	t.ok(frames() <= 3, "what did not come in time is not expected any more");
	for (const id of [6, 7, 8, 9]) await hold(id);
	const waiting = capture(2);
	await Promise.all([store.close(), waiting]);
});

t.test("a deferred change has its full time to be taken along by a durable one", async (t) => {
	const { frames, hold, capture, pass } = await openTimed();
	await hold(0);
	await pass(2);
	await capture(0);
	await pass(17);
	await hold(1);
	await pass(1);
	t.equal(frames(), 1, "the timer of the first one writes nothing");
	await capture(1);
	t.equal(frames(), 2);
	await hold(2);
	await pass(20);
	await pass(20);
	t.equal(frames(), 3, "with nobody to go along it goes alone");
});
