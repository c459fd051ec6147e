import type { Store, StoreTransaction, TableName, Tables } from "../../store/store.js";

/** Faults put into the store on purpose: a simulation that never fails proves nothing until it finds these. */
export const FLAWS = {
	/** Captures are acknowledged before they are on the disk. */
	capturesAreNotDurable: (store) => ({
		...store,
		transaction: (work) => store.transaction(work, { durability: "deferred" }),
	}),
	/** Retry keys are written and never found again. */
	retryKeysAreForgotten: (store) => forgetting(store, "idempotency"),
	/** Payments on a chain are reserved and never found again. */
	reservationsAreForgotten: (store) => forgetting(store, "payments"),
	/** Holds of an earlier process stay as they are. */
	holdsAreForgotten: (store) => listingNothing(store, "holds"),
} as const satisfies Record<string, (store: Store) => Store>;

function forgetting(store: Store, forgotten: TableName): Store {
	return changing(store, (tx) => ({
		...tx,
		get: async <T extends TableName>(table: T, id: string) =>
			table === forgotten ? undefined : tx.get(table, id),
	}));
}

function listingNothing(store: Store, hidden: TableName): Store {
	return changing(store, (tx) => ({
		...tx,
		list: async <T extends TableName>(table: T): Promise<readonly Tables[T][]> =>
			table === hidden ? [] : tx.list(table),
	}));
}

/** The same store, with transactions that see it otherwise. */
function changing(store: Store, change: (tx: StoreTransaction) => StoreTransaction): Store {
	return {
		...store,
		transaction: (work, options) => store.transaction((tx) => work(change(boundTo(tx))), options),
	};
}

/** A transaction's methods as plain functions, whatever they hang on. */
function boundTo(tx: StoreTransaction): StoreTransaction {
	return {
		get: (table, id) => tx.get(table, id),
		findBy: (table, index, value) => tx.findBy(table, index, value),
		list: (table) => tx.list(table),
		balance: (account) => tx.balance(account),
		balances: () => tx.balances(),
		put: (table, row) => tx.put(table, row),
		delete: (table, id) => tx.delete(table, id),
		post: (transaction) => tx.post(transaction),
	};
}
