import type { Micros } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	COLD_TABLES,
	type LedgerTransaction,
	TABLE_INDEXES,
	type TableName,
} from "../store.js";
import { createHotTable, type HotTable } from "./hot-table.js";
import { createKeyWindow, type KeyHour, type KeyWindow } from "./key-window.js";
import type { FrameBody, Operation, Row } from "./operation.js";

/** What the journal adds up to, and lowdb's data: as large as what is open or recent, not as what ever happened. */
export interface JournalState {
	/** Tables whose rows stay in memory. */
	readonly tables: ReadonlyMap<TableName, HotTable<Row>>;
	readonly balances: Map<AccountName, Micros>;
	readonly keys: KeyWindow;
	/** Ledger transactions since the beginning. */
	transactions: number;
}

/** A state at one moment, shallow copies that later changes do not touch. */
export interface StateCopy {
	readonly tables: readonly { readonly name: TableName; readonly rows: readonly Row[] }[];
	readonly balances: readonly (readonly [AccountName, Micros])[];
	readonly keys: readonly KeyHour[];
	readonly transactions: number;
}

const EMPTY: StateCopy = { tables: [], balances: [], keys: [], transactions: 0 };

export function createState(copy: StateCopy = EMPTY): JournalState {
	const names = Object.keys(TABLE_INDEXES) as TableName[];
	return {
		tables: new Map(
			names
				.filter((name) => !COLD_TABLES.has(name))
				.map((name) => [
					name,
					createHotTable<Row>(
						TABLE_INDEXES[name] as readonly (keyof Row & string)[],
						copy.tables.filter((table) => table.name === name).flatMap(({ rows }) => rows),
					),
				]),
		),
		balances: new Map(copy.balances),
		keys: createKeyWindow(copy.keys),
		transactions: copy.transactions,
	};
}

export function copyState(state: JournalState): StateCopy {
	return {
		tables: [...state.tables].map(([name, { rows }]) => ({ name, rows: [...rows.values()] })),
		balances: [...state.balances],
		keys: state.keys.capture(),
		transactions: state.transactions,
	};
}

/** What the postings alone add up to. */
export function copyTotals({
	balances,
	transactions,
}: JournalState): Pick<StateCopy, "balances" | "transactions"> {
	return { balances: [...balances], transactions };
}

/** Applies one committed change; cold rows leave no trace here. `at` is the time of the frame that holds it. */
export function applyOperation(state: JournalState, operation: Operation, at: number): void {
	switch (operation.kind) {
		case "put":
			state.tables.get(operation.table)?.put(operation.row);
			break;
		case "delete":
			state.tables.get(operation.table)?.delete(operation.id);
			break;
		case "post":
			applyPosting(state, operation.transaction, at);
			break;
	}
}

/** Applies a whole frame, for replay. */
export function applyBody(state: JournalState, { at, transactions }: FrameBody): void {
	for (const operations of transactions) {
		for (const operation of operations) applyOperation(state, operation, at);
	}
}

/** Entries in memory, everything counted: what must not grow with history. */
export function countEntries(state: JournalState): number {
	let count = state.balances.size + state.keys.size();
	for (const { rows } of state.tables.values()) count += rows.size;
	return count;
}

function applyPosting(state: JournalState, { key, entries }: LedgerTransaction, at: number): void {
	for (const { account, amountMicros } of entries) {
		state.balances.set(account, (state.balances.get(account) ?? 0n) + amountMicros);
	}
	if (key !== undefined) state.keys.add(key, at);
	state.transactions += 1;
}
