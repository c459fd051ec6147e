import { type Clock, type Micros, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	addEntries,
	BufferedTransaction,
	COLD_TABLES,
	type CommittedState,
	encodeObject,
	LEDGER_KEY_WINDOW_MS,
	type LedgerTransaction,
	type Operation,
	type ReceiptRow,
	type Row,
	reviveMoney,
	type Store,
	type StoreReader,
	type StoreTransaction,
	stopped,
	TABLE_INDEXES,
	type TableName,
	type Tables,
	type TransactionOptions,
} from "../store.js";
import { type ConnectionPool, mayRunAgain, type Session, toRefusal } from "./connection.js";
import { toKey } from "./text-keys.js";

/** How often work is begun again when others were faster; from the second time on it waits for all that it needs at once. */
const ATTEMPTS = 12;

export interface TransactionDeps {
	readonly pool: ConnectionPool;
	/** The quoted name of the schema. */
	readonly schema: string;
	readonly clock: Clock;
	readonly stopReason: () => string | undefined;
}

/**
 * The two ways into the store. Transactions lock what they read and what they write, rows, values of indexes and balances by
 * their names, until they end: whatever runs beside them, each sees what it would see alone (strict two-phase locking). Work
 * that met another's in a circle runs again, so it must have no effect but through its transaction.
 */
export function createTransactions({
	pool,
	schema,
	clock,
	stopReason,
}: TransactionDeps): Pick<Store, "transaction" | "read"> {
	const attempt = async <T>(
		work: (tx: StoreTransaction) => Promise<T>,
		{ names, isDeferred }: { readonly names: Set<string>; readonly isDeferred: boolean },
	): Promise<T> => {
		const run = async (session: Session) => {
			if (names.size > 0) await session.query(`SELECT ${schema}.take_locks($1)`, [[...names]]);
			const tx = new BufferedTransaction(lockedState(session, schema, names));
			try {
				const value = await work(tx);
				const operations = tx.finish();
				if (operations.length > 0) await apply(session, { schema, at: clock.now() }, operations);
				// An answer that rests on what others wrote must not be given before that is durable.
				else if (!isDeferred) await session.query(`SELECT ${schema}.settle()`);
				return value;
			} finally {
				tx.end();
			}
		};
		return pool.write(run, { isDeferred });
	};

	return {
		async transaction<T>(
			work: (tx: StoreTransaction) => Promise<T>,
			{ durability = "durable" }: TransactionOptions = {},
		): Promise<T> {
			const isDeferred = durability === "deferred";
			const names = new Set<string>();
			for (let left = ATTEMPTS; ; left--) {
				const reason = stopReason();
				if (reason !== undefined) throw stopped(reason);
				try {
					return await attempt(work, { names, isDeferred });
				} catch (error) {
					if (mayRunAgain(error) && left > 1) continue;
					// A refusal may rest on what others wrote, as an answer does.
					if (!isDeferred && isOwn(error))
						await pool.write((session) => session.query(`SELECT ${schema}.settle()`));
					throw mayRunAgain(error) ? contended(error) : toRefusal(error);
				}
			}
		},
		async read(work) {
			const reason = stopReason();
			if (reason !== undefined) throw stopped(reason);
			try {
				return await pool.read((session) => work(createReader(session, schema)));
			} catch (error) {
				throw toRefusal(error);
			}
		},
	};
}

/** True for what the work threw, not the database. */
function isOwn(error: unknown): boolean {
	return toRefusal(error) === error && !mayRunAgain(error);
}

function contended(cause: unknown): ServiceError {
	return unavailable(
		"Too many calls change the same things at this moment. Nothing was changed; send the request again in a moment.",
		{ retryable: true, cause },
	);
}

function assertHot(table: TableName): void {
	if (!COLD_TABLES.has(table)) return;
	throw new ServiceError("INTERNAL", `Rows of "${table}" can only be read one by one, by id.`);
}

function toRow<T extends TableName>(body: unknown): Tables[T] {
	return reviveMoney(JSON.parse(String(body))) as Tables[T];
}

function toRows<T extends TableName>(
	rows: readonly Readonly<Record<string, unknown>>[],
): readonly Tables[T][] {
	return rows.map(({ body }) => toRow<T>(body));
}

/** 1 to 3, as in the columns k1 to k3. */
function placeOf(table: TableName, index: string): number {
	return (TABLE_INDEXES[table] as readonly string[]).indexOf(index) + 1;
}

/** One moment, without locks. */
function createReader(session: Session, schema: string): StoreReader {
	return {
		async get(table, id) {
			const [row] = await session.query(
				`SELECT body FROM ${schema}.records WHERE tbl = $1 AND id = $2`,
				[table, toKey(id)],
			);
			return row && toRow(row["body"]);
		},
		async findBy(table, index, value) {
			assertHot(table);
			const column = `k${placeOf(table, index as string)}`;
			const text = `SELECT body FROM ${schema}.records WHERE tbl = $1 AND ${column} = $2 ORDER BY id`;
			return toRows(await session.query(text, [table, toKey(value)]));
		},
		async list(table) {
			assertHot(table);
			return toRows(
				await session.query(`SELECT body FROM ${schema}.records WHERE tbl = $1 ORDER BY id`, [
					table,
				]),
			);
		},
		balance: (account) => readBalance(session, schema, account),
		balances: () => readBalances(session, schema),
	};
}

async function readBalance(
	session: Session,
	schema: string,
	account: AccountName,
): Promise<Micros> {
	const [row] = await session.query(
		`SELECT coalesce(sum(amount), 0)::text AS amount FROM ${schema}.balances WHERE account = $1`,
		[toKey(account)],
	);
	return BigInt(String(row?.["amount"] ?? 0));
}

async function readBalances(
	session: Session,
	schema: string,
): Promise<ReadonlyMap<AccountName, Micros>> {
	const rows = await session.query(
		`SELECT account, sum(amount)::text AS amount FROM ${schema}.balances GROUP BY account`,
	);
	return new Map(rows.map(({ account, amount }) => [String(account), BigInt(String(amount))]));
}

/** Each answer is locked until the transaction ends; `names` gathers what was locked, for the next attempt. */
function lockedState(session: Session, schema: string, names: Set<string>): CommittedState {
	return {
		async get(table, id) {
			names.add(`r|${table}|${toKey(id)}`);
			const [row] = await session.query(`SELECT ${schema}.get_row($1, $2) AS body`, [
				table,
				toKey(id),
			]);
			const body = row?.["body"];
			return body === null || body === undefined ? undefined : toRow(body);
		},
		async findBy(table, index, value) {
			assertHot(table);
			const place = placeOf(table, index as string);
			names.add(`i|${table}|${place}|${toKey(value)}`);
			const text = `SELECT body FROM ${schema}.find_rows($1, $2, $3) AS body`;
			return toRows(await session.query(text, [table, place, toKey(value)]));
		},
		async list(table) {
			assertHot(table);
			names.add(`t|${table}`);
			return toRows(
				await session.query(`SELECT body FROM ${schema}.list_rows($1) AS body`, [table]),
			);
		},
		async balance(account) {
			const { balances } = await standing(session, schema, names, [account], undefined);
			return balances.get(account) ?? 0n;
		},
		balances: () => readBalances(session, schema),
		standing: (accounts, key) => standing(session, schema, names, accounts, key),
	};
}

async function standing(
	session: Session,
	schema: string,
	names: Set<string>,
	accounts: readonly AccountName[],
	key: string | undefined,
) {
	for (const account of accounts) names.add(`b|${toKey(account)}`);
	const rows = await session.query(`SELECT account, amount FROM ${schema}.standing($1, $2)`, [
		accounts.map(toKey),
		key === undefined ? null : toKey(key),
	]);
	const balances = new Map<AccountName, Micros>();
	let isKeyUsed = false;
	for (const { account, amount } of rows) {
		if (account === null) isKeyUsed = true;
		else balances.set(String(account), BigInt(String(amount)));
	}
	return { balances, isKeyUsed };
}

/** Writes what one transaction did, in one statement. */
async function apply(
	session: Session,
	{ schema, at }: { readonly schema: string; readonly at: number },
	operations: readonly Operation[],
): Promise<void> {
	const rows = [...lastWrites(operations).values()];
	const column = (place: number) => rows.map(({ row, table }) => indexValue(row, table, place));
	const books = booksOf(operations);
	await session.query(
		`SELECT ${schema}.apply($1, $2, $3, $4, $5, $6, $7, $8::text[]::numeric[], $9, $10, $11, $12, $13, $14, $15, $16)`,
		[
			rows.map(({ table }) => table),
			rows.map(({ id }) => toKey(id)),
			rows.map(({ row }) => row && encodeObject(row)),
			...[0, 1, 2].map(column),
			[...books.sums.keys()].map(toKey),
			[...books.sums.values()].map(String),
			books.keys.map(toKey),
			at,
			LEDGER_KEY_WINDOW_MS,
			books.text ?? null,
			books.postings,
			[...books.owners.keys()].map(toKey),
			[...books.owners.values()].map(({ hasPosting }) => hasPosting),
			[...books.owners.values()].map(({ receiptAt }) => receiptAt ?? null),
		],
	);
}

interface Write {
	readonly table: TableName;
	readonly id: string;
	/** Null for a deleted one. */
	readonly row: Row | null;
}

/** What each row has become. */
function lastWrites(operations: readonly Operation[]): ReadonlyMap<string, Write> {
	const writes = new Map<string, Write>();
	for (const operation of operations) {
		if (operation.kind === "post") continue;
		const { table } = operation;
		const row = operation.kind === "put" ? operation.row : null;
		const id = operation.kind === "put" ? operation.row.id : operation.id;
		writes.set(`${table}|${id}`, { table, id, row });
	}
	return writes;
}

function indexValue(row: Row | null, table: TableName, place: number): string | null {
	const field = TABLE_INDEXES[table][place];
	const value = field === undefined ? undefined : (row as Record<string, unknown> | null)?.[field];
	return value === undefined || value === null ? null : toKey(String(value));
}

interface Mention {
	hasPosting: boolean;
	receiptAt: number | undefined;
}

/** What the transaction leaves in the books; no text where it moved no money and wrote no receipt. */
function booksOf(operations: readonly Operation[]) {
	const postings: LedgerTransaction[] = [];
	const receipts: ReceiptRow[] = [];
	const owners = new Map<string, Mention>();
	const sums = new Map<AccountName, Micros>();
	const mentionOf = (owner: string) => {
		const mention = owners.get(owner) ?? { hasPosting: false, receiptAt: undefined };
		owners.set(owner, mention);
		return mention;
	};
	for (const operation of operations) {
		if (operation.kind === "post") {
			postings.push(operation.transaction);
			addEntries(sums, operation.transaction.entries);
			for (const { account } of operation.transaction.entries) {
				const [, owner] = /^(?:cust|held):(.*)$/s.exec(account) ?? [];
				if (owner !== undefined) mentionOf(owner).hasPosting = true;
			}
		} else if (operation.kind === "put" && operation.table === "receipts") {
			const receipt = operation.row as ReceiptRow;
			receipts.push(receipt);
			const mention = mentionOf(receipt.owner);
			mention.receiptAt = Math.max(mention.receiptAt ?? receipt.at, receipt.at);
		}
	}
	const isEmpty = postings.length === 0 && receipts.length === 0;
	return {
		text: isEmpty ? undefined : encodeObject({ postings, receipts }),
		postings: postings.length,
		keys: postings.flatMap(({ key }) => key ?? []),
		owners,
		sums,
	};
}
