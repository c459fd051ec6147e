import t from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import { systemClock } from "../../src/kernel/clock.js";
import { ServiceError } from "../../src/kernel/errors.js";
import type { Store } from "../../store/store-port.js";
import { startApp } from "../support/start-app.js";
import { times } from "../support/times.js";

/** The store port as far as the guard reads it, with a journal and balances that can be spoilt. */
function storeOf(broken: {
	balances?: [string, bigint][];
	verify?: Error;
	verified?: number;
}): Store {
	const reader = { balances: async () => new Map(broken.balances ?? []), list: async () => [] };
	return {
		read: (work: (reader: unknown) => unknown) => work(reader),
		health: () => ({ status: "ok", reason: undefined, sequence: 0, isChainIntact: true }),
		async *rows() {},
		verify: async () => {
			if (broken.verify) throw broken.verify;
			return { transactions: 0, frames: 0 };
		},
	} as unknown as Store;
}

t.test("a breach stops selling until a full check finds the ledger sound", async (t) => {
	const state: { balances?: [string, bigint][] } = { balances: [["cust:a", 1n]] };
	const guard = createInvariantGuard({ store: storeOf(state), clock: systemClock });
	t.match((await guard.check()).failures, [/^I1/]);
	t.notOk(guard.isSelling());
	state.balances = [];
	await guard.check();
	t.notOk(guard.isSelling(), "a later quick check does not hide it");
	await guard.check({ full: true });
	t.ok(guard.isSelling());
});

t.test("each kind of nonsense is named", async (t) => {
	const check = async (balances: [string, bigint][]) =>
		(await createInvariantGuard({ store: storeOf({ balances }), clock: systemClock }).check())
			.failures;
	t.match(
		await check([
			["cust:a", -5n],
			["cash:manual", 5n],
		]),
		[/^I3: cust:a/],
	);
	t.match(
		await check([
			["held:a", 5n],
			["cash:manual", -5n],
		]),
		[/^I4: held:a/],
	);
});

t.test("a journal that cannot be read just now is no breach; one that is damaged is", async (t) => {
	const look = async (verify: Error) => {
		const guard = createInvariantGuard({ store: storeOf({ verify }), clock: systemClock });
		await guard.check();
		return guard.isSelling();
	};
	t.equal(await look(new ServiceError("UNAVAILABLE", "Too many open files.")), true);
	t.equal(await look(new ServiceError("UNAVAILABLE", "Bit flip.", { retryable: false })), false);
});

t.test("checks under traffic find nothing wrong", async (t) => {
	const shop = await startApp(t, { settings: { model: "none" } });
	const { token } = await shop.issueSpt("100");
	const traffic = Promise.all(times(120, () => shop.search({ token })));
	for (let round = 0; round < 15; round++) {
		t.same((await shop.app.money.guard.check({ full: round % 3 === 0 })).failures, []);
	}
	t.ok((await traffic).every(({ status }) => status === 200));
});

t.test("nothing is sold after a breach, and free operations go on", async (t) => {
	const shop = await startApp(t, { settings: { model: "none" } });
	const { token, id } = await shop.issueSpt("5");
	// A hold row without its ledger entries: what a bug or a tampered journal would leave.
	await shop.app.store.transaction((tx) =>
		tx.put("holds", {
			id: "hold_stray",
			from: `cust:${id}`,
			held: `held:${id}`,
			amountMicros: 1n,
			owner: id,
			rail: "spt",
			operationId: "graphs.search",
			billingType: "per_call",
			createdAt: 0,
			expiresAt: Number.MAX_SAFE_INTEGER,
		}),
	);
	t.match((await shop.app.money.guard.check()).failures, [/^I4/]);
	const refused = await shop.search({ token });
	t.same([refused.status, refused.body.error.code], [503, "UNAVAILABLE"]);
	t.equal((await shop.send("/v1/graphs/catalog")).status, 200);
	t.match((await shop.send("/v1/health")).body.data.invariants, { status: "breached" });
});
