import type { Store, StoreReader, StoreTransaction } from "../../store/store-port.js";
import { LedgerRefusal } from "../../store/store-port.js";
import type { TableName, Tables } from "../../store/tables.js";

type AnyRow = Tables[TableName];

/**
 * The store port in memory, for very many transactions: one at a time, and what one that fails has done is undone. It keeps
 * no history and no indexes.
 */
export function createQuickStore(
	onCommitted: (table: TableName, row: AnyRow) => void = () => undefined,
): Store {
	const tables = new Map<TableName, Map<string, AnyRow>>();
	const balances = new Map<string, bigint>();
	const texts = new Map<string, string>();
	const rowsOf = (table: TableName) => {
		const known = tables.get(table);
		if (known) return known;
		const made = new Map<string, AnyRow>();
		tables.set(table, made);
		return made;
	};
	const listed = (table: TableName) =>
		[...rowsOf(table).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
	const reader: StoreReader = {
		get: async (table, id) => rowsOf(table).get(id) as never,
		findBy: async (table, index, value) =>
			listed(table).filter((row) => row[index as keyof AnyRow] === value) as never,
		list: async (table) => listed(table) as never,
		balance: async (account) => balances.get(account) ?? 0n,
		balances: async () => balances,
		isAlive: async (id) => id === "proc_quick",
	};
	const writer = (
		undo: (() => void)[],
		written: (readonly [TableName, AnyRow])[],
	): StoreTransaction => {
		const set = (table: TableName, id: string, row: AnyRow | undefined) => {
			const rows = rowsOf(table);
			const before = rows.get(id);
			undo.push(() => (before ? rows.set(id, before) : rows.delete(id)));
			if (row) rows.set(id, row);
			else rows.delete(id);
		};
		return {
			...reader,
			processId: "proc_quick",
			async put(table, row) {
				set(table, row.id, row);
				written.push([table, row]);
			},
			delete: async (table, id) => set(table, id, undefined),
			async post({ entries }) {
				for (const { account, amountMicros } of entries) {
					const before = balances.get(account) ?? 0n;
					const after = before + amountMicros;
					if (after < 0n && /^(cust|held):/.test(account)) {
						throw new LedgerRefusal("negative", account);
					}
					undo.push(() => balances.set(account, before));
					balances.set(account, after);
				}
			},
		};
	};
	let last: Promise<unknown> = Promise.resolve();
	return {
		transaction(work) {
			const done = last.then(async () => {
				const undo: (() => void)[] = [];
				const written: (readonly [TableName, AnyRow])[] = [];
				try {
					const result = await work(writer(undo, written));
					for (const [table, row] of written) onCommitted(table, row);
					return result;
				} catch (error) {
					for (const step of undo.reverse()) step();
					throw error;
				}
			});
			last = done.catch(() => undefined);
			return done;
		},
		read: (work) => work(reader),
		processes: { isShared: false, ownId: () => "proc_quick", alive: async () => ["proc_quick"] },
		documents: {
			async put(id, text) {
				texts.set(id, text);
			},
			get: async (id) => texts.get(id),
			async delete(id) {
				texts.delete(id);
			},
			sweep: async () => 0,
		},
	} satisfies Partial<Store> as Partial<Store> as Store;
}
