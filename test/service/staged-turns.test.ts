import t from "tap";
import { createChatRecords } from "../../skills/chat/chat-records.js";
import { createChatRoom, createStagedTurns } from "../../skills/chat/chat-room.js";
import type { Caller } from "../../src/contract/call.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { createTurnQueue } from "../../src/kernel/turn-queue.js";
import type { PaymentRow } from "../../store/rows/payment-rows.js";
import { createMemoryStore } from "../a2a/memory-store.js";
import { movingClock } from "../support/manual-clock.js";

const OWNER: Caller = { owner: "tok_1", rail: "spt" };
const live = () => new AbortController().signal;

/** A room over a disk that outlives it; `later` lets the time go by after which unpaid turns are looked at. */
function openRoom(disk = createMemoryStore().disk, beforePut = async (_id: string) => {}) {
	const waiting = new Set<() => void>();
	const clock = {
		...movingClock("2026-11-22T12:00:00Z"),
		after(_delayMs: number, task: () => void) {
			waiting.add(task);
			return () => void waiting.delete(task);
		},
	};
	const memory = createMemoryStore(disk);
	const store = {
		...memory,
		documents: {
			...memory.documents,
			async put(...document: Parameters<typeof memory.documents.put>) {
				await beforePut(document[0]);
				await memory.documents.put(...document);
			},
		},
	};
	const records = createChatRecords({ store, clock });
	const ids = createIds({ clock, random: systemRandom });
	const queues = { writes: createTurnQueue(), seats: createTurnQueue() };
	const parts = { records, ...queues, ids, clock };
	const staged = createStagedTurns({ ...parts, store, logger: { error: () => undefined } });
	const room = createChatRoom({ ...parts, staged });
	return {
		...{ clock, store, staged, records, disk },
		async answer(message: string, callId: string) {
			const seat = await room.enter(OWNER, "s", live());
			const added = await seat.add(turn(message, callId));
			seat.leave();
			return added;
		},
		async known() {
			const seat = await room.enter(OWNER, "s", live());
			seat.leave();
			return seat.memory.turns.map(({ message }) => message);
		},
		kept: async () =>
			(await records.findOwn(OWNER, "s"))?.text.turns.map(({ n, message }) => [n, message]) ?? [],
		atRest: () => store.read((reader) => reader.list("artefacts")),
		async later() {
			const due = [...waiting];
			waiting.clear();
			for (const task of due) task();
			await new Promise(setImmediate);
		},
		/** The task that has waited longest. */
		async look() {
			const [task] = waiting;
			if (task) waiting.delete(task);
			task?.();
			await new Promise(setImmediate);
		},
		async remove() {
			const record = await records.findOwn(OWNER, "s");
			if (record) await records.remove(record.row);
		},
		pay: (state: PaymentRow["state"], holdId?: string) => {
			const row = { id: "pay_1", state, owner: OWNER.owner, ...(holdId && { holdId }) };
			return store.transaction((tx) => tx.put("payments", row as PaymentRow));
		},
	};
}

const turn = (message: string, callId: string) => ({
	...{ at: 0, callId, message, question: message },
	...{ kind: "alone" as const, cited: [["e~1"]], missing: [], writer: "extractive" },
});

t.test("a turn that a payment without a hold paid for is recovered", async (t) => {
	for (const state of ["captured", "credited", "released"] as const) {
		const first = openRoom();
		await first.pay("settling");
		await first.answer("paid by a wallet", "pay_1");
		await first.pay(state);
		const second = openRoom(first.disk);
		await second.staged.recover();
		t.same(await second.kept(), state === "captured" ? [[1, "paid by a wallet"]] : [], state);
		t.same(await second.atRest(), []);
	}
});

t.test("while its payment is open a turn stays at rest, however long that takes", async (t) => {
	const shop = openRoom();
	await shop.pay("unknown");
	await shop.answer("perhaps paid", "pay_1");
	t.same(await shop.known(), ["perhaps paid"]);
	await shop.later();
	t.same(await shop.known(), [], "those who come after forget it");
	await shop.staged.recover();
	t.equal((await shop.atRest()).length, 1);
	await shop.pay("captured");
	await shop.later();
	t.same(await shop.kept(), [[1, "perhaps paid"]]);
	t.same(await shop.atRest(), []);
});

t.test("a turn whose number was given to another gets the next", async (t) => {
	const first = openRoom();
	await first.pay("captured");
	await first.answer("paid, not written", "pay_1");

	const second = openRoom(first.disk);
	await (await second.answer("the next", "hold_2")).remember();
	await second.staged.recover();
	await second.staged.recover();
	t.same(await second.kept(), [
		[1, "the next"],
		[2, "paid, not written"],
	]);
	t.equal((await second.records.findOwn(OWNER, "s"))?.text.turn_count, 2);
});

t.test("a turn under way is not written into a session that was deleted meanwhile", async (t) => {
	const shop = openRoom();
	await (await shop.answer("one", "hold_1")).remember();
	const two = await shop.answer("two", "hold_2");
	const record = await shop.records.findOwn(OWNER, "s");
	if (record) await shop.records.remove(record.row);
	t.same(await shop.known(), []);
	await two.remember();
	t.same(await shop.kept(), []);
	const three = await shop.answer("three", "hold_3");
	await three.remember();
	t.same(await shop.kept(), [[1, "three"]]);
	t.same(await shop.atRest(), []);
});

t.test("what is amended is what is remembered, and what those who come after know", async (t) => {
	const shop = openRoom();
	const added = await shop.answer("told", "hold_1");
	added.amend({ ...turn("told", "hold_1"), writer: "model" });
	await added.remember();
	t.match((await shop.records.findOwn(OWNER, "s"))?.text.turns, [{ n: 1, writer: "model" }]);
	const forgotten = await shop.answer("nobody pays", "hold_2");
	forgotten.forget();
	t.same(await shop.known(), ["told"]);
	await shop.later();
	t.same(await shop.atRest(), []);
});

t.test(
	"a payment that paid for a later call did not pay for the turn it was first sent with",
	async (t) => {
		const shop = openRoom();
		await shop.pay("settling");
		await shop.answer("asked", "pay_1");
		await shop.pay("unknown");
		await shop.later();
		await shop.pay("settled");
		const again = await shop.answer("asked", "hold_2");
		await shop.pay("captured", "hold_2");
		await again.remember();
		await shop.later();
		t.same(await shop.kept(), [[1, "asked"]]);
		t.same(await shop.atRest(), []);
	},
);

t.test("a turn that is forgotten late takes no other one's place away", async (t) => {
	const shop = openRoom();
	await shop.answer("keeps the session open", "hold_0");
	const unpaid = await shop.answer("nobody paid", "hold_a");
	unpaid.forget();
	const paid = await shop.answer("is being paid", "hold_b");
	await shop.look();
	await shop.look();
	t.same(await shop.known(), ["is being paid"]);
	unpaid.amend(turn("nobody paid", "hold_a"));
	t.same(await shop.known(), ["is being paid"]);
	await paid.remember();
	t.same(await shop.kept(), [[2, "is being paid"]]);
});

t.test("a session whose deletion was cut short can be begun again under its name", async (t) => {
	const shop = openRoom();
	await (await shop.answer("one", "hold_1")).remember();
	const record = await shop.records.findOwn(OWNER, "s");
	await shop.store.documents.delete(record?.row.id ?? "");
	const next = openRoom(shop.disk);
	await (await next.answer("two", "hold_2")).remember();
	await (await next.answer("three", "hold_3")).remember();
	t.same(await next.known(), ["two", "three"]);
});

t.test(
	"a turn that is put to rest while its session is deleted brings it back no more",
	async (t) => {
		let release = () => {};
		let isHeld = false;
		const shop = openRoom(undefined, async (id) => {
			if (isHeld && id.startsWith("art")) await new Promise<void>((done) => (release = done));
		});
		const first = await shop.answer("first", "hold_a");
		isHeld = true;
		const second = shop.answer("second", "hold_b");
		await new Promise(setImmediate);
		await first.remember();
		await shop.remove();
		release();
		await (await second).remember();
		t.same(await shop.kept(), []);
	},
);

t.test("a recovery that fails is tried again", async (t) => {
	const first = openRoom();
	await first.pay("settling");
	await first.answer("paid by a wallet", "pay_1");
	await first.pay("captured");
	let failures = 1;
	const next = openRoom(first.disk, async (id) => {
		if (id.startsWith("cht") && failures-- > 0) throw new Error("EMFILE");
	});
	await next.staged.recover();
	t.same(await next.kept(), []);
	await next.later();
	t.same(await next.kept(), [[1, "paid by a wallet"]]);
	t.same(await next.atRest(), []);
});
