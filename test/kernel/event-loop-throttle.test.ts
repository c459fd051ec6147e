import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import t from "tap";
import { createEventLoopThrottle } from "../../src/kernel/event-loop.js";

t.test("what does not fit into one turn of the event loop waits for later ones", async (t) => {
	let nowMs = 0;
	let turn = 0;
	const gate = createEventLoopThrottle({ monotonicMs: () => nowMs });
	const work = Array.from({ length: 6 }, () =>
		gate.run(() => {
			nowMs += 3;
			return turn;
		}),
	);
	let isDone = false;
	const all = Promise.all(work).finally(() => {
		isDone = true;
	});
	for (; !isDone && turn < 50; turn++) await nextTurn();
	const perTurn = new Map<number, number>();
	for (const at of await all) perTurn.set(at, (perTurn.get(at) ?? 0) + 1);
	t.ok(Math.max(...perTurn.values()) <= 2, "two of three milliseconds use up the four");
	t.ok(perTurn.size >= 3);
});

t.test("work that throws fails for its caller alone", async (t) => {
	const gate = createEventLoopThrottle({ monotonicMs: () => 0 });
	const failing = gate.run(() => {
		throw new Error("broken");
	});
	const next = gate.run(() => "sound");
	await t.rejects(failing, { message: "broken" });
	t.equal(await next, "sound");
});

t.test("what came out of the last work does not live until the next one", async (t) => {
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc") as () => void;
	const gate = createEventLoopThrottle({ monotonicMs: () => 0 });
	const run = async () => new WeakRef(await gate.run(() => ({ rows: 1 })));
	const outcome = await run();
	// A reference made or followed counts until its turn is over.
	await nextTurn();
	collect();
	t.equal(outcome.deref(), undefined);
	t.equal(await gate.run(() => "next"), "next");
});
