import fc from "fast-check";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { systemRandom as random } from "../../src/kernel/ids.js";
import {
	type BooksDigest,
	countFreedKeys,
	digestBooks,
	findDifferences,
} from "../../store/books-digest.js";
import type { JournalStore } from "../../store/journal/journal-store.js";
import { writeJournal } from "../../store/journal/write-books.js";
import {
	type MovingBooks,
	openMovingBooks,
	openPostgresStore,
} from "../../store/postgres/postgres.js";
import type { StoreDigest } from "../../store/store-port.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { createFakeDisk } from "./fake-disk.js";
import {
	openOn,
	posting,
	receiptRow,
	START_MS,
	type StillClock,
	stillClock,
	tokenRow,
} from "./open-test-store.js";
import { refused } from "./store-under-test.js";

/** Names as callers may give them, with what PostgreSQL's text cannot hold. */
const name = fc.oneof(
	fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
	fc.constantFrom("a", "\\", "\\u0000", "\u0000", "\ud800", "ü", "𐍈", "｡"),
);
const sale = fc.record({
	owner: name,
	key: fc.option(name, { nil: undefined }),
	memo: fc.option(fc.string({ unit: "binary", maxLength: 20 }), { nil: undefined }),
	amountMicros: fc.bigInt({ min: 0n, max: 10n ** 30n }),
	hours: fc.nat({ max: 90 }),
	receipts: fc.nat({ max: 2 }),
});

type Sale = typeof sale extends fc.Arbitrary<infer T> ? T : never;

const sourceOf = (store: JournalStore) => ({ ...store.parts, store });
const wanted = (digest: BooksDigest, other: BooksDigest) => {
	const different = findDifferences(digest, other);
	if (different.length > 0) throw new Error(`${different} differ`);
};

t.test("books that are copied", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	let schemas = 0;
	const openBooks = (schema: string, clock = stillClock()): Promise<MovingBooks> =>
		openMovingBooks({ url: cluster.url, schema, clock, random, onLost: () => undefined });

	await t.test("are the same there and back, whatever their names are", async () => {
		const property = fc.asyncProperty(fc.array(sale, { maxLength: 10 }), async (sales) => {
			const [disk, clock, now] = [createFakeDisk(), stillClock(), START_MS];
			const journal = await openOn(disk, { clock });
			const head = await sellAll(journal, sales, clock);
			const expected = await digestBooks(sourceOf(journal), { now });
			const books = await openBooks(`s${++schemas}`, clock);
			await books.begin(head, async () => false);
			await books.copy(sourceOf(journal), { now });
			wanted(expected, await digestBooks(books.source, { now }));
			await books.store.verify();
			await writeJournal(books.source, { fileSystem: disk, clock, folder: "/back", now });
			const back = await openOn(disk, { clock, folder: "/back" });
			wanted(expected, await digestBooks(sourceOf(back), { now }));
			const copies = [books.source, sourceOf(back)];
			const freed = copies.map((copy) => countFreedKeys(sourceOf(journal), copy));
			if (`${await Promise.all(freed)}` !== "0,0") throw new Error("a key is free");
			for (const store of [journal, back, books]) await store.close();
		});
		await fc.assert(property, { numRuns: 12 });
	});

	await t.test("take their numbers and keys on from where they were", async (t) => {
		const journal = await openOn();
		for (const index of [1, 2, 3]) {
			await journal.transaction((tx) =>
				tx.post(posting(`k${index}`, { "cash:manual": -5n, "cust:a": 5n })),
			);
		}
		const head = await digestOf(journal);
		const half = await openBooks("on");
		await half.begin(head, async () => false);
		await half.copy(sourceOf(journal), { now: 0 });
		await journal.transaction((tx) => tx.put("tokens", tokenRow("tok_later")));
		await journal.transaction((tx) => tx.post(posting("k4", { "cash:manual": -5n, "cust:a": 5n })));
		await t.rejects(
			half.begin(head, async () => false),
			{ message: /of another journal/ },
			"of another one",
		);
		await half.begin(head, async ({ sequence }) => sequence === head.sequence);
		await half.copy(sourceOf(journal), { now: 0 });
		await half.arrive();
		const spent = half.store.transaction((tx) =>
			tx.post(posting("k5", { "cust:a": -21n, "rev:per_call": 21n })),
		);
		await t.rejects(spent, refused("negative"));
		await t.rejects(
			half.store.transaction((tx) => tx.post(posting("k2", { a: 1n, b: -1n }))),
			refused("duplicate_key"),
		);
		await half.store.transaction((tx) =>
			tx.post(posting("k5", { "cust:a": -20n, "rev:per_call": 20n })),
		);
		t.equal((await half.store.verify()).transactions, 5);
		const seqs = await cluster.sql('SELECT seq::integer FROM "on".ledger ORDER BY seq');
		t.same(
			seqs.map((row) => (row as { seq: number }).seq),
			[1, 2, 3, 4, 5],
		);
		t.ok(await half.store.read((reader) => reader.get("tokens", "tok_later")));
		await t.rejects(half.discard(), { message: /holds books of its own/ }, "it serves by now");
		await t.rejects(
			half.leave(head, 4),
			{ message: /changed while they were copied/ },
			"one came since",
		);
		await half.leave(head, 5);
		for (const store of [journal, half]) await store.close();
	});

	await t.test("belong to one mover, and to no server meanwhile", async (t) => {
		const url = cluster.url;
		/** Patience passes twenty times as fast. */
		const hasty = { ...systemClock, monotonicMs: () => 20 * systemClock.monotonicMs() };
		const open = () => openMovingBooks({ url, schema: "busy", clock: hasty, random, onLost });
		const serve = () => openPostgresStore({ url, schema: "busy", clock: systemClock });
		const onLost = () => undefined;
		const server = await serve();
		await t.rejects(open(), { message: /A server works on the books.*Stop all/ });
		await server.close();
		const books = await open();
		await t.rejects(serve(), { message: /are being moved by tollgraph migrate/ });
		await t.rejects(open(), { message: /Another process moves the books/ });
		await books.close();
		await (await serve()).close();
	});

	await t.test("are not made valid by a process that lost the database", async (t) => {
		const books = await openBooks("lost");
		await books.begin({ sequence: 0, sha256: "" }, async () => false);
		const { ownId } = books.store.processes;
		await cluster.sql(`SELECT lost.end_process('${ownId()}')`);
		await t.rejects(books.arrive(), { message: /took it for ended.*again/ });
		t.equal((await cluster.sql("SELECT 1 FROM lost.meta WHERE name = 'moving'")).length, 1);
		await books.close();
	});
});

/** At hours of their own, forth and back; returns the digest of the journal then. */
async function sellAll(
	store: JournalStore,
	sales: readonly Sale[],
	clock: StillClock,
): Promise<StoreDigest> {
	for (const [index, one] of sales.entries()) {
		clock.set(START_MS + one.hours * 3_600_000);
		await sell(store, one, index);
	}
	return digestOf(store);
}

async function digestOf(store: JournalStore): Promise<StoreDigest> {
	const digest = await store.digest();
	if (!digest) throw new Error("no digest");
	return digest;
}

async function sell(store: JournalStore, one: Sale, index: number): Promise<void> {
	const { owner, key, memo, amountMicros, receipts } = one;
	await store
		.transaction(async (tx) => {
			const entries = { "cash:manual": -amountMicros, [`cust:${owner}`]: amountMicros };
			const changes = { id: `txn_${index}`, key, ...(memo !== undefined && { memo }) };
			await tx.post(posting("", entries, changes));
			await tx.put("tokens", tokenRow(owner, { label: memo ?? "", owner }));
			for (let part = 0; part < receipts; part++) {
				await tx.put("receipts", receiptRow(`rcpt_${index}_${part}`, { owner, amountMicros }));
			}
		})
		// A key that was used before.
		.catch(() => undefined);
	store.queryLog.append({
		...{ at: START_MS + index, requestId: `req_${index}`, owner, operationId: "graphs.search" },
		...{ transport: "rest", query: memo, decision: undefined, receiptId: undefined },
	});
	await store.documents.put(
		`doc-${index}`,
		Buffer.from(memo ?? "").toString("utf8"),
		START_MS + 9 ** 9 + index,
	);
}
