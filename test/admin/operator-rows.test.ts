import t from "tap";
import { createPriceList } from "../../payments/price-list.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { createAuditLog } from "../../src/operator/access/audit-log.js";
import { createOperatorKeys } from "../../src/operator/access/operator-keys.js";
import { createPriceVersions } from "../../src/operator/graphs/price-versions.js";
import { openPostgresStore } from "../../store/postgres/postgres.js";
import type { Store, StoreTransaction } from "../../store/store-port.js";
import { openOn, stillClock } from "../store/open-test-store.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { times } from "../support/times.js";

const clock = stillClock();
const ACTOR = { name: "Ada", role: "owner" } as const;

/** What operators change on one store. */
function partsOn(store: Store) {
	const random = systemRandom;
	const deps = { store, clock, random, ids: createIds({ clock, random }) };
	const prices = createPriceList({});
	return {
		prices: createPriceVersions({ ...deps, prices, configured: {} }),
		keys: createOperatorKeys({ ...deps, pepper: Buffer.alloc(32, 7) }),
		audit: createAuditLog(deps),
	};
}

/** The same store, in whose transactions no table is read as a whole. */
function withoutLists(store: Store): Store {
	const withoutList = (tx: StoreTransaction): StoreTransaction => ({
		processId: tx.processId,
		isAlive: (processId) => tx.isAlive(processId),
		get: (table, id) => tx.get(table, id),
		findBy: (table, index, value) => tx.findBy(table, index, value),
		list: (table) => Promise.reject(new Error(`All of "${table}" was asked for.`)),
		balance: (account) => tx.balance(account),
		balances: () => tx.balances(),
		put: (table, row) => tx.put(table, row),
		delete: (table, id) => tx.delete(table, id),
		post: (transaction) => tx.post(transaction),
	});
	return {
		...store,
		transaction: (work, options) => store.transaction((tx) => work(withoutList(tx)), options),
	};
}

t.test("what operators change is found by its index, not among all rows", async (t) => {
	const store = await openOn();
	const { prices, keys, audit } = partsOn(withoutLists(store));
	const row = { id: "prv_000000001", version: 1, at: 1, by: "an earlier build", prices: {} };
	await store.transaction((tx) => tx.put("price_versions", row));
	const set = await prices.setPrices({ prices: { "search.batch": "0.75" } }, undefined, ACTOR);
	t.match(set, { version: 2, versions: [{ version: 1 }, { version: 2, by: "Ada" }] });
	t.match((await prices.setPrices({ prices: {} })).version, 3);

	const { id } = await keys.add({ name: "Grace", role: "editor" });
	await t.rejects(keys.add({ name: "Grace", role: "reader" }), { code: "INVALID_ARGUMENT" });
	await keys.revoke({ id });
	t.ok(await keys.add({ name: "Grace", role: "reader" }), "a name is free once its key is revoked");

	const change = { actor: ACTOR, command: "serve", target: "settings" };
	await audit.note({ ...change, target: "other" }, "1");
	await audit.note(change, "1");
	await audit.note(change, "2");
	t.equal(await audit.note(change, "2"), undefined);
	t.match(await audit.note(change, "1"), { before: "2", after: "1" });
	t.match(await audit.verify(), { status: "ok", entries: 4 });
	await store.close();
});

t.test("two processes on one database", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const stores = [
		await openPostgresStore({ url: cluster.url, clock }),
		await openPostgresStore({ url: cluster.url, clock }),
	];
	const both = stores.map((store) => partsOn(store));

	t.test("give prices that are set at once different versions", async (t) => {
		const set = await Promise.all(
			times(8, (index) => both[index % 2]?.prices.setPrices({ prices: {} })),
		);
		t.same(set.map((one) => one?.version).sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
		t.equal((await both[0]?.prices.getPrices())?.versions.length, 8);
	});

	t.test("give a name to one operator alone", async (t) => {
		const added = await Promise.allSettled(
			times(8, (index) => both[index % 2]?.keys.add({ name: "Ada", role: "owner" })),
		);
		t.equal(added.filter(({ status }) => status === "fulfilled").length, 1);
		t.equal((await both[1]?.keys.list())?.items.length, 1);
	});
	for (const store of stores) t.teardown(() => store.close());
});
