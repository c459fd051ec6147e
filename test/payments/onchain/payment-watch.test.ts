import t from "tap";
import { createPaymentWatch } from "../../../payments/onchain/payment-watch.js";
import { placeIn, settlementKey } from "../../../payments/onchain/settlement-book.js";
import { LIMITS } from "../../../src/contract/limits.js";
import type { PaymentRow, PaymentState } from "../../../store/rows/payment-rows.js";
import type { StoreReader } from "../../../store/store-port.js";

const row = (id: string, state: PaymentState) => ({ id, state }) as PaymentRow;

/** A watch over rows that other processes may have written. */
function openWatch(rows: readonly PaymentRow[] = []) {
	const reader = {
		findBy: async (_table: string, _index: string, state: string) =>
			rows.filter((one) => one.state === state),
	} as unknown as StoreReader;
	return createPaymentWatch({ read: (work) => work(reader) });
}

t.test("open payments are counted by what is known of them, each once", async (t) => {
	const watch = openWatch();
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

t.test(
	"what others left open is known once it was looked for, and what they ended is not",
	async (t) => {
		const watch = openWatch([
			row("theirs", "unknown"),
			row("kept", "settled"),
			row("over", "captured"),
		]);
		watch.follow(row("kept", "settled"));
		watch.follow(row("ended", "refused"));
		t.same(watch.takeDue(0), ["kept", "ended"]);
		await watch.refresh();
		t.same(watch.open(), { unknown: 1, refused: 0, settled: 1 });
		t.same(watch.takeDue(0), ["theirs"], "what it knew before is not due again for that");
	},
);

t.test("pauses double to the bound, and a state that changes begins anew", async (t) => {
	let now = 0;
	const watch = openWatch();
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
	const watch = openWatch();
	watch.follow(row("a", "settled"));
	for (let now = 0; now < 60_000; now += LIMITS.reconcileIntervalMs) {
		t.same(watch.takeDue(now), ["a"], `${now}`);
		t.same(watch.takeDue(now + LIMITS.reconcileIntervalMs - 1), []);
	}
});

t.test("a clock that was set back puts nothing off", async (t) => {
	const watch = openWatch();
	watch.follow(row("a", "settled"));
	t.same(watch.takeDue(1e9), ["a"]);
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
