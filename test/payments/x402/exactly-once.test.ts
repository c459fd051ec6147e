import t from "tap";
import { FACILITATOR_KINDS, type FacilitatorKind } from "../../support/sim-facilitator.js";
import { times } from "../../support/times.js";
import { createWorld, PRICE, type Result, startOnchain } from "./start-onchain.js";

const COPIES = 100;
/** What never moves money, or not while it is waited for, delivers nothing; all others do, whatever they say, because the chain is asked. */
const MOVES_NOTHING: ReadonlySet<FacilitatorKind> = new Set([
	"claims_settled",
	"old_hash",
	"turns_away",
	"unreachable",
]);
const tally = (results: readonly Result[]) => ({
	delivered: results.filter((result) => result.kind === "delivered").length,
	refused: results.filter((result) => result.kind === "refused").length,
});

for (const kind of FACILITATOR_KINDS) {
	for (const settlesFirst of [false, true]) {
		const when = settlesFirst ? "settled first" : "settled last";
		t.test(`100 copies, ${when}, ${kind}: one run, one capture, one delivery`, async (t) => {
			const world = createWorld({ kind });
			world.chain.mint(world.wallet.address, 1n);
			if (kind === "turns_away") world.facilitator.delayMs = 3_600_000;
			const { buy, wallet, runs, chain, row, balances, onchain, clock } = await startOnchain(world);
			const authorization = wallet.sign({ value: PRICE });
			const results = await Promise.all(times(COPIES, () => buy(authorization, { settlesFirst })));
			const { delivered, refused } = tally(results);
			t.ok(runs() <= 1, `${runs()} runs`);
			t.equal(delivered, MOVES_NOTHING.has(kind) ? 0 : 1);
			t.equal(delivered + refused, COPIES);
			const settled = chain.timesSettled(authorization.from, authorization.nonce);
			const revenue = (await balances())["rev:per_call"] ?? 0n;
			t.equal(revenue, delivered === 1 ? PRICE : 0n);
			t.ok(settled <= 1);
			t.ok(settled >= delivered, "nothing leaves unpaid");
			// However it began: money that moved is booked in the end, once.
			clock.advance(5_000);
			await onchain.reconcile();
			const cash = -((await balances())["cash:x402:eip155:84532"] ?? 0n);
			t.equal(cash, settled === 1 ? PRICE : 0n);
			const state = (await row(authorization))?.state;
			t.equal(state === "captured", delivered === 1);
		});
	}
}

t.test(
	"an honest facilitator sells to every copy's payer once and to each new payment again",
	async (t) => {
		const { buy, wallet, runs } = await startOnchain();
		const first = wallet.sign({ value: PRICE });
		t.equal((await buy(first)).kind, "delivered");
		t.match(await buy(first), { kind: "refused", code: "PAYMENT_ALREADY_USED" });
		t.equal((await buy(wallet.sign({ value: PRICE }))).kind, "delivered");
		t.equal(runs(), 2);
	},
);

t.test("20 payments at once all settle", async (t) => {
	const { buy, wallet } = await startOnchain();
	const results = await Promise.all(times(20, () => buy(wallet.sign({ value: PRICE }))));
	t.equal(tally(results).delivered, 20);
});

t.test("a facilitator accepted on its word never settles twice by one transaction", async (t) => {
	const world = createWorld({ hasChainReader: false });
	world.chain.mint(world.wallet.address, 10n * PRICE);
	const first = await startOnchain(world);
	const buy = () => first.buy(world.wallet.sign({ value: PRICE }));
	t.match(await buy(), { kind: "delivered" });
	await first.later(30 * 24 * 3_600_000);
	// The ledger has forgotten the first one's key from here on.
	t.match(await buy(), { kind: "delivered" });
	world.facilitator.behavior = "old_hash";
	t.match(await buy(), { code: "SETTLEMENT_UNKNOWN" });
	const later = await first.restart();
	t.match(await later.buy(world.wallet.sign({ value: PRICE })), { code: "SETTLEMENT_UNKNOWN" });
	t.equal((await later.balances())["rev:per_call"], 2n * PRICE);
});
