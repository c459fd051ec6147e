import t from "tap";
import { createWaitingRows, sweepWaiting } from "../../src/a2a/waiting-rows.js";
import { LIMITS } from "../../src/contract/limits.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { manualClock } from "../support/manual-clock.js";
import { times } from "../support/times.js";
import { createMemoryStore, type Disk } from "./memory-store.js";

const clock = manualClock("2026-01-01T00:00:00Z");
const ids = createIds({ clock, random: systemRandom });

/** Each is a process of its own on the same books, which takes every other for ended, or none. */
function openProcess(disk?: Disk, { share = 1, busy = "", isAlive = false } = {}) {
	const memory = createMemoryStore(disk);
	const others = isAlive ? { isAlive: async () => true } : {};
	const store: typeof memory = {
		...memory,
		read: (work) => memory.read((reader) => work({ ...reader, ...others })),
		transaction: (work, options) => memory.transaction((tx) => work({ ...tx, ...others }), options),
	};
	const isBusy = (taskId: string) => taskId === busy;
	const rows = createWaitingRows({ store, clock, ids, isBusy, share: () => share });
	const left = () => [store.disk.state.rows.waiting_tasks.size, store.disk.texts.size];
	return { ...rows, store, left };
}

const kept = (text: string, holder = "192.0.2.1", isPinned = false) => ({ text, holder, isPinned });

t.test("a task that waits is known to the others until its time is over", async (t) => {
	const one = openProcess();
	const other = openProcess(one.store.disk);
	await one.keep("task_a", kept("asked"), undefined);
	t.match(await other.find("task_a"), { text: "asked", version: 1, isBusy: false });
	clock.advance(LIMITS.waitingTaskTtlMs - 1);
	t.ok(await other.keep("task_a", kept("asked again"), 1), "a change starts its time again");
	clock.advance(LIMITS.waitingTaskTtlMs - 1);
	t.match(await one.find("task_a"), { text: "asked again", version: 2 });
	clock.advance(1);
	t.notOk(await one.has("task_a"));
	t.equal(await one.claim("task_a", "payment"), undefined);
	t.same(one.left(), [1, 1]);
	await sweepWaiting(one.store, clock.now());
	await one.store.documents.sweep(clock.now() + 1);
	t.same(one.left(), [0, 0]);
});

t.test("of two changes of the same state one is made", async (t) => {
	const one = openProcess();
	const other = openProcess(one.store.disk);
	await one.keep("task_a", kept("asked"), undefined);
	t.ok(await one.keep("task_a", kept("paid"), 1));
	t.notOk(await other.keep("task_a", kept("canceled"), 1));
	t.notOk(await other.keep("task_b", kept("canceled"), 1), "nor one of a task that is gone");
	t.match(await other.find("task_a"), { text: "paid" });
	t.same(one.left(), [1, 1], "no text is left over");
});

t.test("one that is being paid for is changed by its payment alone", async (t) => {
	const one = openProcess();
	await one.keep("task_a", kept("asked"), undefined);
	const claimed = await one.claim("task_a", "payment");
	t.match(await one.find("task_a"), { isBusy: true });
	t.notOk(await one.keep("task_a", kept("canceled"), 1), "nor by who found it before");
	await one.release("task_a");
	t.match(await one.find("task_a"), { text: "asked", isBusy: false, version: claimed?.version });

	const again = await one.claim("task_a", "payment");
	clock.advance(LIMITS.waitingTaskTtlMs);
	await sweepWaiting(one.store, clock.now());
	t.ok(await one.keep("task_a", kept("unsettled"), again?.version), "however long that takes");
	t.match(await one.find("task_a"), { text: "unsettled", isBusy: false });

	await one.claim("task_a", "payment");
	await one.forget("task_a");
	t.notOk(await one.find("task_a"));
});

t.test("what an ended process was paying for is free", async (t) => {
	const one = openProcess();
	await one.keep("task_a", kept("asked"), undefined);
	const claimed = await one.claim("task_a", "payment");
	const other = openProcess(one.store.disk);
	t.match(await other.find("task_a"), { text: "asked", isBusy: false });
	t.match(await other.claim("task_a", "another payment"), { text: "asked" });
	t.notOk(await one.keep("task_a", kept("failed"), claimed?.version), "and no more its own");
	await one.forget("task_a");
	t.ok(await other.has("task_a"));
});

t.test("a claim that its process has lost ends by itself", async (t) => {
	const one = openProcess();
	await one.keep("task_a", kept("asked"), undefined);
	await one.claim("task_a", "payment");
	const other = openProcess(one.store.disk, { isAlive: true });
	t.match(await other.find("task_a"), { isBusy: true });
	await t.rejects(other.claim("task_a", "another payment"), { code: "IDEMPOTENCY_IN_FLIGHT" });
	clock.advance(3 * 60_000);
	t.match(await one.find("task_a"), { isBusy: true }, "not the one that works on it");
	t.match(await other.claim("task_a", "another payment"), { text: "asked" });
});

t.test("each process bounds its share, and what it forgets leaves the books", async (t) => {
	const one = openProcess(undefined, { share: 2, busy: "task_busy" });
	const most = LIMITS.waitingTasksMax / 2;
	await one.keep("task_busy", kept("q"), undefined);
	await one.keep("task_payer", kept("q"), undefined);
	await one.keep("task_unsettled", kept("q", "192.0.2.66", true), undefined);
	for (const index of times(most + 5, (at) => at)) {
		await one.keep(`task_${index}`, kept("q", "192.0.2.66"), undefined);
	}
	t.same(one.left(), [most, most]);
	for (const id of ["busy", "payer", "unsettled"]) t.ok(await one.has(`task_${id}`), id);
	t.notOk(await one.has("task_0"), "the address that holds most loses its oldest");

	const text = "x".repeat(LIMITS.waitingTasksChars / 2);
	await one.keep("task_large", kept(text, "192.0.2.66"), undefined);
	const rows = [...one.store.disk.state.rows.waiting_tasks.keys()];
	t.same(rows.sort(), ["task_busy", "task_payer", "task_unsettled"], "nor do texts add up to more");
});

t.test("who takes over what another left counts it", async (t) => {
	const one = openProcess();
	const most = LIMITS.waitingTasksMax / 2;
	for (const index of times(most, (at) => at)) {
		await one.keep(`task_${index}`, kept("q"), undefined);
	}
	const other = openProcess(one.store.disk, { share: 2 });
	await other.takeUp();
	t.same(other.left(), [most, most]);
	await other.keep("task_new", kept("q", "192.0.2.7"), undefined);
	t.same(other.left(), [most, most]);
	t.ok(await other.has("task_new"));
	t.notOk(await other.has("task_0"));
	await one.keep("task_late", kept("q"), undefined);
	t.ok(await other.has("task_1"), "the one before forgets nothing that is no more its own");
});
