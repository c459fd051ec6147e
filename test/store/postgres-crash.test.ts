import t, { type Test } from "tap";
import { createLedger } from "../../payments/ledger.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { createConnectionPool } from "../../store/postgres/connection.js";
import { migrate } from "../../store/postgres/migrations.js";
import { openPostgresStore } from "../../store/postgres/postgres.js";
import { MIGRATIONS } from "../../store/postgres/schema.js";
import type { Store } from "../../store/store-port.js";
import {
	type PostgresCluster,
	startPostgres,
	WITHOUT_POSTGRES,
} from "../support/postgres-cluster.js";
import { startTcpProxy } from "../support/tcp-proxy.js";
import { times } from "../support/times.js";
import {
	balanceOf,
	credit,
	posting,
	steppedClock,
	stillClock,
	tokenRow,
} from "./open-test-store.js";
import { refused } from "./store-under-test.js";

const ROUNDS = 4;
const CALLERS = 12;

function openAt(url: string, schema = "tollgraph"): Promise<Store> {
	return openPostgresStore({ url, clock: stillClock(), schema });
}

/** Credits one after the other until one is refused, or it is over; the keys of those that were acknowledged. */
async function creditUntilRefused(
	store: Store,
	name: string,
	isOver: () => boolean,
): Promise<readonly string[]> {
	const acknowledged: string[] = [];
	for (let index = 0; !isOver(); index++) {
		const key = `${name}.${index}`;
		try {
			await credit(store, `cust:${name}`, 1n, key);
		} catch (error) {
			if ((error as { code?: string }).code !== "UNAVAILABLE") throw error;
			return acknowledged;
		}
		acknowledged.push(key);
	}
	return acknowledged;
}

async function keysOf(store: Store): Promise<ReadonlySet<string>> {
	const keys = new Set<string>();
	for await (const { postings } of store.history())
		for (const { key } of postings) if (key !== undefined) keys.add(key);
	return keys;
}

async function assertSound(t: Test, store: Store, acknowledged: readonly string[]): Promise<void> {
	const kept = await keysOf(store);
	t.same(
		acknowledged.filter((key) => !kept.has(key)),
		[],
		"all that was acknowledged is there",
	);
	await store.verify();
}

t.test("PostgreSQL", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster: PostgresCluster = await startPostgres();
	t.teardown(() => cluster.stop());

	t.test("a server that crashes loses nothing that was acknowledged", async (t) => {
		const acknowledged: string[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			const store = await openAt(cluster.url, "crash");
			let isOver = false;
			const hasEnded = () => isOver;
			const callers = times(CALLERS, (caller) =>
				creditUntilRefused(store, `${round}.${caller}`, hasEnded),
			);
			await Promise.race([...callers, untilCredited(store, 40 * (round + 1), hasEnded)]);
			const crashed = cluster.crash();
			isOver = true;
			await crashed;
			for (const keys of await Promise.all(callers)) acknowledged.push(...keys);
			await store.close();
			const again = await openAt(cluster.url, "crash");
			await assertSound(t, again, acknowledged);
			await again.close();
		}
		t.ok(acknowledged.length > ROUNDS, `${acknowledged.length} were acknowledged`);
	});

	/** A credit that commits in a batch, and one that commits by itself, for it asks for a whole table. */
	const creditAlone = (store: Store, key: string) =>
		store.transaction(async (tx) => {
			await tx.list("accounts");
			await tx.post(posting(key, { "cash:manual": -1n, "cust:a": 1n }));
		});
	const creditInBatch = (store: Store, key: string) => credit(store, "cust:a", 1n, key);

	for (const [name, sent, creditOne] of [
		["a batch", "apply_batch", creditInBatch],
		["COMMIT", "COMMIT\u0000", creditAlone],
	] as const) {
		t.test(`a connection that breaks after ${name} was sent: its end is looked up`, async (t) => {
			const schema = `cut_${name.replace(" ", "_").toLowerCase()}`;
			const proxy = await startTcpProxy(cluster.port);
			const store = await openAt(cluster.urlAt(proxy.port), schema);
			await creditOne(store, "first");
			proxy.cutAfter(sent, 1);
			await creditOne(store, "cut");
			t.equal(await balanceOf(store, "cust:a"), 2n);
			await t.rejects(creditOne(store, "cut"), refused("duplicate_key"));

			proxy.cutAfter(sent, 1, { isLast: true });
			await t.rejects(creditOne(store, "unknown"), {
				code: "UNAVAILABLE",
				retryable: true,
				message:
					/^The connection to the database was lost while it committed\. Whether the change was kept is unknown/,
			});
			await store.close();
			await proxy.close();
			const again = await openAt(cluster.url, schema);
			await t.rejects(creditOne(again, "unknown"), refused("duplicate_key"));
			t.equal(await balanceOf(again, "cust:a"), 3n);
			await again.close();
		});
	}

	t.test("a commit that a crash swallowed is not taken for another with its number", async (t) => {
		for (let round = 0; round < 3; round++) {
			const schema = `swallowed_${round}`;
			const proxy = await startTcpProxy(cluster.port);
			const store = await openAt(cluster.urlAt(proxy.port), schema);
			await creditAlone(store, "first");
			const sent = proxy.swallow("COMMIT\u0000");
			const lost = creditAlone(store, "lost").then(
				() => "committed",
				(error: { code?: string }) => error.code,
			);
			await sent;
			await cluster.crash();
			// Others commit under the numbers that come next, before it is given up.
			for (let taken = 0; taken < 20; taken++) await cluster.sql("SELECT pg_current_xact_id()");
			t.equal(await lost, "UNAVAILABLE");
			await store.close();
			await proxy.close();
			const again = await openAt(cluster.url, schema);
			t.notOk((await keysOf(again)).has("lost"));
			await again.close();
		}
	});

	t.test("a batch that was given up does not commit afterwards", async (t) => {
		const store = await openAt(cluster.url, "given_up");
		const id = store.processes.ownId();
		/** One row, as a process sends it; without locks, reads and money. */
		const sendBatch = (number: number) => {
			const empty = (count: number) => times(count, () => "'{}'").join(", ");
			const row = `'{0}', '{tokens}', '{row ${number}}', '{"{}"}', '{NULL}', '{NULL}', '{NULL}'`;
			const head = `'${id}', 7, ${number}, 0, 0, false, 1`;
			return cluster.sql(
				`SELECT given_up.apply_batch(${head}, ${empty(21)}, ${row}, ${empty(13)}) AS failed`,
			);
		};
		const endOf = (number: number) =>
			cluster.sql(`SELECT given_up.end_of_batch('${id}', 7, ${number}) AS failed`);
		t.same(await sendBatch(1), [{ failed: [] }]);
		t.same(await endOf(1), [{ failed: [] }], "it committed");
		t.same(await endOf(2), [{ failed: null }], "that has not come");
		await t.rejects(sendBatch(2), { code: "TG003" });
		t.same(await endOf(2), [{ failed: null }], "and never will");
		t.same(await sendBatch(3), [{ failed: [] }]);
		const rows = await cluster.sql("SELECT id FROM given_up.records ORDER BY id");
		t.same(rows, [{ id: "row 1" }, { id: "row 3" }]);
		await store.close();
	});

	t.test("parallel calls of one owner wait for each other, and never in a circle", async (t) => {
		const store = await openAt(cluster.url, "owner");
		const clock = stillClock();
		const ledger = createLedger({ clock, ids: createIds({ clock, random: systemRandom }) });
		await credit(store, "cust:a", 100n, "money");
		const terms = {
			...{ from: "cust:a", owner: "a", rail: "spt", amountMicros: 1n, idempotencyId: undefined },
			...{ operationId: "graphs.search", billingType: "per_call" as const },
		};
		const pay = async () => {
			for (let index = 0; index < 6; index++) {
				const hold = await store.transaction((tx) => ledger.authorize(tx, terms), {
					durability: "deferred",
				});
				await store.transaction(async (tx) => {
					await ledger.capture(tx, hold, 1n);
					await tx.balance("cust:a");
				});
			}
		};
		const deadlocks =
			"SELECT deadlocks::integer AS count FROM pg_stat_database WHERE datname = current_database()";
		const before = await cluster.sql(deadlocks);
		await Promise.all(times(8, pay));
		// A session reports what it counted when it ends.
		await store.close();
		t.same(await cluster.sql(deadlocks), before);
		const again = await openAt(cluster.url, "owner");
		t.equal(await balanceOf(again, "rev:per_call"), 48n);
		t.equal(await balanceOf(again, "cust:a"), 52n);
		await again.close();
	});

	t.test("a connection that breaks before: nothing was changed", async (t) => {
		const proxy = await startTcpProxy(cluster.port);
		const store = await openAt(cluster.urlAt(proxy.port), "before");
		proxy.cutAfter("BEGIN", 1);
		const refused = {
			code: "UNAVAILABLE",
			retryable: true,
			message:
				/^The database cannot be reached, or could not do what was asked of it\. Nothing was changed/,
		};
		await t.rejects(creditAlone(store, "k"), refused);
		t.equal(await balanceOf(store, "cust:a"), 0n);
		await credit(store, "cust:a", 1n, "k");
		await proxy.close();
		await t.rejects(balanceOf(store, "cust:a"), { code: "UNAVAILABLE", retryable: true });
		await t.rejects(credit(store, "cust:a", 1n, "later"), refused);
		await store.close();
	});

	t.test("two processes on one database: never below zero, one key once", async (t) => {
		const stores = await Promise.all(times(3, () => openAt(cluster.url, "two")));
		const [first] = stores;
		if (!first) throw new Error("no store");
		await credit(first, "cust:a", 100n, "money");
		const spend = (store: Store, index: number) =>
			store.transaction((tx) =>
				tx.post(posting(`spend ${index}`, { "cust:a": -1n, "rev:per_call": 1n })),
			);
		const calls = times(400, (index) => {
			const store = stores[index % stores.length];
			if (!store) throw new Error("no store");
			// Each key comes from two processes.
			return spend(store, Math.floor(index / 2));
		});
		const outcomes = await Promise.allSettled(calls);
		t.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 100);
		const reasons = outcomes.flatMap((one) => (one.status === "rejected" ? one.reason.reason : []));
		t.same([...new Set(reasons)].sort(), ["duplicate_key", "negative"]);
		t.equal(await balanceOf(first, "cust:a"), 0n);
		t.equal(await balanceOf(first, "rev:per_call"), 100n);
		await first.verify();
		for (const store of stores) await store.close();
	});

	t.test(
		"a process that lost its connection goes on; one that was taken for ended is another",
		async (t) => {
			const said: string[] = [];
			const clock = steppedClock();
			const open = (name: string) =>
				openPostgresStore({
					...{ url: cluster.url, schema: "members", clock },
					onLost: (reason) => said.push(`${name} lost: ${reason}`),
					onBack: () => said.push(`${name} back`),
				});
			const passTime = async () => {
				for (let passed = 0; passed < 20; passed++) {
					clock.pass();
					await new Promise((resolve) => setTimeout(resolve, 25));
				}
			};
			const [first, second] = [await open("first"), await open("second")];
			const [firstId, secondId] = [first.processes.ownId(), second.processes.ownId()];
			t.same(await second.processes.alive(), [firstId, secondId].sort());

			await cluster.sql(
				"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tollgraph lease'",
			);
			await passTime();
			t.same(
				[first, second].map((store) => store.health().status),
				["ok", "ok"],
			);
			said.length = 0;
			t.equal(first.processes.ownId(), firstId);
			await credit(first, "cust:a", 1n, "one");

			await cluster.sql(`SELECT members.end_process('${firstId}')`);
			t.equal(await second.read((reader) => reader.isAlive(firstId)), false);
			const refused = { code: "UNAVAILABLE", retryable: true, message: /taken for ended/ };
			await t.rejects(credit(first, "cust:a", 1n, "two"), refused);
			await credit(second, "cust:a", 1n, "two");
			await until(() => said.length === 2, clock.pass);
			t.same(said, ["first lost: this process was taken for ended", "first back"]);
			t.not(first.processes.ownId(), firstId);
			t.equal(await second.read((reader) => reader.isAlive(first.processes.ownId())), true);
			await credit(first, "cust:a", 1n, "three");
			t.equal(await balanceOf(second, "cust:a"), 3n);

			const moved = JSON.stringify({
				state: "left",
				journal: { sequence: 1, sha256: "0".repeat(64) },
			});
			await cluster.sql(`INSERT INTO members.meta VALUES ('moving', '${moved}')`);
			await cluster.sql(`SELECT members.end_process('${first.processes.ownId()}')`);
			await until(() => said.length === 3, clock.pass);
			await passTime();
			t.equal(first.health().status, "stopped", "books that have left are not joined again");
			t.same(await second.processes.alive(), [secondId]);
			await cluster.sql("DELETE FROM members.meta WHERE name = 'moving'");
			await until(() => said.at(-1) === "first back", clock.pass);

			const silent = first.processes.ownId();
			await cluster.sql(
				`UPDATE members.processes SET seen_at = seen_at - interval '1 hour' WHERE id = '${silent}'`,
			);
			await cluster.sql("SELECT members.end_silent(12000)");
			t.same(await second.processes.alive(), [secondId]);
			for (const store of [first, second]) await store.close();
		},
	);

	t.test("a process that closes its store has left", async (t) => {
		const [first, second] = [await openAt(cluster.url, "left"), await openAt(cluster.url, "left")];
		await first.close();
		t.same(await second.processes.alive(), [second.processes.ownId()]);
		await second.close();
	});

	t.test("what meets in a circle runs again and comes to an end", async (t) => {
		const store = await openAt(cluster.url, "circle");
		const raise = (ids: readonly string[]) =>
			store.transaction(async (tx) => {
				for (const id of ids) {
					const row = await tx.get("quotas", id);
					await tx.put("quotas", { id, used: (row?.used ?? 0) + 1, expiresAt: 1 });
				}
			});
		await Promise.all(times(8, (index) => raise(index % 2 === 0 ? ["a", "b"] : ["b", "a"])));
		const used = await store.read(async (reader) => [
			(await reader.get("quotas", "a"))?.used,
			(await reader.get("quotas", "b"))?.used,
		]);
		t.same(used, [8, 8]);
		await store.close();
	});

	t.test("rows that a search did not find are not added beside it", async (t) => {
		const store = await openAt(cluster.url, "predicate");
		const addOnce = (id: string) =>
			store.transaction(async (tx) => {
				const found = await tx.findBy("tokens", "hash", "one");
				if (found.length === 0) await tx.put("tokens", tokenRow(id, { hash: "one" }));
			});
		await Promise.all(times(12, (index) => addOnce(`tok_${index}`)));
		t.equal((await store.read((reader) => reader.findBy("tokens", "hash", "one"))).length, 1);
		const move = (id: string) =>
			store.transaction(async (tx) => {
				const all = await tx.list("operators");
				const row = { id, hash: id, label: id, role: "reader" as const, createdAt: all.length };
				await tx.put("operators", row as never);
			});
		await Promise.all(times(6, (index) => move(`op_${index}`)));
		const rows = await store.read((reader) => reader.list("operators"));
		t.same(rows.map(({ createdAt }) => createdAt).sort(), [0, 1, 2, 3, 4, 5]);
		await store.close();
	});

	t.test("an altered ledger or balance is found, and names what it is", async (t) => {
		const store = await openAt(cluster.url, "altered");
		await credit(store, "cust:a", 5n, "one");
		await credit(store, "cust:a", 5n, "two");
		const change = (text: string) => cluster.sql(text);
		await change("UPDATE altered.balances SET amount = amount + 1 WHERE account = 'cust:a'");
		await t.rejects(store.verify(), {
			message: /adds up to 10 micro-USD for cust:a, and its balance is 11/,
			retryable: false,
		});
		t.equal(store.health().isChainIntact, false);
		await change("UPDATE altered.balances SET amount = amount - 1 WHERE account = 'cust:a'");
		await store.verify();
		t.equal(store.health().isChainIntact, true);
		await change("UPDATE altered.ledger SET body = replace(body, '\"5\"', '\"6\"') WHERE seq = 2");
		await t.rejects(store.verify(), {
			message: /^Row 2 of the ledger in the database is not what was written/,
		});
		await store.close();
	});

	t.test("books are read in parts, which say what one part would", async (t) => {
		const store = await openAt(cluster.url, "parts");
		for (let index = 0; index < 60; index++) await credit(store, "cust:a", 1n, `c${index}`);
		const [whole] = (await cluster.sql(
			"SELECT encode(sha256(convert_to(string_agg(seq || ' ' || body || chr(10), '' ORDER BY seq), 'UTF8')), 'hex') AS sha256 FROM parts.ledger",
		)) as { readonly sha256: string }[];
		t.same(await store.digest(), { sequence: 60, ...whole });

		const beside: Promise<void>[] = [];
		const onTransaction = () =>
			void beside.push(credit(store, "cust:a", 1n, `beside${beside.length}`));
		t.same(await store.verify({ onTransaction }), { transactions: 60, frames: 60 });
		await Promise.all(beside);
		t.same(await store.verify(), { transactions: 120, frames: 120 });

		await cluster.sql(
			"INSERT INTO parts.records (tbl, id, body) SELECT 'quotas', n, '{\"id\":\"' || n || '\"}' FROM generate_series(1, 1100) AS n",
		);
		const rows: string[] = [];
		for await (const { id } of store.rows("quotas")) rows.push(id);
		const listed = await store.read((reader) => reader.list("quotas"));
		t.same(
			rows,
			listed.map(({ id }) => id),
		);
		const first = () => store.rows("receipts")[Symbol.asyncIterator]().next();
		await t.rejects(first(), { message: /only be read one by one/ });

		await cluster.sql("UPDATE parts.ledger SET body = body || ' ' WHERE seq = 120");
		await t.rejects(store.verify(), { message: /^Row 120 of the ledger/, retryable: false });
		await store.close();
	});

	t.test("a schema of a newer build, and an altered one, are refused", async (t) => {
		await (await openAt(cluster.url, "newer")).close();
		await cluster.sql("UPDATE newer.migrations SET sha256 = 'other'");
		await t.rejects(openAt(cluster.url, "newer"), {
			message: /^Version 1 of the schema in the database is not the one that this build would make/,
			retryable: false,
		});
		await cluster.sql("INSERT INTO newer.migrations VALUES (99, 'later', 'hash', now())");
		await cluster.sql("DELETE FROM newer.migrations WHERE version < 99");
		await t.rejects(openAt(cluster.url, "newer"), {
			message:
				/^The database is of version 99 of the schema, and this build knows \d+\. Start the newer build/,
			retryable: false,
		});
		await t.rejects(openAt(cluster.url, "No-Name"), { message: /cannot be the name of a schema/ });
	});

	t.test("a newer build brings the schema further beside an older one that sells", async (t) => {
		const store = await openAt(cluster.url, "rolling");
		let isOver = false;
		const callers = times(CALLERS, (index) => creditUntilRefused(store, `c${index}`, () => isOver));
		const clock = stillClock();
		const pool = createConnectionPool({ url: cluster.url, clock });
		// Additions alone: what goes goes once no process of the older build is left.
		const sql = (s: string) => `
			CREATE TABLE ${s}.later (id text PRIMARY KEY);
			ALTER TABLE ${s}.records ADD COLUMN k4 text;
			CREATE INDEX ON ${s}.records (tbl, k4) WHERE k4 IS NOT NULL;`;
		const migrations = [...MIGRATIONS, { version: 1_000, name: "later", sql }];
		t.equal(await migrate(pool, { schema: '"rolling"', clock, migrations }), 1_000);
		await credit(store, "cust:after", 1n, "after");
		isOver = true;
		const acknowledged = (await Promise.all(callers)).flat();
		t.ok(acknowledged.length > 0);
		t.equal(store.health().status, "ok", "no call was refused");
		await assertSound(t, store, acknowledged);
		await t.rejects(openAt(cluster.url, "rolling"), { message: /version 1000 of the schema/ });
		await store.close();
		await pool.end();
	});

	t.test("rows of the build before are found by the fields that came since", async (t) => {
		const clock = stillClock();
		const pool = createConnectionPool({ url: cluster.url, clock });
		const before = MIGRATIONS.filter(({ version }) => version < 6);
		await migrate(pool, { schema: '"searches"', clock, migrations: before });
		await pool.end();
		/** As that build writes it. */
		const write = (table: string, id: string, body: string) =>
			cluster.sql(
				`INSERT INTO searches.records (tbl, id, body) VALUES ('${table}', '${id}', '${JSON.stringify({ id, role: 'a "name":"x"' }).slice(0, -1)},${body}}')`,
			);
		await write("operators", "opr_1", '"name":"J\\u00f6rg"');
		await write("refunds", "rfd_0", '"state":"paid"');
		await write("oauth_records", "oauth-1", '"clientId":"oauth-c","keyId":"key_1"');
		const store = await openAt(cluster.url, "searches");
		await write("operators", "opr_2", '"name":"J\\u00f6rg"');
		await write("refunds", "rfd_1", '"transactionHash":"0xab"');
		await write("audit", "aud_1", '"command":"serve"');
		await write("oauth_records", "oauth-2", '"clientId":"oauth-c"');
		const idsOf = async (rows: Promise<readonly { readonly id: string }[]>) =>
			(await rows).map(({ id }) => id);
		const { read } = store;
		t.same(await idsOf(read((reader) => reader.findBy("operators", "name", "Jörg"))), [
			"opr_1",
			"opr_2",
		]);
		t.same(await idsOf(read((reader) => reader.findBy("refunds", "transactionHash", "0xab"))), [
			"rfd_1",
		]);
		t.same(await idsOf(read((reader) => reader.findBy("audit", "command", "serve"))), ["aud_1"]);
		t.same(await idsOf(read((reader) => reader.findBy("oauth_records", "clientId", "oauth-c"))), [
			"oauth-1",
			"oauth-2",
		]);
		let written: Promise<unknown> = Promise.resolve();
		const seen = await store.transaction(async (tx) => {
			// With locks, since it asks for a whole table.
			await tx.list("schedules");
			await tx.findBy("refunds", "transactionHash", "0xcd");
			written = write("refunds", "rfd_2", '"transactionHash":"0xcd"');
			await new Promise((resolve) => setTimeout(resolve, 300));
			return tx.get("refunds", "rfd_2");
		});
		t.equal(seen, undefined, "who searched is not overtaken by that build");
		await written;
		t.ok(await read((reader) => reader.get("refunds", "rfd_2")));
		await store.close();
	});

	t.test("what waits behind a database that hangs is refused in time", async (t) => {
		const proxy = await startTcpProxy(cluster.port);
		const stepped = steppedClock();
		let aheadMs = 0;
		const clock = { ...stepped, monotonicMs: () => stepped.monotonicMs() + aheadMs };
		const store = await openPostgresStore({
			url: cluster.urlAt(proxy.port),
			clock,
			schema: "hung",
		});
		const look = (id: string) => store.read((reader) => reader.get("tokens", id));
		const write = (id: string) =>
			store.transaction((tx) => tx.put("quotas", { id, used: 1, expiresAt: 1 }));
		// Each has a connection by then.
		await Promise.all([look("a"), write("before")]);
		const pass = () => new Promise((resolve) => setTimeout(resolve, 20));
		proxy.freeze(true);
		let settled = 0;
		const sent = [look("a"), write("sent")].map((one) =>
			one.then(
				() => "answered",
				(error: { readonly code: string }) => {
					settled += 1;
					return error.code;
				},
			),
		);
		await pass();
		const queued = Promise.allSettled([look("b"), write("queued"), look("c")]);
		await pass();
		aheadMs = 9_000;
		stepped.pass();
		aheadMs = 11_000;
		stepped.pass();
		const refusal = { status: "rejected", reason: { code: "UNAVAILABLE", retryable: true } };
		t.match(await queued, [refusal, refusal, refusal]);
		t.equal(settled, 0, "what was sent waits for its answer");
		proxy.freeze(false);
		proxy.cut();
		t.same(await Promise.all(sent), ["UNAVAILABLE", "UNAVAILABLE"]);
		await until(() => store.health().status === "ok", stepped.pass);
		await write("after");
		const rows = await store.read((reader) => reader.list("quotas"));
		t.same(
			rows.map(({ id }) => id),
			["after", "before"],
		);
		await store.close();
		await proxy.close();
	});

	t.test("a server that may lose what it acknowledged is refused", async (t) => {
		await cluster.sql("ALTER ROLE tollgraph SET synchronous_commit = off");
		await t.rejects(openAt(cluster.url), {
			code: "UNAVAILABLE",
			retryable: false,
			message:
				"The database server has synchronous_commit off, and would lose payments that were acknowledged. Turn it on in postgresql.conf, or for the role.",
		});
		await cluster.sql("ALTER ROLE tollgraph RESET synchronous_commit");
		await cluster.sql("ALTER ROLE tollgraph SET default_transaction_isolation = 'repeatable read'");
		await t.rejects(openAt(cluster.url), {
			retryable: false,
			message:
				/^Transactions are "repeatable read" by default here\. Set default_transaction_isolation/,
		});
		await cluster.sql("ALTER ROLE tollgraph RESET default_transaction_isolation");
		await t.rejects(openAt("postgres://tollgraph@127.0.0.1:1/postgres"), {
			code: "UNAVAILABLE",
			message: /ECONNREFUSED/,
		});
	});
});

async function until(isSo: () => boolean, goOn: () => void = () => undefined): Promise<void> {
	for (let left = 3_000; left > 0 && !isSo(); left--) {
		goOn();
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

/** Resolves once so many postings are in the ledger. */
async function untilCredited(store: Store, count: number, isOver: () => boolean): Promise<void> {
	for (;;) {
		const found = await keysOf(store).catch(() => new Set());
		if (found.size >= count || isOver()) return;
		// A store that refuses at once must not keep everything else from its turn.
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
