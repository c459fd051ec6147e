import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { createLooks } from "../../store/postgres/looks.js";
import { afterGathering } from "../../store/postgres/queues.js";
import { stillClock } from "./open-test-store.js";

/** How many had joined when the queue was sent, one joining in each of `joining` turns of the event loop. */
async function sentWith(joining: number, enough = 1_000): Promise<number | undefined> {
	const queue = ["first"];
	let sent: number | undefined;
	afterGathering(queue, enough, () => {
		sent = queue.length;
	});
	for (let left = joining; left > 0; left--) {
		queue.push("more");
		await turn();
	}
	// Bounded: what never comes to rest is sent all the same.
	for (let left = 3; left > 0 && sent === undefined; left--) await turn();
	return sent;
}

t.test("a queue is sent together once a turn of the event loop brings nothing more", async (t) => {
	t.equal(await sentWith(0), 1);
	t.equal(await sentWith(5), 6);
});

t.test("a queue that has enough in it goes in the next turn", async (t) => {
	t.equal(await sentWith(100, 4), 4);
});

t.test("what is asked in turns that follow each other is one statement", async (t) => {
	const statements: (readonly unknown[])[] = [];
	const look = createLooks({
		pool: {
			async query(_text, values = []) {
				statements.push(values);
				return [];
			},
		},
		schema: "s",
		clock: stillClock(),
	});
	const ask = (key: string) => look({ kind: "balance", key });
	const first = [ask("a"), ask("b")];
	await turn();
	await Promise.all([...first, ask("c")]);
	t.same(
		statements.map((values) => values.at(-1)),
		[["a", "b", "c"]],
	);
});

t.test("a queue that never stops growing is sent after a dozen turns", async (t) => {
	t.equal(await sentWith(100), 13);
});

t.test("a queue that no other joins waits for one turn", async (t) => {
	let isSent = false;
	afterGathering(["alone"], 2, () => {
		isSent = true;
	});
	t.notOk(isSent);
	await turn();
	t.ok(isSent);
});
