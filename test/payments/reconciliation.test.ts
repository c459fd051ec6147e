import t from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import type { TransferSpan } from "../../payments/onchain/facilitator.js";
import { createRefundPayouts } from "../../payments/refunds/refund-payouts.js";
import { createChainBooks } from "../../src/operator/reports/ledger-operator.js";
import type { PaymentRow } from "../../store/rows/payment-rows.js";
import {
	createSimChain,
	createSimTreasury,
	SIM_TERMS,
	type SimChain,
} from "../support/sim-chain.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { type Books, openBooks, WALLET } from "./open-books.js";

const PAYER = "0x1111111111111111111111111111111111111111";
const STRANGER = "0x2222222222222222222222222222222222222222";

async function openBothBooks() {
	const books = await openBooks();
	const { store, clock, ids } = books;
	const chain = createSimChain({ now: clock.now });
	chain.mint(PAYER, 10_000_000n);
	chain.mint(STRANGER, 10_000_000n);
	const onchain = { terms: SIM_TERMS, chain, treasury: createSimTreasury(chain) };
	const chainBooks = createChainBooks({ store, clock, ids, onchain });
	const payouts = createRefundPayouts({ store, clock, ids, manualSource: "cash:manual", onchain });
	/** What is on both sides. */
	const pay = async (paymentId: string, amountMicros: bigint) => {
		const { hash } = chain.transfer(PAYER, SIM_TERMS.payTo, amountMicros);
		await books.settle(paymentId, amountMicros, hash);
		clock.set(clock.now() + 1_000);
	};
	return { ...books, chain, chainBooks, payouts, pay };
}

t.test("settlements and payouts match transfer by transfer", async (t) => {
	const { pay, sell, refunds, payouts, chainBooks } = await openBothBooks();
	await pay("pay_1", 500_000n);
	await pay("pay_2", 1_500_000n);
	const { id: receiptId } = await sell({ owner: WALLET, amountMicros: 500_000n, rail: "x402" });
	const { id } = await refunds.refundReceipt({ receiptId, reason: "r" });
	await payouts.pay({ id });
	const { matched } = await chainBooks.reconcile({});
	t.same(matched, { count: 3, in_usd: "2.00", out_usd: "0.50" });
	t.match(await chainBooks.reconcile({}), {
		status: "ok",
		ledger_only: [],
		chain_only: [],
		differing: [],
		open: [],
		chain_balance_usd: "1.50",
		ledger_balance_usd: "1.50",
		pay_to: SIM_TERMS.payTo,
	});
});

t.test("money that only one side knows is shown with who sent it", async (t) => {
	const { pay, settle, clock, chain, chainBooks } = await openBothBooks();
	await pay("pay_1", 500_000n);
	const lost = `0x${"d".repeat(64)}`;
	await settle("pay_lost", 250_000n, lost);
	const { hash: wrong } = chain.transfer(PAYER, SIM_TERMS.payTo, 300_000n);
	await settle("pay_wrong", 200_000n, wrong);
	const { hash: stray } = chain.transfer(STRANGER, SIM_TERMS.payTo, 700_000n);
	const { hash: taken } = chain.transfer(SIM_TERMS.payTo, STRANGER, 100_000n);
	clock.set(clock.now() + 1_000);
	t.match(await chainBooks.reconcile({}), {
		status: "differs",
		matched: { count: 1 },
		ledger_only: [{ transaction: lost, direction: "in", amount_usd: "0.25" }],
		chain_only: [
			{ transaction: stray, direction: "in", amount_usd: "0.70", counterparty: STRANGER },
			{ transaction: taken, direction: "out", amount_usd: "0.10", counterparty: STRANGER },
		],
		differing: [{ transaction: wrong, amount_usd: "0.30", ledger_usd: "0.20" }],
	});
});

t.test("what no one accounts for is booked to suspense on demand, once", async (t) => {
	const { store, clock, chain, chainBooks, balance } = await openBothBooks();
	chain.transfer(STRANGER, SIM_TERMS.payTo, 700_000n);
	chain.transfer(SIM_TERMS.payTo, STRANGER, 100_000n);
	t.match(await chainBooks.reconcile({ book: true }), { status: "differs", booked: 2 });
	clock.set(clock.now() + 1_000);
	t.equal(await balance("suspense"), 600_000n);
	t.match(await chainBooks.reconcile({ book: true }), {
		status: "ok",
		booked: 0,
		matched: { count: 2 },
		chain_balance_usd: "0.60",
		ledger_balance_usd: "0.60",
	});
	t.same((await createInvariantGuard({ store, clock }).check({ full: true })).failures, []);
});

t.test(
	"several transfers in one transaction are held against their bookings one by one",
	async (t) => {
		const { store, clock, chain, chainBooks, settle } = await openBothBooks();
		const wallet = createSimWallet(chain, { name: "w", now: clock.now, balance: 1_700_000n });
		const sign = (value: bigint) => wallet.sign({ value });
		const made = chain.executeTogether([sign(700_000n), sign(500_000n), sign(500_000n)]);
		await settle("pay_1", 500_000n, `${made[1]?.hash}:1`);
		clock.set(clock.now() + 1_000);
		t.match(await chainBooks.reconcile({ book: true }), {
			matched: { count: 1 },
			chain_only: [{ amount_usd: "0.70" }, { amount_usd: "0.50" }],
			ledger_only: [],
			differing: [],
			booked: 2,
		});
		clock.set(clock.now() + 1_000);
		t.match(await chainBooks.reconcile({ book: true }), { status: "ok", booked: 0 });
		t.same((await createInvariantGuard({ store, clock }).check({ full: true })).failures, []);
	},
);

t.test("a booking is held against its own place, else its amount, else the first", async (t) => {
	const cases = [
		["the place", ":0", 500_000n, { count: 0, differs: [["0.30", "0.50"]], left: ["0.50"] }],
		["the second place", ":1", 500_000n, { count: 1, differs: [], left: ["0.30"] }],
		["the amount", "", 500_000n, { count: 1, differs: [], left: ["0.30"] }],
		["the amount of the first", "", 300_000n, { count: 1, differs: [], left: ["0.50"] }],
		["neither", ":7", 400_000n, { count: 0, differs: [["0.30", "0.40"]], left: ["0.50"] }],
	] as const;
	for (const [title, place, amountMicros, found] of cases) {
		const { clock, chain, chainBooks, settle } = await openBothBooks();
		const wallet = createSimWallet(chain, { name: "w", now: clock.now, balance: 800_000n });
		const values = [300_000n, 500_000n];
		const [first] = chain.executeTogether(values.map((value) => wallet.sign({ value })));
		await settle("pay_1", amountMicros, `${first?.hash}${place}`);
		clock.set(clock.now() + 1_000);
		const { matched, differing, chain_only } = await chainBooks.reconcile({});
		const differs = differing.map(({ amount_usd, ledger_usd }) => [amount_usd, ledger_usd]);
		const left = chain_only.map(({ amount_usd }) => amount_usd);
		t.same({ count: matched.count, differs, left }, found, title);
	}
});

t.test("money of a payment whose outcome is open is not booked away from it", async (t) => {
	const { store, chain, chainBooks } = await openBothBooks();
	const { hash } = chain.transfer(PAYER, SIM_TERMS.payTo, 500_000n);
	const row: Partial<PaymentRow> = { id: "pay_open", state: "unknown", payer: PAYER };
	const open = { ...row, owner: WALLET, amountMicros: 500_000n, graphIds: [] } as never;
	await store.transaction((tx) => tx.put("payments", open));
	t.match(await chainBooks.reconcile({ book: true }), {
		status: "ok",
		booked: 0,
		open: [{ transaction: hash }],
	});
});

t.test("only a payment of the same payer and amount explains a transfer", async (t) => {
	const { store, chain, chainBooks } = await openBothBooks();
	const { hash } = chain.transfer(PAYER, SIM_TERMS.payTo, 500_000n);
	const open = { id: "pay_open", state: "unknown", owner: WALLET, graphIds: [] };
	for (const [changes, isExplained] of [
		[{ payer: PAYER, amountMicros: 500_001n }, false],
		[{ payer: STRANGER, amountMicros: 500_000n }, false],
		[{ payer: PAYER, amountMicros: 500_000n, state: "released" }, false],
		[{ payer: STRANGER, amountMicros: 1n, transactionHash: hash }, true],
		[{ payer: PAYER, amountMicros: 500_000n, transactionHash: `0x${"9".repeat(64)}` }, false],
	] as const) {
		await store.transaction((tx) => tx.put("payments", { ...open, ...changes } as never));
		const { open: explained, chain_only } = await chainBooks.reconcile({});
		t.same([explained.length, chain_only.length], isExplained ? [1, 0] : [0, 1]);
	}
});

t.test("a payment explains no transfer that leaves", async (t) => {
	const { store, chain, chainBooks } = await openBothBooks();
	chain.mint(SIM_TERMS.payTo, 100_000n);
	const { hash } = chain.transfer(SIM_TERMS.payTo, PAYER, 100_000n);
	const open = { id: "pay_open", state: "unknown", owner: WALLET, payer: PAYER, graphIds: [] };
	const row = { ...open, amountMicros: 100_000n, transactionHash: hash };
	await store.transaction((tx) => tx.put("payments", row as never));
	t.match(await chainBooks.reconcile({}), {
		open: [],
		chain_only: [{ transaction: hash, direction: "out" }],
	});
});

t.test("a refund that is being paid explains its own transfer", async (t) => {
	const { store, chain, chainBooks } = await openBothBooks();
	const { hash } = chain.transfer(PAYER, SIM_TERMS.payTo, 500_000n);
	const out = chain.transfer(SIM_TERMS.payTo, STRANGER, 100_000n).hash;
	const refund = { ref: "r", owner: "tok_a", amountMicros: 100_000n, reason: "r", createdAt: 0 };
	const put = (state: "paying" | "pending") =>
		store.transaction((tx) =>
			tx.put("refunds", { ...refund, id: "rfd_1", state, transactionHash: out.toUpperCase() }),
		);
	await put("paying");
	const under = await chainBooks.reconcile({});
	t.match(under, { open: [{ transaction: out }], chain_only: [{ transaction: hash }] });
	await put("pending");
	const waiting = await chainBooks.reconcile({});
	t.same([waiting.open.length, waiting.chain_only.length], [0, 2]);
});

const postNothing = (store: Books["store"], key: string, at: number) =>
	store.transaction((tx) => {
		const accounts = ["cash:x402:eip155:84532", "suspense"];
		const entries = accounts.map((account) => ({ account, amountMicros: 0n }));
		return tx.post({ id: "txn_0", key, kind: "adjust", at, entries, ref: "r" });
	});

t.test("transfers of nothing, which anybody can make in our name, are no movements", async (t) => {
	const { store, clock, chain, chainBooks } = await openBothBooks();
	chain.transfer(STRANGER, SIM_TERMS.payTo, 0n);
	const { hash } = chain.transfer(SIM_TERMS.payTo, STRANGER, 0n);
	// As an earlier release booked them.
	await postNothing(store, `payout:${SIM_TERMS.network}:${hash}`, clock.now());
	clock.set(clock.now() + 1_000);
	const nothing = { status: "ok", booked: 0, chain_only: [], ledger_only: [] };
	t.match(await chainBooks.reconcile({ book: true }), nothing);
	clock.set(clock.now() + 72 * 3_600_000);
	t.match(await chainBooks.reconcile({ book: true }), nothing);
	t.same((await createInvariantGuard({ store, clock }).check({ full: true })).failures, []);
});

t.test("a name the journal knows is never booked again, however old it is", async (t) => {
	const { store, clock, chain, chainBooks } = await openBothBooks();
	const { hash } = chain.transfer(STRANGER, SIM_TERMS.payTo, 700_000n);
	await postNothing(store, `settle:${SIM_TERMS.network}:${hash}`, clock.now());
	clock.set(clock.now() + 72 * 3_600_000);
	t.match(await chainBooks.reconcile({ book: true }), {
		booked: 0,
		chain_only: [],
		differing: [{ transaction: hash, amount_usd: "0.70", ledger_usd: "0.00" }],
	});
	t.same((await createInvariantGuard({ store, clock }).check({ full: true })).failures, []);
});

/** Something happens once the journal was read, after a first look at where it begins. */
const withLate = (store: Books["store"], work: () => Promise<unknown>): Books["store"] => {
	let readings = 0;
	return Object.assign(Object.create(store), {
		async *history() {
			readings += 1;
			yield* store.history();
			if (readings > 1) await work();
		},
	});
};

t.test("a movement that is booked meanwhile leaves the others to be booked", async (t) => {
	const { store, clock, ids, chain, settle, balance } = await openBothBooks();
	const { hash } = chain.transfer(PAYER, SIM_TERMS.payTo, 500_000n);
	chain.transfer(STRANGER, SIM_TERMS.payTo, 700_000n);
	const late = withLate(store, () => settle("pay_late", 500_000n, `${hash}:0`));
	const onchain = { terms: SIM_TERMS, chain };
	const atOnce = createChainBooks({ store: late, clock, ids, onchain });
	t.match(await atOnce.reconcile({ book: true }), { booked: 1 });
	t.equal(await balance("suspense"), 700_000n);
	clock.set(clock.now() + 1_000);
	const books = createChainBooks({ store, clock, ids, onchain });
	t.match(await books.reconcile({ book: true }), { status: "ok", booked: 0 });
});

t.test("a payment that settles while the books are read is open, not unexplained", async (t) => {
	const { store, clock, ids, chain, settle } = await openBothBooks();
	const { hash } = chain.transfer(PAYER, SIM_TERMS.payTo, 500_000n);
	const row: Partial<PaymentRow> = { id: "pay_open", state: "reserved", payer: PAYER };
	const open = { ...row, owner: WALLET, amountMicros: 500_000n, graphIds: [] } as never;
	await store.transaction((tx) => tx.put("payments", open));
	const late = withLate(store, async () => {
		await settle("pay_open", 500_000n, hash);
		await store.transaction((tx) => tx.delete("payments", "pay_open"));
	});
	const onchain = { terms: SIM_TERMS, chain };
	t.match(await createChainBooks({ store: late, clock, ids, onchain }).reconcile({ book: true }), {
		status: "ok",
		chain_only: [],
		open: [{ transaction: hash }],
		booked: 0,
	});
});

t.test("the chain is read from a day before the first booking, by one at a time", async (t) => {
	const { store, clock, ids, chain, settle } = await openBothBooks();
	const asked: TransferSpan[] = [];
	const watched: SimChain = {
		...chain,
		transfers(terms, span = {}) {
			asked.push(span);
			span.onProgress?.({ done: 1, total: 1 });
			return chain.transfers(terms);
		},
	};
	const onchain = { terms: SIM_TERMS, chain: watched };
	const books = createChainBooks({ store, clock, ids, onchain });
	const dayMs = 24 * 3_600_000;
	const firstAt = clock.now();
	await books.reconcile({});
	await settle("pay_1", 1n, `0x${"1".repeat(64)}`);
	clock.set(firstAt + 400 * dayMs);
	const told: unknown[] = [];
	const running = books.reconcile({}, (progress) => void told.push(progress));
	await t.rejects(books.reconcile({}), { code: "RATE_LIMITED" });
	await running;
	t.same(told, [{ done: 1, total: 1 }]);
	const open = { id: "pay_open", createdAt: firstAt - dayMs, owner: WALLET, payer: PAYER };
	await store.transaction((tx) => tx.put("payments", { ...open, state: "unknown" } as never));
	await books.reconcile({});
	t.same(
		asked.map(({ sinceMs = 0 }) => (sinceMs - firstAt) / dayMs),
		[-1, -1, -2],
	);
});

t.test("without a chain there is nothing to reconcile with", async (t) => {
	const books = await openBooks();
	await t.rejects(createChainBooks(books).reconcile({}), { code: "UNAVAILABLE" });
});
