import type { Store, StoreTransaction } from "../../../store/store.js";

/** Ends a rehearsal: everything it wrote is dropped. */
class RolledBack extends Error {}

/**
 * Runs `work` on a store that shows its own writes and commits none of them: all of it is one transaction, which fails at
 * the end. Others wait meanwhile, so it is for work on rows alone, which waits for no network and no files.
 */
export async function rehearseOn<T>(store: Store, work: (trial: Store) => Promise<T>): Promise<T> {
	const outcome: { value?: T } = {};
	try {
		await store.transaction(async (tx) => {
			outcome.value = await work(createTrial(store, tx));
			throw new RolledBack();
		});
	} catch (error) {
		if (!(error instanceof RolledBack)) throw error;
	}
	return outcome.value as T;
}

function createTrial(store: Store, tx: StoreTransaction): Store {
	const { documents, queryLog, processes } = store;
	return {
		transaction: (work) => work(tx),
		read: (work) => work(tx),
		async *rows(table) {
			yield* await tx.list(table);
		},
		history: () => store.history(),
		statement: (...asked) => store.statement(...asked),
		receipts: (...asked) => store.receipts(...asked),
		verify: (...asked) => store.verify(...asked),
		digest: (...asked) => store.digest(...asked),
		backup: (...asked) => store.backup(...asked),
		processes,
		documents: {
			get: (id) => documents.get(id),
			put: async () => undefined,
			delete: async () => undefined,
			sweep: async () => 0,
		},
		queryLog: {
			...queryLog,
			append: () => undefined,
			dropBefore: async () => 0,
			erase: async () => 0,
		},
		health: () => store.health(),
		close: async () => undefined,
	};
}
