import { toIsoDay } from "../../src/kernel/kernel.js";
import {
	type BooksSource,
	type CopyHooks,
	encodeObject,
	HOT_TABLES,
	inGroups,
	type PlacedCommit,
	type QueryLogRow,
	type ReceiptRow,
	type Row,
	type TableName,
	toOperations,
} from "../store.js";
import type { ConnectionPool, Session } from "./connection.js";
import { createPartitions } from "./query-log.js";
import { toKey } from "./text-keys.js";
import { booksOf, indexValue } from "./writes.js";

/** What goes in one statement, about. */
const PART_ROWS = 500;
const PART_CHARS = 1024 * 1024;

interface Deps {
	readonly pool: ConnectionPool;
	/** The quoted name of the schema. */
	readonly schema: string;
}

interface ImportOptions extends CopyHooks {
	/** Documents are copied that expire after this moment. */
	readonly now: number;
}

/**
 * Copies the books of another store into a database that has none but those of an earlier attempt: the history goes on where that
 * ended, what has a present only is written again. Every part is a transaction of its own.
 */
export async function importBooks(
	deps: Deps,
	source: BooksSource,
	options: ImportOptions,
): Promise<void> {
	await importHistory(deps, source, options);
	await importRows(deps, source, options);
	await importBalances(deps, source);
	await importKeys(deps, source, options);
	await importDocuments(deps, source, options);
	await importQueries(deps, source, options);
	await deps.pool.query(
		`ANALYZE ${["records", "balances", "ledger", "mentions", "ledger_keys", "documents"].map((table) => `${deps.schema}.${table}`).join(", ")}`,
	);
}

/** Empties what an earlier attempt filled. */
export async function discardBooks({ session, schema }: { session: Session; schema: string }) {
	await session.query(
		`TRUNCATE ${["records", "balances", "mentions", "ledger", "ledger_keys", "key_hours", "documents", "query_log"].map((table) => `${schema}.${table}`).join(", ")} RESTART IDENTITY`,
	);
}

/** A commit and its number, which is its place in the ledger. */
interface Numbered {
	readonly seq: number;
	readonly at: number;
	readonly receipts: readonly ReceiptRow[];
	readonly books: ReturnType<typeof booksOf>;
}

async function importHistory(
	{ pool, schema }: Deps,
	source: BooksSource,
	{ onProgress, assertWanted }: ImportOptions,
): Promise<void> {
	const [row] = await pool.query(`SELECT coalesce(max(seq), 0)::text AS seq FROM ${schema}.ledger`);
	const [total, done] = [await source.end(), Number(row?.["seq"] ?? 0)];
	let place = 0;
	const numbered = numberedAfter(source.commits(), done, (commit) => {
		place = commit.place;
	});
	const groups = inGroups(numbered, {
		most: PART_ROWS,
		chars: PART_CHARS,
		sizeOf: ({ books }) => books.text?.length ?? 0,
	});
	for await (const group of groups) {
		assertWanted?.();
		await pool.write((session) => insertCommits(session, schema, group));
		onProgress?.({ done: place, total });
	}
	onProgress?.({ done: total, total });
	// Numbers that are drawn from here on come after the imported ones.
	await pool.query(
		`SELECT setval(pg_get_serial_sequence('${schema}.ledger', 'seq'), greatest(max(seq), 1), max(seq) IS NOT NULL) FROM ${schema}.ledger`,
	);
}

async function* numberedAfter(
	commits: AsyncIterable<PlacedCommit>,
	done: number,
	onCommit: (commit: PlacedCommit) => void,
): AsyncGenerator<Numbered> {
	let seq = 0;
	for await (const commit of commits) {
		seq += 1;
		onCommit(commit);
		if (seq <= done) continue;
		const { at, receipts } = commit;
		yield { seq, at, receipts, books: booksOf(toOperations(commit)) };
	}
}

async function insertCommits(
	session: Session,
	schema: string,
	group: readonly Numbered[],
): Promise<void> {
	await session.query(
		`INSERT INTO ${schema}.ledger (seq, at_ms, postings, body, sha256) OVERRIDING SYSTEM VALUE
			SELECT seq, at_ms, postings, body, sha256(convert_to(body, 'UTF8'))
			FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::text[]) AS l(seq, at_ms, postings, body)`,
		[
			group.map(({ seq }) => seq),
			group.map(({ at }) => at),
			group.map(({ books }) => books.postings),
			group.map(({ books }) => books.text),
		],
	);
	const mentions = group.flatMap(({ seq, books }) =>
		[...books.owners].map(([owner, mention]) => ({ seq, owner, ...mention })),
	);
	await session.query(
		`INSERT INTO ${schema}.mentions (owner, seq, has_posting, receipt_at_ms)
			SELECT * FROM unnest($1::text[], $2::bigint[], $3::boolean[], $4::bigint[])`,
		[
			mentions.map(({ owner }) => toKey(owner)),
			mentions.map(({ seq }) => seq),
			mentions.map(({ hasPosting }) => hasPosting),
			mentions.map(({ receiptAt }) => receiptAt ?? null),
		],
	);
	const receipts = new Map(group.flatMap((one) => one.receipts.map((row) => [row.id, row])));
	await insertRows(session, schema, { table: "receipts", rows: [...receipts.values()] });
}

async function insertRows(
	session: Session,
	schema: string,
	{ table, rows }: { readonly table: TableName; readonly rows: readonly Row[] },
): Promise<void> {
	if (rows.length === 0) return;
	const column = (place: number) => rows.map((row) => indexValue(row, table, place));
	await session.query(
		`INSERT INTO ${schema}.records (tbl, id, body, k1, k2, k3)
			SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
			ON CONFLICT (tbl, id) DO UPDATE SET body = excluded.body, k1 = excluded.k1, k2 = excluded.k2, k3 = excluded.k3`,
		[
			table,
			rows.map(({ id }) => toKey(id)),
			rows.map((row) => encodeObject(row)),
			...[0, 1, 2].map(column),
		],
	);
}

async function importRows(
	{ pool, schema }: Deps,
	{ store }: BooksSource,
	{ assertWanted }: ImportOptions,
): Promise<void> {
	await emptyRows({ pool, schema });
	for (const table of HOT_TABLES) {
		const groups = inGroups<Row>(store.rows(table), {
			most: PART_ROWS,
			chars: PART_ROWS,
			sizeOf: () => 1,
		});
		for await (const rows of groups) {
			assertWanted?.();
			await pool.write((session) => insertRows(session, schema, { table, rows }));
		}
	}
}

/** All but receipts, which are copied with the history. */
async function emptyRows({ pool, schema }: Deps): Promise<void> {
	const partitions = await pool.query(
		`SELECT c.relname AS name FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
			WHERE i.inhparent = $1::regclass AND c.relname <> 'records_receipts'`,
		[`${schema}.records`],
	);
	const tables = partitions.map(({ name }) => `${schema}.${String(name)}`);
	await pool.query(`TRUNCATE ${tables.join(", ")}`);
}

async function importBalances({ pool, schema }: Deps, { store }: BooksSource): Promise<void> {
	const balances = await store.read((reader) => reader.balances());
	await pool.query(`TRUNCATE ${schema}.balances`);
	const groups = inGroups(balances, { most: PART_ROWS, chars: PART_ROWS, sizeOf: () => 1 });
	for await (const group of groups) {
		// Of callers one row, of the server the first of its shards.
		await pool.query(
			`INSERT INTO ${schema}.balances (account, shard, amount)
				SELECT account, CASE WHEN left(account, 5) IN ('cust:', 'held:') THEN 0 ELSE 1 END, amount
				FROM unnest($1::text[], $2::text[]::numeric[]) AS b(account, amount)`,
			[group.map(([account]) => toKey(account)), group.map(([, amount]) => amount.toString())],
		);
	}
}

async function importKeys(
	{ pool, schema }: Deps,
	source: BooksSource,
	{ assertWanted }: ImportOptions,
): Promise<void> {
	await pool.query(`TRUNCATE ${schema}.ledger_keys, ${schema}.key_hours`);
	for await (const { hour, keys } of source.ledgerKeys()) {
		await pool.query(`INSERT INTO ${schema}.key_hours VALUES ($1) ON CONFLICT DO NOTHING`, [hour]);
		const groups = inGroups(keys, { most: PART_ROWS, chars: PART_ROWS, sizeOf: () => 1 });
		for await (const group of groups) {
			assertWanted?.();
			await pool.query(
				`INSERT INTO ${schema}.ledger_keys (key, hour) SELECT key, $2 FROM unnest($1::text[]) AS key
					ON CONFLICT (key) DO UPDATE SET hour = greatest(ledger_keys.hour, excluded.hour)`,
				[[...new Set(group)].map(toKey), hour],
			);
		}
	}
}

async function importDocuments(
	{ pool, schema }: Deps,
	source: BooksSource,
	{ now, assertWanted }: ImportOptions,
): Promise<void> {
	await pool.query(`TRUNCATE ${schema}.documents`);
	const groups = inGroups(source.documents(now), {
		most: PART_ROWS,
		chars: PART_CHARS,
		sizeOf: ({ text }) => text.length,
	});
	for await (const group of groups) {
		assertWanted?.();
		await pool.query(
			`INSERT INTO ${schema}.documents (id, body, expires_at_ms)
				SELECT * FROM unnest($1::text[], $2::bytea[], $3::bigint[])`,
			[
				group.map(({ id }) => id),
				group.map(({ text }) => Buffer.from(text, "utf8")),
				group.map(({ expiresAt }) => expiresAt),
			],
		);
	}
}

async function importQueries(
	{ pool, schema }: Deps,
	{ store }: BooksSource,
	{ assertWanted }: ImportOptions,
): Promise<void> {
	const partitions = createPartitions(pool, schema);
	await pool.query(`TRUNCATE ${schema}.query_log`);
	const groups = inGroups(linesOf(store.queryLog.readDays({})), {
		most: PART_ROWS,
		chars: PART_CHARS,
		sizeOf: ({ json }) => json.length,
	});
	for await (const group of groups) {
		assertWanted?.();
		for (const day of new Set(group.map((line) => line.day))) {
			const lines = group.filter((line) => line.day === day);
			await partitions.make(day);
			await pool.query(
				`INSERT INTO ${schema}.query_log (day, owner, body)
					SELECT $1::date, owner, body FROM unnest($2::text[], $3::text[]) AS l(owner, body)`,
				[day, lines.map(({ owner }) => toKey(owner)), lines.map(({ json }) => json)],
			);
		}
	}
}

async function* linesOf(rows: AsyncIterable<QueryLogRow>) {
	for await (const row of rows) {
		yield { day: toIsoDay(row.at), owner: row.owner, json: JSON.stringify(row) };
	}
}
