import { randomBytes } from "node:crypto";
import t from "tap";
import { openPostgresStore } from "../../store/postgres/postgres.js";
import type { Store, StoreReader } from "../../store/store-port.js";
import {
	type PostgresCluster,
	startPostgres,
	WITHOUT_POSTGRES,
} from "../support/postgres-cluster.js";
import { times } from "../support/times.js";
import { balanceOf, credit, posting, stillClock, tokenRow } from "./open-test-store.js";
import { refused } from "./store-under-test.js";

const AT_ONCE = 64;
const ROUNDS = 40;

t.test("transactions that commit in batches", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster: PostgresCluster = await startPostgres();
	const stores: Store[] = [];
	let schemas = 0;
	/** Some processes on one database, and the name of its schema. */
	const open = async (processes: number) => {
		const schema = `b${++schemas}`;
		// The server has a hundred connections.
		for (const earlier of stores.splice(0)) await earlier.close();
		const opened: Store[] = [];
		for (let left = processes; left > 0; left--)
			opened.push(await openPostgresStore({ url: cluster.url, clock: stillClock(), schema }));
		stores.push(...opened);
		return { schema, stores: opened, store: opened[0] as Store };
	};
	t.teardown(async () => {
		for (const store of stores) await store.close();
		await cluster.stop();
	});

	t.test("what becomes ready at the same moment is few commits of the database", async (t) => {
		const { store, schema } = await open(1);
		await Promise.all(times(AT_ONCE, (index) => credit(store, `cust:${index}`, 1n)));
		const [found] = (await cluster.sql(
			`SELECT count(*)::integer AS rows, count(DISTINCT xmin::text)::integer AS commits FROM ${schema}.ledger`,
		)) as readonly { rows: number; commits: number }[];
		t.equal(found?.rows, AT_ONCE);
		t.ok((found?.commits ?? AT_ONCE) <= AT_ONCE / 8, `${found?.commits} commits`);
		await store.verify();
	});

	t.test("one that is refused among many is refused alone, with its reason", async (t) => {
		const { store } = await open(1);
		await credit(store, "cust:used", 1n, "once");
		const outcomes = await Promise.allSettled(
			times(AT_ONCE, (index) => {
				if (index === 7) return credit(store, "cust:7", -1n);
				return credit(store, `cust:${index}`, 1n, index === 9 ? "once" : `credit:${index}`);
			}),
		);
		const failed = outcomes.flatMap((one, index) => (one.status === "rejected" ? [index] : []));
		t.same(failed, [7, 9]);
		t.match((outcomes[7] as PromiseRejectedResult).reason, refused("negative"));
		t.match((outcomes[9] as PromiseRejectedResult).reason, refused("duplicate_key"));
		t.equal(await balanceOf(store, "cust:7"), 0n);
		t.equal(await balanceOf(store, "cust:8"), 1n);
		const { transactions } = await store.verify();
		t.equal(transactions, AT_ONCE - 1);
	});

	t.test("what the database itself refuses of one is no reason to refuse the others", async (t) => {
		const { store } = await open(1);
		// Random, so that it cannot be packed: an index takes a third of a page.
		const hash = randomBytes(6_000).toString("hex");
		const outcomes = await Promise.allSettled([
			...times(8, (index) => credit(store, `cust:${index}`, 1n)),
			store.transaction((tx) => tx.put("tokens", tokenRow("long", { hash }))),
			...times(8, (index) => credit(store, `cust:more ${index}`, 1n)),
		]);
		const failed = outcomes.flatMap((one, index) => (one.status === "rejected" ? [index] : []));
		t.same(failed, [8]);
		t.match((outcomes[8] as PromiseRejectedResult).reason, {
			code: "UNAVAILABLE",
			retryable: false,
		});
	});

	t.test("an account is not below zero between two postings either", async (t) => {
		const { store } = await open(1);
		await t.rejects(
			store.transaction(async (tx) => {
				await tx.post(posting("out", { "cust:a": -5n, "rev:per_call": 5n }));
				await tx.post(posting("in", { "cust:a": 5n, "cash:manual": -5n }));
			}),
			refused("negative"),
		);
		t.equal(await balanceOf(store, "cust:a"), 0n);
	});

	t.test("what waits for the disk is not overtaken by what does not", async (t) => {
		const { store } = await open(1);
		await credit(store, "cust:a", 1_000_000n);
		let [isOver, quick] = [false, 0];
		const hold = async () => {
			while (!isOver) {
				const entries = { "cust:a": -1n, "held:a": 1n };
				const key = `hold ${++quick}`;
				await store.transaction((tx) => tx.post(posting(key, entries)), {
					durability: "deferred",
				});
			}
		};
		const holds = [hold(), hold()];
		for (let index = 0; index < 10; index++) await credit(store, "held:a", 1n, `durable ${index}`);
		isOver = true;
		await Promise.all(holds);
		t.ok(quick < 200, `${quick} went before ten`);
	});

	t.test("a counter that two processes raise at the same time misses nothing", async (t) => {
		const { stores } = await open(2);
		const raise = (store: Store) =>
			store.transaction(async (tx) => {
				const row = await tx.get("tokens", "counter");
				await tx.put("tokens", tokenRow("counter", { createdAt: (row?.createdAt ?? 0) + 1 }));
			});
		await Promise.all(stores.flatMap((store) => times(ROUNDS, () => raise(store))));
		const row = await stores[0]?.read((reader) => reader.get("tokens", "counter"));
		t.equal(row?.createdAt, 2 * ROUNDS);
	});

	t.test("of many who write what none has found, one does", async (t) => {
		const { stores } = await open(2);
		const take = (store: Store, index: number) =>
			store.transaction(async (tx) => {
				const found = await tx.findBy("tokens", "hash", "the one");
				if (found.length > 0) return false;
				await tx.put("tokens", tokenRow(`t${index}`, { hash: "the one" }));
				return true;
			});
		const taken = await Promise.all(
			times(ROUNDS, (index) => take(stores[index % 2] as Store, index)),
		);
		t.equal(taken.filter((isTaken) => isTaken).length, 1);
	});

	t.test("two that each rest on what the other takes away do not both happen", async (t) => {
		const { stores } = await open(2);
		for (let round = 0; round < ROUNDS / 2; round++) {
			const ids = [`a${round}`, `b${round}`];
			for (const id of ids)
				await stores[0]?.transaction((tx) => tx.put("tokens", tokenRow(id, { hash: id })));
			/** Who still sees the other goes. */
			const leave = (store: Store, own: string, other: string) =>
				store.transaction(async (tx) => {
					const [there] = await tx.findBy("tokens", "hash", other);
					if (there) await tx.delete("tokens", own);
				});
			const [a = "", b = ""] = ids;
			await Promise.all([leave(stores[0] as Store, a, b), leave(stores[round % 2] as Store, b, a)]);
			const left = await stores[0]?.read(async (reader) => [
				await reader.get("tokens", a),
				await reader.get("tokens", b),
			]);
			t.equal(left?.filter((row) => row !== undefined).length, 1);
		}
	});

	t.test("no one is answered by what stood at two moments", async (t) => {
		const { stores } = await open(2);
		const [writer, reader] = stores as [Store, Store];
		const write = (value: number) =>
			writer.transaction(async (tx) => {
				for (const id of ["left", "right"])
					await tx.put("tokens", tokenRow(id, { createdAt: value }));
			});
		await write(0);
		const compare = async (tx: StoreReader) => {
			const left = await tx.get("tokens", "left");
			const right = await tx.get("tokens", "right");
			if (left?.createdAt !== right?.createdAt) throw new Error("two moments");
			return left?.createdAt ?? 0;
		};
		let [isOver, looks, newest] = [false, 0, 0];
		const look = async (asked: () => Promise<number>) => {
			while (!isOver) {
				const seen = await asked();
				newest = Math.max(newest, seen);
				looks += 1;
			}
		};
		const readers = [
			look(() => reader.read(compare)),
			look(() => reader.transaction(compare)),
			look(() => writer.transaction(compare)),
		];
		for (let value = 1; value <= ROUNDS; value++) await write(value);
		isOver = true;
		await t.resolves(Promise.all(readers));
		t.ok(looks > 3 && newest > 0, `${looks} looks, up to ${newest}`);
	});

	t.test("money that is spent from two processes at once is there once", async (t) => {
		const { stores } = await open(2);
		await credit(stores[0] as Store, "cust:a", 10n);
		const spend = (store: Store, key: string) =>
			store.transaction((tx) => tx.post(posting(key, { "cust:a": -1n, "rev:per_call": 1n })));
		const spent = await Promise.allSettled(
			times(AT_ONCE, (index) => spend(stores[index % 2] as Store, `spend:${index}`)),
		);
		t.equal(spent.filter(({ status }) => status === "fulfilled").length, 10);
		for (const one of spent)
			if (one.status === "rejected") t.match(one.reason, refused("negative"));
		t.equal(await balanceOf(stores[1] as Store, "cust:a"), 0n);
		await stores[1]?.verify();
	});
});
