import t from "tap";
import type { HoldTerms } from "../../payments/ledger.js";
import { createSweeper } from "../../payments/refunds/sweep.js";
import { LIMITS } from "../../src/contract/limits.js";
import { openBooks } from "./open-books.js";

const PRICE = 400_000n;

/** Two holds of one token: the money of the other is there to be taken by mistake. */
async function openHolds() {
	const books = await openBooks();
	const { store, ledger, clock, issue } = books;
	await issue("tok_a", 1_000_000n);
	const terms: HoldTerms = {
		...{ from: "cust:tok_a", owner: "tok_a", rail: "spt", amountMicros: PRICE },
		...{ operationId: "graphs.search", billingType: "per_call", idempotencyId: undefined },
	};
	const authorize = () => store.transaction((tx) => ledger.authorize(tx, terms));
	const first = await authorize();
	clock.set(clock.now() + LIMITS.holdTtlMs / 2);
	const second = await authorize();
	const balances = async () => ({
		left: await books.balance("cust:tok_a"),
		held: await books.balance("held:tok_a"),
		earned: await books.balance("rev:per_call"),
	});
	return { ...books, first, second, balances };
}

type Holds = Awaited<ReturnType<typeof openHolds>>;

const CLOSINGS: Readonly<Record<string, (holds: Holds) => Promise<unknown>>> = {
	"was captured": ({ store, ledger, first }) =>
		store.transaction((tx) => ledger.capture(tx, first, PRICE)),
	"was released": ({ store, ledger, first }) =>
		store.transaction((tx) => ledger.release(tx, first, "failed")),
	"was swept after its time": async ({ store, ledger, clock, first }) => {
		clock.set(first.expiresAt);
		await createSweeper({ store, ledger, clock }).sweep();
	},
};

for (const [how, close] of Object.entries(CLOSINGS)) {
	t.test(`a hold that ${how} captures nothing, not even from another one's money`, async (t) => {
		const holds = await openHolds();
		const { store, ledger, first, second, balances } = holds;
		await close(holds);
		const before = await balances();
		t.equal(before.held, PRICE, "the second hold is open");
		for (const amountMicros of [PRICE, 1n]) {
			const capture = store.transaction((tx) => ledger.capture(tx, first, amountMicros));
			await t.rejects(capture, { code: "UNAVAILABLE", message: /nothing was charged/ });
		}
		await store.transaction((tx) => ledger.release(tx, first, "failed"));
		t.same(await balances(), before);
		await store.transaction((tx) => ledger.capture(tx, second, PRICE));
		t.equal((await balances()).earned, before.earned + PRICE);
	});
}

t.test("a capture of more than is held is refused, and leaves the hold as it was", async (t) => {
	const { store, ledger, first, balances } = await openHolds();
	const before = await balances();
	const capture = store.transaction((tx) => ledger.capture(tx, first, PRICE + 1n));
	await t.rejects(capture, { code: "INTERNAL" });
	t.same(await balances(), before);
});
