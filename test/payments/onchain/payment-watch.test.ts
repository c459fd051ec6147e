import t from "tap";
import { createPaymentWatch } from "../../../payments/onchain/payment-watch.js";
import { placeIn, settlementKey } from "../../../payments/onchain/settlement-book.js";
import { LIMITS } from "../../../src/contract/limits.js";
import type { PaymentRow, PaymentState } from "../../../store/rows/payment-rows.js";

const row = (id: string, state: PaymentState, idempotencyId?: string) =>
	({ id, state, idempotencyId }) as PaymentRow;

function openWatch() {
	let nowMs = 1_000;
	const watch = createPaymentWatch(() => nowMs);
	const pass = (ms: number) => {
		nowMs += ms;
	};
	return { watch, pass };
}

t.test("a payment and its key are busy until their call ends", async (t) => {
	const { watch, pass } = openWatch();
	watch.begin("a", "key");
	watch.begin("b", undefined);
	pass(1e9);
	t.same(["a", "b", "c"].map(watch.isBusy), [true, true, false]);
	t.same([watch.isKeyBusy("key"), watch.isKeyBusy("other")], [true, false]);
	watch.end("a");
	t.same([watch.isBusy("a"), watch.isKeyBusy("key"), watch.isBusy("b")], [false, false, true]);
	watch.end("a");
});

t.test("a key that another payment took over stays busy with that one", async (t) => {
	const { watch } = openWatch();
	watch.begin("a", "key");
	watch.begin("b", "key");
	watch.end("a");
	t.equal(watch.isKeyBusy("key"), true);
	watch.end("b");
	t.equal(watch.isKeyBusy("key"), false);
});

t.test("a key is free once its payment ends, whatever later came without one", async (t) => {
	const { watch } = openWatch();
	watch.begin("a", "key");
	watch.end("a");
	t.equal(watch.isKeyBusy("key"), false);
	watch.begin("a", undefined);
	t.equal(watch.isKeyBusy("key"), false, "the same payment again, without the key");
});

t.test("what is being delivered is busy for a while, and no longer", async (t) => {
	const { watch, pass } = openWatch();
	watch.linger("unknown");
	t.equal(watch.isBusy("unknown"), false);
	watch.begin("a", "key");
	watch.linger("a");
	pass(LIMITS.deliveryGraceMs - 1);
	t.same([watch.isBusy("a"), watch.isKeyBusy("key")], [true, true]);
	pass(1);
	t.same([watch.isKeyBusy("key"), watch.isBusy("a")], [false, false]);
});

t.test("open payments are counted by what is known of them, each once", async (t) => {
	const { watch } = openWatch();
	for (const state of ["settling", "unknown", "refused", "settled"] as const)
		watch.follow(row(state, state));
	for (const state of ["reserved", "captured", "credited", "released"] as const)
		watch.follow(row(state, state));
	t.same(watch.open(), { unknown: 2, refused: 1, settled: 1 });
	watch.follow(row("settling", "settled"));
	watch.follow(row("refused", "released"));
	watch.forget("unknown");
	watch.forget("never followed");
	t.same(watch.open(), { unknown: 0, refused: 0, settled: 2 });
});

t.test("an open payment is found by its retry key until it is at an end", async (t) => {
	const { watch } = openWatch();
	watch.follow(row("a", "unknown", "key"));
	t.equal(watch.openWithKey("key"), "a");
	watch.follow(row("b", "unknown", "key"));
	watch.follow(row("a", "released", "key"));
	t.equal(watch.openWithKey("key"), "b", "the key is the other one's by now");
	watch.follow(row("b", "captured", "key"));
	t.equal(watch.openWithKey("key"), undefined);
});

t.test("pauses double to the bound, and a state that changes begins anew", async (t) => {
	let now = 0;
	const { watch } = openWatch();
	watch.follow(row("b", "unknown"));
	for (const seconds of [5, 10, 20, 40, 60, 60, 60, 60, 60, 60, 60, 60, 60]) {
		t.same(watch.takeDue(now), ["b"], `${now}`);
		t.same(watch.takeDue(now + seconds * 1_000 - 1), [], `${seconds} s are not over`);
		now += seconds * 1_000;
	}
	watch.follow(row("b", "unknown"));
	t.same(watch.takeDue(now - 1), [], "the same state changes nothing");
	watch.follow(row("b", "settled"));
	t.same(watch.takeDue(now - 1), ["b"]);
});

t.test("money that is here is looked at every five seconds, however long it waits", async (t) => {
	const { watch } = openWatch();
	watch.follow(row("a", "settled"));
	for (let now = 0; now < 60_000; now += LIMITS.reconcileIntervalMs) {
		t.same(watch.takeDue(now), ["a"], `${now}`);
		t.same(watch.takeDue(now + LIMITS.reconcileIntervalMs - 1), []);
	}
});

t.test("what is busy is left alone, and a clock that was set back puts nothing off", async (t) => {
	const { watch, pass } = openWatch();
	watch.follow(row("a", "settled"));
	watch.begin("a", undefined);
	t.same(watch.takeDue(1e9), []);
	watch.linger("a");
	pass(LIMITS.deliveryGraceMs);
	t.same(watch.takeDue(1e9), ["a"], "its delivery is over");
	t.same(watch.takeDue(1e9 + 4_999), []);
	t.same(watch.takeDue(1e9 - LIMITS.reconcileBackoffMs), ["a"], "a minute and more before");
});

t.test("a transfer has one name in the ledger, whatever letters it comes in", async (t) => {
	const hash = `0x${"aB".repeat(32)}`;
	const small = hash.toLowerCase();
	const network = "eip155:84532";
	t.equal(settlementKey(network, { transactionHash: hash }), `settle:${network}:${small}`);
	for (const logIndex of [0, 12]) {
		const key = settlementKey(network, { transactionHash: hash, logIndex });
		t.equal(key, `settle:${network}:${small}:${logIndex}`);
		t.strictSame(placeIn(key), { transactionHash: small, logIndex });
	}
	t.strictSame(placeIn(`settle:${network}:${hash}`), { transactionHash: small });
	for (const other of ["refund:1", `settle:${small}x`, `settle:${network}:${small}1`, `x${small}`])
		t.strictSame(placeIn(other), { transactionHash: other });
});
