import { type Micros, ServiceError } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	COLD_TABLES,
	type CommittedState,
	reviveMoney,
	type StoreReader,
	TABLE_INDEXES,
	type TableName,
	type Tables,
} from "../store.js";
import type { Rows, Session } from "./connection.js";
import { fromKey, toKey } from "./text-keys.js";

export function assertHot(table: TableName): void {
	if (!COLD_TABLES.has(table)) return;
	throw new ServiceError("INTERNAL", `Rows of "${table}" can only be read one by one, by id.`);
}

function toRow<T extends TableName>(body: unknown): Tables[T] {
	return reviveMoney(JSON.parse(String(body))) as Tables[T];
}

function toRows<T extends TableName>(rows: Rows): readonly Tables[T][] {
	return rows.map(({ body }) => toRow<T>(body));
}

/** 1 to 3, as in the columns k1 to k3. */
export function placeOf(table: TableName, index: string): number {
	return (TABLE_INDEXES[table] as readonly string[]).indexOf(index) + 1;
}

/** One moment, without locks. */
export function createReader(session: Session, schema: string): StoreReader {
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
		isAlive: (processId) => isAlive(session, schema, processId),
	};
}

export async function isAlive(
	session: Pick<Session, "query">,
	schema: string,
	processId: string,
): Promise<boolean> {
	const text = `SELECT 1 FROM ${schema}.processes WHERE id = $1`;
	return (await session.query(text, [toKey(processId)])).length > 0;
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
	return new Map(
		rows.map(({ account, amount }) => [fromKey(String(account)), BigInt(String(amount))]),
	);
}

interface Locking {
	readonly session: Session;
	/** The quoted name of the schema. */
	readonly schema: string;
	/** What was locked, added to. */
	readonly names: Set<string>;
	readonly processId: string;
}

/** Each answer is locked until the transaction ends; `names` gathers what was locked, for the next attempt. */
export function lockedState(locking: Locking): CommittedState {
	const { session, schema, names, processId } = locking;
	return {
		processId,
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
			const { balances } = await standing(locking, [account], undefined);
			return balances.get(account) ?? 0n;
		},
		balances: () => readBalances(session, schema),
		isAlive: (processId) => isAlive(session, schema, processId),
		standing: (accounts, key) => standing(locking, accounts, key),
	};
}

async function standing(
	{ session, schema, names }: Locking,
	accounts: readonly AccountName[],
	key: string | undefined,
) {
	for (const account of accounts) names.add(balanceLock(toKey(account)));
	const rows = await session.query(`SELECT account, amount FROM ${schema}.standing($1, $2)`, [
		accounts.map(toKey),
		key === undefined ? null : toKey(key),
	]);
	const balances = new Map<AccountName, Micros>();
	let isKeyUsed = false;
	for (const { account, amount } of rows) {
		if (account === null) isKeyUsed = true;
		else balances.set(fromKey(String(account)), BigInt(String(amount)));
	}
	return { balances, isKeyUsed };
}

/** What an owner has and what is held of it are locked together: some work looks at the one first, some at the other. */
export const balanceLock = (account: string): string => `b|${account.replace(/^(cust|held):/, "")}`;
