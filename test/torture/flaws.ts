import type { Store, StoreTransaction } from "../../store/store-port.js";
import type { TableName } from "../../store/tables.js";

/** A fault put into the store on purpose: a simulation that never fails proves nothing until it finds these. */
interface Flaw {
	/** Where to look first. */
	readonly seed: number;
	readonly spoil: (store: Store) => Store;
	/** What the simulation should say. */
	readonly complaint: RegExp;
}

export const FLAWS: Readonly<Record<string, Flaw>> = {
	"captures are not durable": {
		seed: 1,
		spoil: (store) => ({
			...store,
			transaction: (work) => store.transaction(work, { durability: "deferred" }),
		}),
		complaint: /is lost|delivered on|bought nothing/,
	},
	"retry keys are forgotten": {
		seed: 1,
		spoil: (store) => forgetting(store, "idempotency"),
		complaint: /I10|was charged \d+ times/,
	},
	"reservations of payments are forgotten": {
		seed: 1,
		spoil: (store) => forgetting(store, "payments"),
		complaint: /is not at an end|bought two|settled and bought nothing/,
	},
};

/** The same store, in whose transactions no row of a table is ever found by its id. */
function forgetting(store: Store, forgotten: TableName): Store {
	return {
		...store,
		transaction: (work, options) =>
			store.transaction((tx) => work(blindTo(forgotten, tx)), options),
	};
}

function blindTo(forgotten: TableName, tx: StoreTransaction): StoreTransaction {
	return {
		processId: tx.processId,
		isAlive: (processId) => tx.isAlive(processId),
		get: async (table, id) => (table === forgotten ? undefined : tx.get(table, id)),
		findBy: (table, index, value) => tx.findBy(table, index, value),
		list: (table) => tx.list(table),
		balance: (account) => tx.balance(account),
		balances: () => tx.balances(),
		put: (table, row) => tx.put(table, row),
		delete: (table, id) => tx.delete(table, id),
		post: (transaction) => tx.post(transaction),
	};
}
