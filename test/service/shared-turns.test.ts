import t from "tap";
import { createSharedTurns } from "../../skills/chat/shared-turns.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createMemoryStore } from "../a2a/memory-store.js";

/** Two processes on one disk, on a clock that waits for no one. */
function openQueues() {
	let now = 0;
	const clock = {
		...systemClock,
		now: () => now,
		after: (_delayMs: number, task: () => void) => systemClock.after(1, task, "awaited"),
	};
	const first = createMemoryStore();
	const second = createMemoryStore(first.disk);
	const at = (store: typeof first) => ({ store, ...createSharedTurns({ store, clock }, "seats") });
	const rows = () => first.read((reader) => reader.list("turn_queues"));
	const pass = (ms: number) => {
		now += ms;
	};
	return { pass, first: at(first), second: at(second), rows };
}

t.test("turns at two processes follow each other in order of arrival", async (t) => {
	const { first, second, rows } = openQueues();
	const begun: number[] = [];
	let inside = 0;
	const take = async (index: number) => {
		const leave = await (index % 3 === 0 ? first : second).enter("s");
		begun.push(index);
		inside += 1;
		t.equal(inside, 1, "alone");
		await new Promise(setImmediate);
		inside -= 1;
		leave();
		leave();
	};
	const all = Array.from({ length: 9 }, async (_, index) => {
		for (let turn = 0; turn < index * 3; turn++) await new Promise(setImmediate);
		await take(index);
	});
	await Promise.all(all);
	t.same(begun, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
	await new Promise(setImmediate);
	t.same(await rows(), [], "nothing is left of it");
	const other = await first.enter("other");
	(await second.enter("s"))();
	other();
});

t.test("all who wait are counted, and who leaves the queue holds up no one", async (t) => {
	const { first, second } = openQueues();
	const leave = await first.enter("s");
	const impatient = new AbortController();
	const left = second.enter("s", { signal: impatient.signal });
	await new Promise(setImmediate);
	const next = first.enter("s");
	await new Promise(setImmediate);
	const admit = (size: number) => {
		if (size >= 3) throw new Error(`${size} wait`);
	};
	await t.rejects(second.enter("s", { admit }), { message: "3 wait" });
	impatient.abort(new Error("gone"));
	await t.rejects(left, { message: "gone" });
	leave();
	(await next)();
});

t.test("the place of an ended process is forgotten, and so is one past its time", async (t) => {
	const { pass, first, second, rows } = openQueues();
	// The stores in memory do not wait for each other's transactions, and each takes the other's process for ended.
	const settle = () => new Promise(setImmediate);
	await first.enter("s");
	const waiting = second.enter("s");
	await settle();
	await second.forgetEnded();
	(await waiting)();
	await settle();
	await first.enter("s");
	const late = second.enter("s");
	await settle();
	pass(600_000);
	(await late)();
	await settle();
	t.same(await rows(), []);
});

t.test("a turn whose place was taken away meanwhile does not begin", async (t) => {
	const { first, second } = openQueues();
	await first.enter("s");
	const lost = second.enter("s");
	await new Promise(setImmediate);
	await first.forgetEnded();
	await t.rejects(lost, { code: "UNAVAILABLE" });
});
