import { type Micros, ServiceError } from "../src/kernel/kernel.js";
import {
	type AccountName,
	type LedgerEntry,
	LedgerRefusal,
	type LedgerTransaction,
	type StoreReader,
	type StoreTransaction,
} from "./store-port.js";
import { COLD_TABLES, type TABLE_INDEXES, type TableName, type Tables } from "./tables.js";

export type Row = Tables[TableName];
export type IndexOf<T extends TableName> = (typeof TABLE_INDEXES)[T][number];

/** One change of one transaction; a transaction is a list of them. */
export type Operation =
	| { readonly kind: "put"; readonly table: TableName; readonly row: Row }
	| { readonly kind: "delete"; readonly table: TableName; readonly id: string }
	| { readonly kind: "post"; readonly transaction: LedgerTransaction };

/** What a posting is judged by. */
export interface Standing {
	readonly balances: ReadonlyMap<AccountName, Micros>;
	/** Whether its key was used within the window. */
	readonly isKeyUsed: boolean;
}

/** What has committed, as one transaction sees it. */
export interface CommittedState extends StoreReader {
	readonly processId: string;
	/** Balances of these accounts at least; those that are missing are nothing. */
	standing(accounts: readonly AccountName[], key: string | undefined): Standing | Promise<Standing>;
}

const NEVER_NEGATIVE = /^(cust|held):/;

/** Collects the writes of one transaction until its adapter commits them; a class, because closures cost more than their work. */
export class BufferedTransaction implements StoreTransaction {
	readonly #operations: Operation[] = [];
	readonly #committed: CommittedState;
	/** By table and id; null for a deleted row. */
	readonly #rows = new Map<TableName, Map<string, Row | null>>();
	/** What its own postings changed. */
	readonly #changes = new Map<AccountName, Micros>();
	readonly #keys = new Set<string>();
	#refusal: Error | undefined;
	#isOver = false;
	/** Postings that wait for what they are judged by. */
	#judging = 0;

	constructor(committed: CommittedState) {
		this.#committed = committed;
	}

	get processId(): string {
		return this.#committed.processId;
	}

	/** What was done, in order. Throws when the ledger refused one of the postings, even if the refusal was caught. */
	finish(): readonly Operation[] {
		this.end();
		if (this.#refusal) throw this.#refusal;
		if (this.#judging > 0)
			throw new ServiceError(
				"INTERNAL",
				"A posting was not awaited by the work of its transaction.",
			);
		return this.#operations;
	}

	/** From now on it writes nothing. */
	end(): void {
		this.#isOver = true;
	}

	async get<T extends TableName>(table: T, id: string): Promise<Tables[T] | undefined> {
		const row = this.#rows.get(table)?.get(id);
		if (row === undefined) return this.#committed.get(table, id);
		return (row ?? undefined) as Tables[T] | undefined;
	}

	async findBy<T extends TableName>(
		table: T,
		index: IndexOf<T>,
		value: string,
	): Promise<readonly Tables[T][]> {
		const committed = await this.#committed.findBy(table, index, value);
		const changed = this.#rows.get(table);
		if (!changed) return committed;
		const field = index as string;
		const own = [...changed.values()].filter(
			(row) => row !== null && (row as unknown as Record<string, unknown>)[field] === value,
		) as unknown as Tables[T][];
		return [...committed.filter(({ id }) => !changed.has(id)), ...own];
	}

	async list<T extends TableName>(table: T): Promise<readonly Tables[T][]> {
		const committed = await this.#committed.list(table);
		const changed = this.#rows.get(table);
		if (!changed) return committed;
		const rows = new Map(committed.map((row) => [row.id, row]));
		for (const [id, row] of changed) {
			if (row === null) rows.delete(id);
			else rows.set(id, row as Tables[T]);
		}
		return sortById(rows.values());
	}

	async balance(account: AccountName): Promise<Micros> {
		return (await this.#committed.balance(account)) + this.#changeOf(account);
	}

	async balances(): Promise<ReadonlyMap<AccountName, Micros>> {
		const balances = new Map(await this.#committed.balances());
		for (const [account, change] of this.#changes)
			balances.set(account, (balances.get(account) ?? 0n) + change);
		return balances;
	}

	isAlive(processId: string): Promise<boolean> {
		return this.#committed.isAlive(processId);
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
		const guarded = [...sums.keys()].filter((account) => NEVER_NEGATIVE.test(account));
		const asked = this.#committed.standing(guarded, transaction.key);
		// Without a pause where there is nothing to wait for: a posting that is not awaited counts, too.
		this.#judging += 1;
		const standing = asked instanceof Promise ? await asked : asked;
		this.#judging -= 1;
		this.#assertOpen();
		const { balances, isKeyUsed } = standing;
		const refusal = this.#judge(transaction, sums, { guarded, balances, isKeyUsed });
		if (refusal) {
			this.#refusal ??= refusal;
			throw refusal;
		}
		for (const [account, amount] of sums)
			this.#changes.set(account, amount + this.#changeOf(account));
		if (transaction.key !== undefined) this.#keys.add(transaction.key);
		this.#operations.push({ kind: "post", transaction });
	}

	#judge(
		{ id, key, entries }: LedgerTransaction,
		sums: ReadonlyMap<AccountName, Micros>,
		{ guarded, balances, isKeyUsed }: Standing & { readonly guarded: readonly AccountName[] },
	): LedgerRefusal | undefined {
		let total = 0n;
		for (const amount of sums.values()) total += amount;
		if (total !== 0n || entries.length < 2) {
			const text = `The entries of "${id}" are ${entries.length} and sum to ${total}; at least two must sum to zero.`;
			return new LedgerRefusal("unbalanced", text);
		}
		if (key !== undefined && (this.#keys.has(key) || isKeyUsed)) {
			return new LedgerRefusal("duplicate_key", `The ledger has "${key}" already.`);
		}
		for (const account of guarded) {
			const before = (balances.get(account) ?? 0n) + this.#changeOf(account);
			if (before + (sums.get(account) ?? 0n) >= 0n) continue;
			return new LedgerRefusal("negative", `"${id}" would take ${account} below zero.`);
		}
		return undefined;
	}

	#changeOf(account: AccountName): Micros {
		return this.#changes.get(account) ?? 0n;
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

export function addEntries(sums: Map<AccountName, Micros>, entries: readonly LedgerEntry[]): void {
	for (const { account, amountMicros } of entries) {
		sums.set(account, (sums.get(account) ?? 0n) + amountMicros);
	}
}

export function sortById<R extends { readonly id: string }>(rows: Iterable<R>): R[] {
	return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
}
