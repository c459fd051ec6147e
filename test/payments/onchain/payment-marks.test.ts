import t from "tap";
import { createPaymentMarks } from "../../../payments/onchain/payment-marks.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import { openBooks } from "../open-books.js";

async function openMarks() {
	const { store, clock: still } = await openBooks();
	const clock = { ...still, monotonicMs: () => still.now() };
	const ids = createIds({ clock, random: systemRandom });
	const marks = createPaymentMarks({ store, clock, ids });
	const mark = async (id: string, key?: string) => {
		const markId = marks.begin();
		await store.transaction((tx) => marks.put(tx, markId, { id, key }));
		marks.placed(markId, id);
		return markId;
	};
	const isBusy = (id: string) => store.read((reader) => marks.isBusy(reader, id));
	const isKeyBusy = (key: string) => store.read((reader) => marks.isKeyBusy(reader, key));
	const rowOf = (id: string) => store.read((reader) => reader.get("payment_marks", id));
	const written = () => store.transaction(async () => undefined);
	return { store, clock, marks, mark, isBusy, isKeyBusy, rowOf, written };
}

t.test(
	"a payment and its key are busy until their call ends, at once for its own process",
	async (t) => {
		const { marks, mark, isBusy, isKeyBusy, rowOf, written } = await openMarks();
		await mark("a", "key");
		await mark("b");
		t.same(await Promise.all(["a", "b", "c"].map(isBusy)), [true, true, false]);
		t.same([await isKeyBusy("key"), await isKeyBusy("other")], [true, false]);
		marks.end("a");
		t.same([await isBusy("a"), await isKeyBusy("key"), await isBusy("b")], [false, false, true]);
		marks.end("a");
		await written();
		t.equal(await rowOf("a"), undefined);
	},
);

t.test("what is begun and dropped, or never written, keeps no one away", async (t) => {
	const { marks, store, isBusy } = await openMarks();
	const markId = marks.begin();
	t.equal(await isBusy("a"), false);
	await store.transaction((tx) => marks.put(tx, markId, { id: "a" }));
	t.equal(await isBusy("a"), true, "from its commit on, before its process has noted that");
	marks.drop(markId);
	t.equal(await isBusy("a"), false);
});

t.test("an end that is written late takes no other request's mark away", async (t) => {
	const { marks, mark, isBusy, rowOf, written } = await openMarks();
	await mark("a");
	marks.end("a");
	await mark("a");
	await written();
	t.ok(await rowOf("a"));
	t.equal(await isBusy("a"), true);
});

t.test("what is being delivered is busy for a while, and no longer", async (t) => {
	const { marks, mark, clock, isBusy, isKeyBusy, rowOf, written } = await openMarks();
	marks.linger("unknown");
	t.equal(await isBusy("unknown"), false);
	await mark("a", "key");
	marks.linger("a");
	clock.set(clock.now() + LIMITS.deliveryGraceMs - 1);
	t.same([await isBusy("a"), await isKeyBusy("key")], [true, true]);
	clock.set(clock.now() + 1);
	t.same([await isKeyBusy("key"), await isBusy("a")], [false, false]);
	await marks.forgetEnded();
	await written();
	t.equal(await rowOf("a"), undefined);
});

t.test(
	"a mark of another process counts while that lives, and until its time is over",
	async (t) => {
		const { store, clock, marks, isBusy, rowOf } = await openMarks();
		const put = (processId: string) =>
			store.transaction((tx) =>
				tx.put("payment_marks", {
					id: "a",
					markId: "mark_1",
					processId,
					until: clock.now() + 1_000,
				}),
			);
		await put("proc_ended");
		t.equal(await isBusy("a"), false);
		await put("proc_other");
		const living = {
			...store,
			processes: { isShared: true, ownId: () => "proc_me", alive: async () => [] },
		};
		const ids = createIds({ clock, random: systemRandom });
		const theirs = createPaymentMarks({ store: living, clock, ids });
		const isBusyFor = () =>
			store.read((reader) => theirs.isBusy({ ...reader, isAlive: async () => true }, "a"));
		t.equal(await isBusyFor(), true);
		clock.set(clock.now() + 1_000);
		t.equal(await isBusyFor(), false);
		await marks.forgetEnded();
		t.equal(await rowOf("a"), undefined);
	},
);
