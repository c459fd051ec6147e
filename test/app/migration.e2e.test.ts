import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { generateSales } from "../../bench/generated-sales.js";
import { createLedger } from "../../payments/ledger.js";
import { createApp } from "../../src/app/create-app.js";
import { systemClock as clock } from "../../src/kernel/clock.js";
import { createIds, systemRandom as random } from "../../src/kernel/ids.js";
import type { MigrationStage } from "../../src/operator/migration/migration.js";
import { moveToDatabase } from "../../src/operator/migration/to-database.js";
import { moveToJournal } from "../../src/operator/migration/to-journal.js";
import { nodeFileSystem as fileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import { describeDatabase, openPostgresStore } from "../../store/postgres/postgres.js";
import type { Store } from "../../store/store-port.js";
import { refused } from "../store/store-under-test.js";
import { filesBelow } from "../support/files-below.js";
import {
	type PostgresCluster,
	startPostgres,
	WITHOUT_POSTGRES,
} from "../support/postgres-cluster.js";
import { startApp, testSettings } from "../support/start-app.js";

const SALES = 1_500;
const LIGHT = { model: "none" } as const;

/** A data folder with sales in its journal, as a server left it. */
async function makeShop(t: Test, folder: string, sales = SALES) {
	const shop = await startApp(t, { folder, settings: LIGHT });
	const { token } = await shop.issueSpt("9");
	const { key } = await shop.app.operator.createKey({ usd: "5", label: "ours" });
	const first = await shop.search({ token, headers: { "Idempotency-Key": "one" } });
	t.equal(first.status, 200);
	await shop.close();
	const store = await openJournal(folder);
	await generateSales(store, { clock, sales, owners: 40 });
	await leaveHold(store);
	await store.close();
	return { token, key: String(key), balance: String(first.body.meta.cost.balance_after_usd) };
}

/** As a crash does: open, and long past its time. */
async function leaveHold(store: Store): Promise<void> {
	const past = { ...clock, now: () => clock.now() - 3_600_000 };
	const ledger = createLedger({ clock: past, ids: createIds({ clock: past, random }) });
	await store.transaction(async (tx) => {
		const terms = { owner: "tok_crash", source: "cash:manual", amountMicros: 9n };
		await ledger.credit(tx, { ...terms, key: "issue:tok_crash" });
		await ledger.authorize(tx, {
			...{ from: "cust:tok_crash", owner: "tok_crash", rail: "spt", amountMicros: 5n },
			...{ operationId: "graphs.search", billingType: "per_call", idempotencyId: undefined },
		});
	});
}

const openJournal = (folder: string) =>
	openJournalStore({ folder: join(folder, "journal"), clock, fileSystem });

/** Hashes of the books of a journal, without what a start writes beside them. */
function hashOfSegments(folder: string): string {
	const sha256 = createHash("sha256");
	const segments = join(folder, "journal", "segments");
	for (const name of readdirSync(segments).sort())
		sha256.update(readFileSync(join(segments, name)));
	return sha256.digest("hex");
}

/** What owners see of their books. */
async function pagesOf(store: Store, owners: readonly string[]): Promise<string> {
	const pages = owners.map(async (owner) => ({
		postings: (await store.statement(owner, { limit: 200 })).postings,
		receipts: (await store.receipts(owner, { limit: 200, since: 0 })).receipts,
		balance: await store.read((reader) => reader.balance(`cust:${owner}`)),
	}));
	return JSON.stringify(await Promise.all(pages), (_key, value: unknown) =>
		typeof value === "bigint" ? `${value}` : value,
	);
}

const OWNERS = ["tok_s0", "tok_s7", "tok_s39"];

t.test("a database is named without who may enter it", async (t) => {
	for (const [url, schema, name] of [
		[
			"postgres://me:secret@db.example.org:6432/shop?sslmode=require",
			undefined,
			"db.example.org:6432/shop, schema tollgraph",
		],
		["postgresql://db/shop", "two", "db/shop, schema two"],
		[
			"postgres:///shop?host=/run/postgresql&user=me",
			undefined,
			"/run/postgresql/shop, schema tollgraph",
		],
		["postgres:///shop", undefined, "localhost/shop, schema tollgraph"],
	] as const) {
		t.equal(describeDatabase(url, schema), name);
	}
});

t.test("books that are moved", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster: PostgresCluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const ports = { clock, random };
	const to = (data: string, schema: string, isDryRun = false) => ({
		...{ data, schema, isDryRun },
		url: cluster.url,
	});
	const inDatabase = (storeSchema: string) => ({ ...LIGHT, storeUrl: cluster.url, storeSchema });
	const open = (data: string, settings: object = LIGHT) =>
		createApp({
			settings: testSettings(data, settings),
			logger: { info: () => undefined, error: () => undefined },
		});

	await t.test("are the same in the database, and back in a journal", async (t) => {
		const data = join(t.testdir({}), "data");
		const { token, key, balance } = await makeShop(t, data);
		const before = await openJournal(data);
		const [pages, { transactions }] = [await pagesOf(before, OWNERS), await before.verify()];
		await before.close();
		const journal = hashOfSegments(data);

		const planned = await moveToDatabase(to(data, "shop", true), ports);
		t.match(planned, { status: "dry_run", transactions, parts: { history: { count: Number } } });
		t.notOk(existsSync(join(data, "database")));
		const schemas = await cluster.sql("SELECT 1 FROM pg_namespace WHERE nspname = 'shop'");
		t.same(schemas, [], "nothing was made");

		const stages = new Set<string>();
		const moved = await moveToDatabase(to(data, "shop"), {
			...ports,
			onProgress: ({ stage }) => stages.add(stage),
		});
		t.match(moved, { status: "moved", to: "database", transactions, parts: planned.parts });
		t.notMatch(JSON.stringify(moved), new URL(cluster.url).password);
		t.same([...stages], ["reading", "copying", "checking"]);
		t.equal(hashOfSegments(data), journal, "the journal is as it was");
		await t.rejects(open(data), {
			message: new RegExp(
				`are in a database \\(127\\.0\\.0\\.1:${cluster.port}/postgres, schema shop\\)\\..*--to journal`,
			),
		});
		t.match(await moveToDatabase(to(data, "shop"), ports), { status: "already" });

		const served = await startApp(t, { folder: data, settings: inDatabase("shop") });
		t.equal(await pagesOf(served.app.store, OWNERS), pages, "statements and receipts");
		const left = await served.app.store.read((reader) => reader.balance("cust:tok_crash"));
		t.equal(left, 9n, "the start released what a crash had left");
		const again = await served.search({ token, headers: { "Idempotency-Key": "one" } });
		t.match(again, { status: 200, body: { meta: { cost: { balance_after_usd: balance } } } });
		const other = { query: "Which header carries a payment?" };
		const changed = await served.search({
			token,
			body: other,
			headers: { "Idempotency-Key": "one" },
		});
		t.equal(changed.body.error.code, "IDEMPOTENCY_MISMATCH");
		const byKey = await served.search({ headers: { Authorization: `Bearer ${key}` } });
		t.equal(byKey.status, 200, "keys work");
		const two = await served.search({ token, headers: { "Idempotency-Key": "two" } });
		t.equal(two.status, 200);
		t.match(await served.app.operator.verifyLedger(), { status: "ok", failures: [] });
		t.match((await served.app.operator.listAudit({ command: "migrate" })).items, [
			{ actor: "command line", outcome: "done", after: { to: /schema shop$/, transactions } },
		]);
		t.match(await served.app.operator.verifyAudit(), { status: "ok" });
		await t.rejects(moveToJournal(to(data, "shop"), ports), { message: /in use by process/ });
		await served.close();

		renameSync(join(data, "keys"), join(data, "away"));
		await t.rejects(moveToJournal(to(data, "shop"), ports), {
			message: /keys of the books are not/,
		});
		renameSync(join(data, "away"), join(data, "keys"));
		const back = await moveToJournal(to(data, "shop"), ports);
		t.match(back, { status: "moved", to: "journal", transactions: Number, kept: /journal-left-/ });
		t.notOk(existsSync(join(data, "database")));
		t.same(filesBelow(join(String(back.kept), "segments")).length > 0, true, "the older one stays");
		t.notOk(existsSync(join(String(back.kept), "documents")), "its texts do not");
		await t.rejects(open(data, inDatabase("shop")), { message: /has books of its own/ });
		await t.rejects(openPostgresStore({ url: cluster.url, schema: "shop", clock }), {
			message: /were moved back to a journal/,
		});
		t.match(await moveToJournal(to(data, "shop"), ports), { status: "already" });
		await t.rejects(moveToDatabase(to(data, "shop"), ports), {
			message: /were moved back to a journal.*empty schema/,
		});

		const own = await startApp(t, { folder: data, settings: LIGHT });
		t.equal(await pagesOf(own.app.store, OWNERS), pages);
		for (const [retryKey, cost] of [
			["one", balance],
			["two", two.body.meta.cost.balance_after_usd],
		]) {
			const replayed = await own.search({ token, headers: { "Idempotency-Key": retryKey } });
			t.match(replayed.body.meta.cost, { balance_after_usd: cost }, retryKey);
		}
		await t.rejects(
			own.app.store.transaction((tx) =>
				tx.post({
					...{ id: "txn_x", key: "issue:tok_s7", kind: "adjust", at: clock.now(), ref: "x" },
					entries: [
						{ account: "a", amountMicros: 1n },
						{ account: "b", amountMicros: -1n },
					],
				}),
			),
			refused("duplicate_key"),
		);
		t.match(await own.app.operator.verifyLedger(), { status: "ok", failures: [] });
		t.match(await own.app.operator.verifyAudit(), { status: "ok" });
	});

	await t.test("go on from wherever a signal stopped the move, in both directions", async (t) => {
		const data = join(t.testdir({}), "data");
		await makeShop(t, data, 700);
		const untilStopped = async (
			move: typeof moveToDatabase,
			schema: string,
			place: { stage: MigrationStage; nth: number },
		) => {
			const stop = new AbortController();
			let nth = 0;
			return move(to(data, schema), {
				...ports,
				signal: stop.signal,
				onProgress({ stage }) {
					if (stage === place.stage && ++nth === place.nth) stop.abort();
				},
			});
		};
		const places = [
			{ stage: "reading", nth: 1 },
			{ stage: "copying", nth: 1 },
			{ stage: "copying", nth: 2 },
			{ stage: "checking", nth: 1 },
			{ stage: "checking", nth: 3 },
		] as const;
		for (const place of places) {
			await t.rejects(untilStopped(moveToDatabase, "half", place), {
				message: /The migration was stopped\..*Run the same command again/,
			});
		}
		await t.rejects(openPostgresStore({ url: cluster.url, schema: "half", clock }), {
			message: /begun and is not done.*Run tollgraph migrate once more/,
		});
		await t.rejects(open(data, inDatabase("half")), { message: /has books of its own/ });
		const serving = await open(data);
		await serving.operator.issueSpt({ usd: "3" });
		await serving.close();
		t.match(await moveToDatabase(to(data, "half"), ports), { status: "moved" }, "what came since");
		for (const place of places.filter(({ stage, nth }) => stage !== "copying" || nth === 1)) {
			await t.rejects(untilStopped(moveToJournal, "half", place), { message: /was stopped/ });
		}
		const between = await startApp(t, { folder: data, settings: inDatabase("half") });
		const { token } = await between.issueSpt("4");
		t.equal((await between.search({ token })).status, 200, "it serves on meanwhile");
		t.notOk(existsSync(join(data, "journal.new")), "half a journal is gone");
		await between.close();
		t.match(await moveToJournal(to(data, "half"), ports), { status: "moved" });
		const own = await startApp(t, { folder: data, settings: LIGHT });
		t.equal((await own.search({ token })).status, 200);
		t.match(await own.app.operator.verifyLedger(), { status: "ok", failures: [] });
		const spts = (await own.app.operator.listSpts()).items.map(({ balance_usd }) => balance_usd);
		t.ok(spts.includes("3.00") && spts.includes("3.00"), "both are there");
	});

	await t.test("can be given up before they serve from the database", async (t) => {
		const root = t.testdir({});
		const [data, elsewhere] = [join(root, "data"), join(root, "elsewhere")];
		await makeShop(t, data, 60);
		const stop = new AbortController();
		const stopped = moveToDatabase(to(data, "given"), {
			...ports,
			signal: stop.signal,
			onProgress: ({ stage }) => stage === "checking" && stop.abort(),
		});
		await t.rejects(stopped, { message: /was stopped/ });
		await makeShop(t, elsewhere, 0);
		await t.rejects(moveToJournal(to(elsewhere, "given"), ports), { message: /do not belong/ });
		await t.rejects(moveToDatabase(to(elsewhere, "given"), ports), {
			message: /A migration of another journal into this database was begun/,
		});
		t.match(await moveToJournal(to(data, "given"), ports), { status: "given_up" });
		const app = await open(data);
		t.match(await app.operator.verifyLedger(), { status: "ok" });
		await app.close();
		t.match(
			await moveToDatabase(to(elsewhere, "given"), ports),
			{ status: "moved" },
			"it is empty",
		);
	});

	await t.test("arrive although the last steps were cut off from each other", async (t) => {
		const data = join(t.testdir({}), "data");
		const { token } = await makeShop(t, data, 60);
		const mark = join(data, "database");
		const journal = await openJournal(data);
		const coming = JSON.stringify({ state: "coming", journal: await journal.digest() });
		await journal.close();
		const cutOff = async () => {
			t.match(await moveToDatabase(to(data, "steps"), ports), { status: "moved" });
			await cluster.sql(`INSERT INTO steps.meta VALUES ('moving', '${coming}')`);
			await t.rejects(open(data), { message: /are in a database/ });
			await t.rejects(open(data, inDatabase("steps")), { message: /begun and is not done/ });
		};
		await cutOff();
		t.match(await moveToJournal(to(data, "steps"), ports), { status: "given_up" });
		await cutOff();
		t.match(await moveToDatabase(to(data, "steps"), ports), { status: "moved" });
		const served = await startApp(t, { folder: data, settings: inDatabase("steps") });
		t.equal((await served.search({ token })).status, 200);
		await served.close();

		const named = readFileSync(mark);
		t.match(await moveToJournal(to(data, "steps"), ports), { status: "moved" });
		for (const isBuilt of [true, false]) {
			writeFileSync(mark, named);
			if (!isBuilt) renameSync(join(data, "journal"), join(data, "journal.new"));
			await t.rejects(open(data), { message: /are in a database/ });
			await t.rejects(open(data, inDatabase("steps")), { message: /moved back to a journal/ });
			t.match(await moveToJournal(to(data, "steps"), ports), { status: "moved" });
		}
		const own = await startApp(t, { folder: data, settings: LIGHT });
		t.equal((await own.search({ token })).status, 200);
		t.match(await own.app.operator.verifyLedger(), { status: "ok", failures: [] });
	});

	await t.test("are never written over others, nor over what cannot be reached", async (t) => {
		const root = t.testdir({ empty: {} });
		const [data, other] = [join(root, "data"), join(root, "other")];
		await makeShop(t, data, 0);
		const taken = await open(other, inDatabase("taken"));
		await t.rejects(moveToDatabase(to(data, "taken"), ports), {
			message: /holds books of its own/,
		});
		await taken.close();
		await t.rejects(moveToDatabase(to(data, "taken"), ports), {
			message: /holds books of its own/,
		});
		await t.rejects(moveToJournal(to(data, "taken"), ports), { message: /do not belong together/ });
		await t.rejects(moveToJournal(to(data, "nothing"), ports), { message: /holds no books/ });
		await t.rejects(moveToDatabase(to(other, "nothing"), ports), {
			message: /are in another database/,
		});
		for (const folder of [join(root, "empty"), join(root, "missing")]) {
			await t.rejects(moveToDatabase(to(folder, "nothing"), ports), { message: /has no journal/ });
		}
		t.notOk(existsSync(join(root, "missing")));
		const away = { ...to(data, "nothing"), url: "postgres://u:secret@127.0.0.1:1/postgres" };
		await t.rejects(moveToDatabase(away, ports), {
			message: /could not be opened: .*ECONNREFUSED/,
		});
		await cluster.sql("CREATE SCHEMA newer; CREATE TABLE newer.meta (name text, value text)");
		await cluster.sql(
			"CREATE TABLE newer.migrations (version integer, sha256 text); INSERT INTO newer.migrations VALUES (99, 'x')",
		);
		await t.rejects(moveToDatabase(to(data, "newer"), ports), {
			message: /of version 99 of the schema, and this build knows/,
		});
		const server = await open(data);
		await t.rejects(moveToDatabase(to(data, "nothing"), ports), { message: /in use by process/ });
		await server.close();
		t.match(await moveToDatabase(to(data, "nothing", true), ports), { status: "dry_run" });
	});

	await t.test("are compared: what differs is taken away again", async (t) => {
		const data = join(t.testdir({}), "data");
		await makeShop(t, data, 120);
		const tables = await openPostgresStore({ url: cluster.url, schema: "spoiled", clock });
		await tables.close();
		await cluster.sql(
			`CREATE FUNCTION spoiled.spoil() RETURNS trigger LANGUAGE plpgsql AS $$
				BEGIN NEW.body := replace(NEW.body, '500000', '500001'); RETURN NEW; END $$;
			CREATE TRIGGER spoil BEFORE INSERT ON spoiled.ledger FOR EACH ROW WHEN (NEW.seq = 141) EXECUTE FUNCTION spoiled.spoil()`,
		);
		await t.rejects(moveToDatabase(to(data, "spoiled"), ports), {
			message: /The copy is not what was copied: history has/,
		});
		await cluster.sql("DROP TRIGGER spoil ON spoiled.ledger");
		t.match(await moveToDatabase(to(data, "spoiled"), ports), { status: "moved" });
	});
});
