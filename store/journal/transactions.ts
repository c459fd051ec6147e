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
import { addEntries, applyOperation, type HotTable, type JournalState } from "./state.js";

/** Deferred transactions wait for the disk, too, once this many batches do. */
const MAX_BACKLOG = 16;

/** The two ways into the store: transactions one at a time, reads between them. */
export function createTransactions({
	state,
	coldRows,
	commit,
	inTurn,
	stopReason,
}: {
	readonly state: JournalState;
	readonly coldRows: ColdRows;
	readonly commit: GroupCommit;
	readonly inTurn: SerialQueue;
	readonly stopReason: () => string | undefined;
}): Pick<Store, "transaction" | "read"> {
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
			coldRows.remember(operation.table, operation.row, batch);
			batch.coldRange = widen(batch.coldRange, operation.row.id);
		}
		commit.add(json, durability);
		return batch.done;
	};
	const attempt = async <T>(
		work: (tx: StoreTransaction) => Promise<T>,
		durability: Durability,
	): Promise<{ readonly value: T; readonly done: Promise<void> | undefined }> => {
		assertRunning();
		const tx = new JournalTransaction(state, reader);
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
			assertRunning(stopReason());
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
				// The turn ends with the work, or when it goes to the disk: others need not wait for that.
				const turn = (release: () => void) => {
					const own = createStateReader({ state, coldRows, beforeDisk: release });
					const run = async () => resolve(await work(own));
					run().catch(reject).finally(release);
				};
				void inTurn(() => new Promise<void>(turn));
			}),
	};
}

type Durability = "durable" | "deferred";

const NEVER_NEGATIVE = /^(cust|held):/;

/** Collects writes until they commit; a class, because closures cost more than their work. */
class JournalTransaction implements StoreTransaction {
	readonly #operations: Operation[] = [];
	readonly #state: JournalState;
	readonly #reader: StoreReader;
	/** By table and id; null for a deleted row. */
	readonly #rows = new Map<TableName, Map<string, Row | null>>();
	readonly #balances = new Map<AccountName, Micros>();
	readonly #keys = new Set<string>();
	#refusal: Error | undefined;
	#isOver = false;

	constructor(state: JournalState, reader: StoreReader) {
		this.#state = state;
		this.#reader = reader;
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
		if (row === undefined) return this.#reader.get(table, id);
		return (row ?? undefined) as Tables[T] | undefined;
	}

	async findBy<T extends TableName>(
		table: T,
		index: IndexOf<T>,
		value: string,
	): Promise<readonly Tables[T][]> {
		const committed = await this.#reader.findBy(table, index, value);
		const changed = this.#rows.get(table);
		if (!changed) return committed;
		const field = index as string;
		const own = [...changed.values()].filter(
			(row) => row !== null && (row as unknown as Record<string, unknown>)[field] === value,
		) as unknown as Tables[T][];
		return [...committed.filter(({ id }) => !changed.has(id)), ...own];
	}

	async list<T extends TableName>(table: T): Promise<readonly Tables[T][]> {
		const rows = new Map<string, Tables[T]>(getHot(this.#state, table).rows);
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
		return new Map([...this.#state.balances, ...this.#balances]);
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
		const sums = new Map<AccountName, Micros>();
		addEntries(sums, transaction.entries);
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
		let total = 0n;
		for (const amount of sums.values()) total += amount;
		if (total !== 0n || entries.length < 2) {
			const text = `The entries of "${id}" are ${entries.length} and sum to ${total}; at least two must sum to zero.`;
			return new LedgerRefusal("unbalanced", text);
		}
		if (key !== undefined && (this.#keys.has(key) || this.#state.keys.has(key))) {
			return new LedgerRefusal("duplicate_key", `The ledger has "${key}" already.`);
		}
		for (const [account, amount] of sums) {
			if (!NEVER_NEGATIVE.test(account) || this.#balanceOf(account) + amount >= 0n) continue;
			return new LedgerRefusal("negative", `"${id}" would take ${account} below zero.`);
		}
		return undefined;
	}

	#balanceOf(account: AccountName): Micros {
		return this.#balances.get(account) ?? this.#state.balances.get(account) ?? 0n;
	}

	#changedIn(table: TableName): Map<string, Row | null> {
		const rows = this.#rows.get(table) ?? new Map();
		this.#rows.set(table, rows);
		return rows;
	}

	#assertOpen(): void {
		if (!this.#isOver) return;
		throw new ServiceError("INTERNAL", "A transaction was used after it had ended.");
	}
}

function createStateReader({
	state,
	coldRows,
	beforeDisk,
}: {
	readonly state: JournalState;
	readonly coldRows: ColdRows;
	/** Called before the disk is first read: other work need not wait for it. */
	readonly beforeDisk: () => void;
}): StoreReader {
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
function getHot<T extends TableName>(state: JournalState, table: T): HotTable<Tables[T]> {
	const found = state.tables.get(table);
	if (found) return found as HotTable<Row> as unknown as HotTable<Tables[T]>;
	throw new ServiceError("INTERNAL", `Rows of "${table}" can only be read one by one, by id.`);
}

export type IndexOf<T extends TableName> = (typeof TABLE_INDEXES)[T][number];

function sortById<R extends { readonly id: string }>(rows: Iterable<R>): R[] {
	return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
}
