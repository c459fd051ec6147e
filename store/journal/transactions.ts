import { type Micros, ServiceError } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	COLD_TABLES,
	LedgerRefusal,
	type LedgerTransaction,
	type Store,
	type StoreReader,
	type StoreTransaction,
	type TABLE_INDEXES,
	type TableName,
	type Tables,
	type TransactionOptions,
} from "../store.js";
import { stopped } from "./damage.js";
import type { GroupCommit } from "./group-commit.js";
import type { ColdRows } from "./journal-reader.js";
import { encodeOperations, type Operation, type Row } from "./operation.js";
import { widen } from "./segments.js";
import type { SerialQueue } from "./serial-queue.js";
import { applyOperation, type HotTable, type JournalState } from "./state.js";

export interface TransactionsDeps {
	readonly state: JournalState;
	readonly coldRows: ColdRows;
	readonly commit: GroupCommit;
	readonly inTurn: SerialQueue;
	/** Why no further transaction is taken; undefined while all is well. */
	readonly stopReason: () => string | undefined;
}

/** Deferred transactions wait for the disk, too, once this many batches do. */
const MAX_BACKLOG = 16;

/** The two ways into the store: transactions one at a time, reads between them. */
export function createTransactions(deps: TransactionsDeps): Pick<Store, "transaction" | "read"> {
	const { state, coldRows, commit, inTurn } = deps;
	const reader = createStateReader({ state, coldRows, beforeDisk: () => undefined });

	const assertRunning = (reason = commit.stopReason()) => {
		if (reason !== undefined) throw stopped(reason);
	};
	/** Encodes once, changes the state, and joins the frame that is gathering. */
	const join = (operations: readonly Operation[], durability: Durability): Promise<void> => {
		const json = encodeOperations(operations);
		const batch = commit.current();
		for (const operation of operations) {
			applyOperation(state, operation, batch.at);
			if (operation.kind !== "put" || !COLD_TABLES.has(operation.table)) continue;
			coldRows.remember(operation.table, operation.row, batch.done);
			batch.coldRange = widen(batch.coldRange, operation.row.id);
		}
		commit.add(json, durability);
		return batch.done;
	};
	const attempt = async <T>(
		work: (tx: StoreTransaction) => Promise<T>,
		durability: Durability,
	): Promise<Outcome<T>> => {
		assertRunning();
		const tx = new JournalTransaction({ state, reader });
		try {
			const value = await work(tx);
			const operations = tx.finish();
			assertRunning();
			const done = operations.length > 0 ? join(operations, durability) : undefined;
			return { value, done };
		} finally {
			tx.end();
		}
	};

	return {
		async transaction<T>(
			work: (tx: StoreTransaction) => Promise<T>,
			{ durability = "durable" }: TransactionOptions = {},
		): Promise<T> {
			const isDurable = durability === "durable";
			assertRunning(deps.stopReason());
			try {
				const { value, done } = await inTurn(() => attempt(work, durability));
				// An answer that rests on what others wrote must not be given before that is durable.
				if (isDurable) await (done ?? commit.settle());
				else if (commit.backlog() > MAX_BACKLOG) await done;
				return value;
			} catch (error) {
				if (isDurable && commit.stopReason() === undefined) await commit.settle();
				throw error;
			}
		},
		read: (work) =>
			new Promise((resolve, reject) => {
				void inTurn(() => isolated(work, { resolve, reject }));
			}),
	};

	/** Ends when the work ends, or when it goes to the disk: others need not wait for that. */
	function isolated<T>(
		work: (reader: StoreReader) => Promise<T>,
		{ resolve, reject }: { resolve: (value: T) => void; reject: (error: unknown) => void },
	): Promise<void> {
		return new Promise((release) => {
			const own = createStateReader({ state, coldRows, beforeDisk: release });
			const run = async () => resolve(await work(own));
			run().catch(reject).finally(release);
		});
	}
}

type Durability = "durable" | "deferred";

interface Outcome<T> {
	readonly value: T;
	/** Resolves when what was written is durable; undefined when nothing was written. */
	readonly done: Promise<void> | undefined;
}

const NEVER_NEGATIVE = /^(cust|held):/;

export interface TransactionDeps {
	readonly state: JournalState;
	readonly reader: StoreReader;
}

/**
 * Writes gather here, over a state that stays as it is until they commit; a class, because two of them live for every
 * paid call and closures for each would cost more than their work.
 */
export class JournalTransaction implements StoreTransaction {
	readonly #operations: Operation[] = [];
	readonly #deps: TransactionDeps;
	/** By table and id; null for a deleted row. */
	readonly #rows = new Map<TableName, Map<string, Row | null>>();
	readonly #balances = new Map<AccountName, Micros>();
	readonly #keys = new Set<string>();
	#refusal: Error | undefined;
	#isOver = false;

	constructor(deps: TransactionDeps) {
		this.#deps = deps;
	}

	/** What was done, in order. Throws when the ledger refused one of the postings, even if the refusal was caught. */
	finish(): readonly Operation[] {
		this.end();
		if (this.#refusal) throw this.#refusal;
		return this.#operations;
	}

	/** From now on it writes nothing. */
	end(): void {
		this.#isOver = true;
	}

	async get<T extends TableName>(table: T, id: string): Promise<Tables[T] | undefined> {
		const row = this.#rows.get(table)?.get(id);
		if (row === undefined) return this.#deps.reader.get(table, id);
		return (row ?? undefined) as Tables[T] | undefined;
	}

	async findBy<T extends TableName>(
		table: T,
		index: IndexOf<T>,
		value: string,
	): Promise<readonly Tables[T][]> {
		const committed = await this.#deps.reader.findBy(table, index, value);
		const changed = this.#rows.get(table);
		if (!changed) return committed;
		const field = index as string;
		const own = [...changed.values()].filter(
			(row) => row !== null && (row as unknown as Record<string, unknown>)[field] === value,
		) as unknown as Tables[T][];
		return [...committed.filter(({ id }) => !changed.has(id)), ...own];
	}

	async list<T extends TableName>(table: T): Promise<readonly Tables[T][]> {
		const rows = new Map<string, Tables[T]>(getHot(this.#deps.state, table).rows);
		for (const [id, row] of this.#rows.get(table) ?? []) {
			if (row === null) rows.delete(id);
			else rows.set(id, row as Tables[T]);
		}
		return sortById(rows.values());
	}

	async balance(account: AccountName): Promise<Micros> {
		return this.#balanceOf(account);
	}

	async balances(): Promise<ReadonlyMap<AccountName, Micros>> {
		return new Map([...this.#deps.state.balances, ...this.#balances]);
	}

	async put<T extends TableName>(table: T, row: Tables[T]): Promise<void> {
		this.#assertOpen();
		this.#operations.push({ kind: "put", table, row });
		this.#changedIn(table).set(row.id, row);
	}

	async delete<T extends TableName>(table: T, id: string): Promise<void> {
		this.#assertOpen();
		if (COLD_TABLES.has(table)) {
			throw new ServiceError("INTERNAL", `A row of "${table}" is written once and stays.`);
		}
		this.#operations.push({ kind: "delete", table, id });
		this.#changedIn(table).set(id, null);
	}

	async post(transaction: LedgerTransaction): Promise<void> {
		this.#assertOpen();
		const sums = sumByAccount(transaction);
		const refusal = this.#judge(transaction, sums);
		if (refusal) {
			this.#refusal ??= refusal;
			throw refusal;
		}
		for (const [account, amount] of sums)
			this.#balances.set(account, amount + this.#balanceOf(account));
		if (transaction.key !== undefined) this.#keys.add(transaction.key);
		this.#operations.push({ kind: "post", transaction });
	}

	#judge(
		{ id, key, entries }: LedgerTransaction,
		sums: ReadonlyMap<AccountName, Micros>,
	): LedgerRefusal | undefined {
		const { state } = this.#deps;
		let total = 0n;
		for (const amount of sums.values()) total += amount;
		if (total !== 0n || entries.length < 2) {
			const text = `The entries of "${id}" are ${entries.length} and sum to ${total}; at least two must sum to zero.`;
			return new LedgerRefusal("unbalanced", text);
		}
		if (key !== undefined && (this.#keys.has(key) || state.keys.has(key))) {
			return new LedgerRefusal("duplicate_key", `The ledger has "${key}" already.`);
		}
		for (const [account, amount] of sums) {
			if (!NEVER_NEGATIVE.test(account) || this.#balanceOf(account) + amount >= 0n) continue;
			return new LedgerRefusal("negative", `"${id}" would take ${account} below zero.`);
		}
		return undefined;
	}

	#balanceOf(account: AccountName): Micros {
		return this.#balances.get(account) ?? this.#deps.state.balances.get(account) ?? 0n;
	}

	#changedIn(table: TableName): Map<string, Row | null> {
		let rows = this.#rows.get(table);
		if (!rows) {
			rows = new Map();
			this.#rows.set(table, rows);
		}
		return rows;
	}

	#assertOpen(): void {
		if (!this.#isOver) return;
		throw new ServiceError("INTERNAL", "A transaction was used after it had ended.");
	}
}

function sumByAccount({ entries }: LedgerTransaction): Map<AccountName, Micros> {
	const sums = new Map<AccountName, Micros>();
	for (const { account, amountMicros } of entries) {
		sums.set(account, (sums.get(account) ?? 0n) + amountMicros);
	}
	return sums;
}

export interface StateReaderDeps {
	readonly state: JournalState;
	readonly coldRows: ColdRows;
	/** Called before the first look at the disk: others need not wait for it. */
	readonly beforeDisk: () => void;
}

/** Reads the state as it is now. */
export function createStateReader({ state, coldRows, beforeDisk }: StateReaderDeps): StoreReader {
	return {
		async get<T extends TableName>(table: T, id: string): Promise<Tables[T] | undefined> {
			if (!COLD_TABLES.has(table)) return getHot(state, table).rows.get(id);
			beforeDisk();
			return (await coldRows.find(table, id)) as Tables[T] | undefined;
		},
		async findBy(table, index, value) {
			const { rows, findBy } = getHot(state, table);
			return [...findBy(index, value)].flatMap((id) => rows.get(id) ?? []);
		},
		list: async (table) => sortById(getHot(state, table).rows.values()),
		balance: async (account) => state.balances.get(account) ?? 0n,
		balances: async (): Promise<ReadonlyMap<AccountName, Micros>> => new Map(state.balances),
	};
}

/** Throws INTERNAL for a cold table: its rows cannot be listed or searched. */
export function getHot<T extends TableName>(state: JournalState, table: T): HotTable<Tables[T]> {
	const found = state.tables.get(table);
	if (found) return found as HotTable<Row> as unknown as HotTable<Tables[T]>;
	throw new ServiceError("INTERNAL", `Rows of "${table}" can only be read one by one, by id.`);
}

export type IndexOf<T extends TableName> = (typeof TABLE_INDEXES)[T][number];

export function sortById<R extends { readonly id: string }>(rows: Iterable<R>): R[] {
	return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
}
