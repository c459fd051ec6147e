import type { Micros } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	addEntries,
	COLD_TABLES,
	LEDGER_KEY_WINDOW_MS,
	type LedgerTransaction,
	type Operation,
	type Row,
	TABLE_INDEXES,
	type TableName,
} from "../store.js";
import type { FrameBody } from "./operation.js";

/** What the journal adds up to, and lowdb's data: as large as what is open or recent. */
export interface JournalState {
	/** Tables whose rows stay in memory. */
	readonly tables: ReadonlyMap<TableName, HotTable<Row>>;
	readonly balances: Map<AccountName, Micros>;
	readonly keys: KeyWindow;
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

export function copyTotals({ balances, transactions }: JournalState) {
	return { balances: [...balances], transactions };
}

/** Applies one committed change; cold rows leave no trace here. `at` is the time of the frame that holds it. */
export function applyOperation(state: JournalState, operation: Operation, at: number): void {
	if (operation.kind === "post") applyPosting(state, operation.transaction, at);
	else if (operation.kind === "delete") state.tables.get(operation.table)?.delete(operation.id);
	else state.tables.get(operation.table)?.put(operation.row);
}

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
	addEntries(state.balances, entries);
	if (key !== undefined) state.keys.add(key, at);
	state.transactions += 1;
}

export type HotTable<Row extends { readonly id: string }> = ReturnType<typeof createHotTable<Row>>;

const NONE: ReadonlySet<string> = new Set();

/** Rows in memory by id, and by the fields they can be searched by. */
function createHotTable<Row extends { readonly id: string }>(
	indexes: readonly (keyof Row & string)[],
	initial: Iterable<Row>,
) {
	const rows = new Map<string, Row>();
	const idsByField = new Map(
		indexes.map((field) => [field as string, new Map<unknown, Set<string>>()]),
	);

	const unlink = (row: Row) => {
		for (const field of indexes) {
			const idsByValue = idsByField.get(field);
			const ids = idsByValue?.get(row[field]);
			ids?.delete(row.id);
			if (ids?.size === 0) idsByValue?.delete(row[field]);
		}
	};
	const link = (row: Row) => {
		for (const field of indexes) {
			// Rows that lack the field are never searched for.
			if (row[field] === undefined) continue;
			const idsByValue = idsByField.get(field);
			const ids = idsByValue?.get(row[field]);
			if (ids) ids.add(row.id);
			else idsByValue?.set(row[field], new Set([row.id]));
		}
	};
	const put = (row: Row) => {
		const earlier = rows.get(row.id);
		if (earlier) unlink(earlier);
		rows.set(row.id, row);
		link(row);
	};

	for (const row of initial) put(row);
	return {
		rows: rows as ReadonlyMap<string, Row>,
		put,
		delete(id: string): void {
			const row = rows.get(id);
			if (!row) return;
			unlink(row);
			rows.delete(id);
		},
		/** Ids of the rows whose field equals the value. */
		findBy: (index: string, value: unknown): ReadonlySet<string> =>
			idsByField.get(index)?.get(value) ?? NONE,
	};
}

const HOUR_MS = 3_600_000;
/** Hours dropped when a new one begins: more than come, so that what a pause left behind goes. */
const DROPPED_AT_ONCE = 2;

/** The keys that were added within one hour; append only. */
export interface KeyHour {
	readonly hour: number;
	readonly keys: readonly string[];
}

type KeyWindow = ReturnType<typeof createKeyWindow>;

/**
 * Keys of recent ledger transactions: kept at least `LEDGER_KEY_WINDOW_MS` by the clock, longer after a pause. Only a
 * commit drops them, the oldest few at a time: a clock that leaps ahead and comes back makes no recent key acceptable again.
 */
function createKeyWindow(kept: readonly KeyHour[] = []) {
	const known = new Set<string>();
	const hours: { readonly hour: number; readonly keys: string[] }[] = [];
	for (const { hour, keys } of kept) {
		hours.push({ hour, keys: [...keys] });
		for (const key of keys) known.add(key);
	}

	const dropSome = (at: number) => {
		const oldest = Math.floor((at - LEDGER_KEY_WINDOW_MS) / HOUR_MS);
		for (let count = 0; count < DROPPED_AT_ONCE; count++) {
			const [first] = hours;
			if (!first || first.hour >= oldest) return;
			for (const key of first.keys) known.delete(key);
			hours.shift();
		}
	};

	return {
		has: (key: string) => known.has(key),
		/** `at` is the time of the frame, so that a replay drops the same keys; an earlier time joins the newest hour. */
		add(key: string, at: number): void {
			const hour = Math.floor(at / HOUR_MS);
			let newest = hours.at(-1);
			if (!newest || hour > newest.hour) {
				dropSome(at);
				newest = { hour, keys: [] };
				hours.push(newest);
			}
			newest.keys.push(key);
			known.add(key);
		},
		size: () => known.size,
		/** What is kept, oldest first, as of now. */
		capture: (): readonly KeyHour[] =>
			hours.map(({ hour, keys }, index) => ({
				hour,
				// Only the newest hour still grows.
				keys: index === hours.length - 1 ? keys.slice() : keys,
			})),
	};
}
