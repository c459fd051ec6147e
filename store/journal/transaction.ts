import { type Micros, ServiceError } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	COLD_TABLES,
	LedgerRefusal,
	type LedgerTransaction,
	type StoreReader,
	type StoreTransaction,
	type TableName,
	type Tables,
} from "../store.js";
import type { Operation, Row } from "./operation.js";
import type { JournalState } from "./state.js";
import { getHot, type IndexOf, sortById } from "./state-reader.js";

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
