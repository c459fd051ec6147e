/** The sale of the store bench in SQLite: the same checks and rows, in plain tables without indexes it does not need. */
import { existsSync } from "node:fs";
import type { Ids } from "../src/kernel/ids.js";
import type { Sqlite, SqliteDatabase } from "./better-sqlite3.js";
import { endowmentOf, type Sale, saleOf } from "./sale.js";
import { createTurnBatch } from "./turn-batch.js";

/** Only settings under which an acknowledged commit survives a power cut. */
const WAL_FULL = ["journal_mode = WAL", "synchronous = FULL"];
const DELETE_EXTRA = ["journal_mode = DELETE", "synchronous = EXTRA"];
export const SQLITE_FORMS = {
	/** A transaction of its own for every caller. */
	sqlite_wal_full: { pragmas: WAL_FULL, maxBatch: 1 },
	/** One transaction for all callers of a turn of the event loop. */
	sqlite_wal_full_batched: { pragmas: WAL_FULL, maxBatch: Number.POSITIVE_INFINITY },
	sqlite_delete_extra_batched: { pragmas: DELETE_EXTRA, maxBatch: Number.POSITIVE_INFINITY },
} as const;
export type SqliteForm = keyof typeof SQLITE_FORMS;

export interface SqliteLedger {
	/** Resolves when a sale is durable. */
	sell(): Promise<void>;
	postings(): number;
	close(): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, balance INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS postings (id TEXT PRIMARY KEY, key TEXT UNIQUE, kind TEXT, at INTEGER, ref TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entries (posting TEXT, account TEXT, amount INTEGER);
CREATE TABLE IF NOT EXISTS receipts (
	id TEXT PRIMARY KEY, hold TEXT, posting TEXT, owner TEXT, rail TEXT, operation TEXT, billing TEXT,
	amount INTEGER, balance_after INTEGER, fingerprint TEXT, at INTEGER
) WITHOUT ROWID;`;

export function openSqliteLedger(
	sqlite: Sqlite,
	{ path, ids, form }: { path: string; ids: Ids; form: SqliteForm },
): SqliteLedger {
	const isNew = !existsSync(path);
	const { pragmas, maxBatch } = SQLITE_FORMS[form];
	const database = sqlite.open(path);
	for (const pragma of pragmas) database.pragma(pragma);
	database.exec(SCHEMA);
	const post = preparePost(database);
	const putReceipt = prepareReceipt(database);
	const sellAll = database.transaction((sales: readonly Sale[]) => {
		for (const { posting, receipt } of sales) {
			post(posting);
			putReceipt(receipt);
		}
	});
	const postings = database.prepare("SELECT count(*) FROM postings").pluck();
	if (isNew) database.transaction(() => post(endowmentOf(ids))).immediate();
	const join = createTurnBatch((sales: readonly Sale[]) => sellAll.immediate(sales), maxBatch);
	return {
		sell: () => join(saleOf(ids)),
		postings: () => postings.get() as number,
		close: () => database.close(),
	};
}

type Posting = Sale["posting"] | ReturnType<typeof endowmentOf>;

function preparePost(database: SqliteDatabase): (posting: Posting) => void {
	const judge = prepareJudge(database);
	const insert = database.prepare("INSERT INTO postings VALUES (?, ?, ?, ?, ?)");
	const insertEntry = database.prepare("INSERT INTO entries VALUES (?, ?, ?)");
	const add = database.prepare(
		"INSERT INTO accounts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET balance = balance + excluded.balance",
	);
	return (posting) => {
		judge(posting);
		const { id, key, kind, at, ref, entries } = posting;
		// The constraint on the key refuses a second one.
		insert.run(id, key, kind, at, ref);
		for (const { account, amountMicros } of entries) {
			insertEntry.run(id, account, amountMicros);
			add.run(account, amountMicros);
		}
	};
}

/** Throws unless the entries sum to zero and leave every customer at zero or above, as the ledger does. */
function prepareJudge(database: SqliteDatabase): (posting: Posting) => void {
	const select = database
		.prepare("SELECT balance FROM accounts WHERE name = ?")
		.pluck()
		.safeIntegers();
	const balanceOf = (account: string) => (select.get(account) as bigint | undefined) ?? 0n;
	return ({ id, entries }) => {
		const total = entries.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
		if (total !== 0n) throw new Error(`The entries of ${id} sum to ${total}.`);
		for (const { account, amountMicros } of entries) {
			if (!account.startsWith("cust:") || balanceOf(account) + amountMicros >= 0n) continue;
			throw new Error(`${account} would go below zero.`);
		}
	};
}

function prepareReceipt(database: SqliteDatabase): (receipt: Sale["receipt"]) => void {
	const insert = database.prepare("INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	return (row) => {
		const { id, holdId, transactionId, owner, rail, operationId, billingType } = row;
		const { amountMicros, balanceAfterMicros, fingerprint, at } = row;
		const names = [id, holdId, transactionId, owner, rail, operationId, billingType];
		insert.run(...names, amountMicros, balanceAfterMicros, fingerprint, at);
	};
}
