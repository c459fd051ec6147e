import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { generateSales } from "../../../bench/generated-sales.js";
import { createInvariantGuard } from "../../../payments/audit/invariants.js";
import { systemClock } from "../../../src/kernel/clock.js";
import { countFreedKeys, digestBooks, findDifferences } from "../../../store/books-digest.js";
import { nodeFileSystem as fileSystem } from "../../../store/journal/file-system.js";
import { type JournalStore, openJournalStore } from "../../../store/journal/journal-store.js";
import { forgetInLeftJournal } from "../../../store/journal/left-texts.js";
import { writeJournal } from "../../../store/journal/write-books.js";
import { createFakeDisk } from "../fake-disk.js";
import { openOn, posting, receiptRow, START_MS, stillClock, tokenRow } from "../open-test-store.js";
import { refused } from "../store-under-test.js";

const clock = systemClock;
const HOUR_MS = 3_600_000;
const open = (folder: string) => openJournalStore({ folder, clock, fileSystem });
const sourceOf = (store: JournalStore) => ({ ...store.parts, store });

t.test("a journal that is written from books holds the same books", async (t) => {
	const root = t.testdir({});
	const [from, to] = [join(root, "from"), join(root, "to")];
	const store = await open(from);
	await generateSales(store, { clock, sales: 600, owners: 20 });
	await store.transaction((tx) => tx.put("tokens", tokenRow("tok_s1")));
	const now = clock.now();
	const expected = await digestBooks(sourceOf(store), { now });
	const told: number[] = [];
	await writeJournal(sourceOf(store), {
		...{ fileSystem, clock, folder: to, now },
		onProgress: ({ done, total }) => told.push(done / total),
	});
	t.equal(told.at(-1), 1);
	const copy = await open(to);
	const found = await digestBooks(sourceOf(copy), { now });
	t.same(findDifferences(expected, found), []);
	for (const name of ["history", "receipts", "balances", "idempotency", "documents", "query_log"])
		t.ok((found.parts.get(name)?.count ?? 0) > 10, name);
	t.equal(found.postings, expected.postings);
	t.equal(await countFreedKeys(sourceOf(store), sourceOf(copy)), 0);
	t.match(await createInvariantGuard({ store: copy, clock }).check({ full: true }), {
		status: "ok",
		failures: [],
	});
	for (const owner of ["tok_s3", "tok_s7"]) {
		t.same(
			(await copy.statement(owner, { limit: 50 })).postings,
			(await store.statement(owner, { limit: 50 })).postings,
		);
		const [receipt] = (await copy.receipts(owner, { limit: 5, since: 0 })).receipts;
		t.same(await copy.read((reader) => reader.get("receipts", receipt?.id ?? "")), receipt);
	}
	await t.rejects(
		copy.transaction((tx) => tx.post(posting("issue:tok_s3", { a: 1n, b: -1n }))),
		refused("duplicate_key"),
	);
	await copy.transaction((tx) => tx.post(posting("later", { a: 1n, b: -1n })));
	await Promise.all([store.close(), copy.close()]);
	const again = await open(to);
	t.equal((await again.verify()).transactions, expected.postings + 1, "and goes on");
	await again.close();
});

t.test("keys stay refused for their two days, whenever their books were copied", async (t) => {
	const disk = createFakeDisk();
	const still = stillClock();
	const store = await openOn(disk, { clock: still });
	const credit = (key: string) =>
		store.transaction((tx) => tx.post(posting(key, { "cust:a": 1n, b: -1n })));
	for (const [key, hours] of [
		["old", 0],
		["between", 40],
		["back", 39],
		["new", 60],
	] as const) {
		still.set(START_MS + hours * HOUR_MS);
		await credit(key);
	}
	await writeJournal(sourceOf(store), { fileSystem: disk, clock: still, folder: "/copy", now: 0 });
	const copy = await openOn(disk, { clock: still, folder: "/copy" });
	const hoursOf = async (one: JournalStore) => {
		const hours: [number, readonly string[]][] = [];
		for await (const { hour, keys } of one.parts.ledgerKeys()) hours.push([hour, keys]);
		return hours;
	};
	t.same(await hoursOf(copy), await hoursOf(store));
	const again = (key: string) =>
		copy.transaction((tx) => tx.post(posting(key, { "cust:a": 1n, b: -1n })));
	for (const key of ["between", "back", "new"])
		await t.rejects(again(key), refused("duplicate_key"), key);
	await again("old");
	t.equal(await countFreedKeys(sourceOf(store), sourceOf(copy)), 0);
	const other = await openOn(createFakeDisk(), { clock: still });
	t.equal(await countFreedKeys(sourceOf(store), sourceOf(other)), 3);
	for (const one of [store, copy, other]) await one.close();
});

t.test("books without a sale, and what an interrupted copy leaves", async (t) => {
	const disk = createFakeDisk();
	const still = stillClock();
	const empty = await openOn(disk, { clock: still });
	const target = { fileSystem: disk, clock: still, now: 0 };
	await writeJournal(sourceOf(empty), { ...target, folder: "/empty" });
	const copy = await openOn(disk, { clock: still, folder: "/empty" });
	t.equal((await copy.verify()).transactions, 0);
	await copy.transaction((tx) => tx.put("receipts", receiptRow("rcpt_1")));
	const assertWanted = () => {
		throw new Error("not wanted any more");
	};
	const stopped = writeJournal(sourceOf(copy), { ...target, folder: "/half", assertWanted });
	await t.rejects(stopped, { message: "not wanted any more" });
	for (const one of [empty, copy]) await one.close();
});

t.test("texts are forgotten in a journal that was left, too", async (t) => {
	const root = t.testdir({});
	const [left, other] = [join(root, "left"), join(root, "other")];
	const before = await open(left);
	await generateSales(before, { clock, sales: 120, owners: 3 });
	await before.close();
	const segments = readFileSync(join(left, "segments", "00000001.journal"));
	const store = await forgetInLeftJournal(await open(other), { fileSystem, clock, folder: left });
	const queries = () => readdirSync(join(left, "queries"));
	const days = queries().length;
	const today = queries().at(-1)?.slice(0, 10) ?? "";
	t.equal(await store.queryLog.erase("tok_s1"), 0, "counted where the books are");
	const text = () => readFileSync(join(left, "queries", `${today}.ndjson`), "utf8");
	t.notMatch(text(), /tok_s1/);
	t.match(text(), /tok_s0/);
	await store.queryLog.dropBefore(today);
	t.ok(days > 30 && queries().length === 1, "days that are over are gone");
	await store.documents.delete("task-s-0");
	await store.documents.sweep(clock.now() + 50 * HOUR_MS);
	await store.close();
	const again = await open(left);
	t.equal(await again.documents.get("task-s-0"), undefined);
	t.equal(await again.documents.get("task-s-50"), undefined);
	await again.close();
	t.ok(segments.equals(readFileSync(join(left, "segments", "00000001.journal"))), "the books stay");
});
