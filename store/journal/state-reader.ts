import { type Micros, ServiceError } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	COLD_TABLES,
	type StoreReader,
	type TABLE_INDEXES,
	type TableName,
	type Tables,
} from "../store.js";
import type { ColdRows } from "./cold-rows.js";
import type { HotTable } from "./hot-table.js";
import type { Row } from "./operation.js";
import type { JournalState } from "./state.js";

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
