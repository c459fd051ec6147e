import {
	COLD_TABLES,
	type Store,
	type StoreReader,
	type StoreTransaction,
	type TransactionOptions,
} from "../store.js";
import type { ColdRows } from "./cold-rows.js";
import { stopped } from "./damage.js";
import type { GroupCommit } from "./group-commit.js";
import { encodeOperations, type Operation } from "./operation.js";
import { widen } from "./segment.js";
import type { SerialQueue } from "./serial-queue.js";
import { applyOperation, type JournalState } from "./state.js";
import { createStateReader } from "./state-reader.js";
import { JournalTransaction } from "./transaction.js";

export interface TransactionsDeps {
	readonly state: JournalState;
	readonly coldRows: ColdRows;
	readonly commit: GroupCommit;
	readonly inTurn: SerialQueue;
	/** Why no further transaction is taken; undefined while all is well. */
	readonly stopReason: () => string | undefined;
}

/** Deferred transactions wait for the disk, too, once this many batches do. */
const MAX_BACKLOG = 16;

/** The two ways into the store: transactions one at a time, reads between them. */
export function createTransactions(deps: TransactionsDeps): Pick<Store, "transaction" | "read"> {
	const { state, coldRows, commit, inTurn } = deps;
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
			coldRows.remember(operation.table, operation.row, batch.done);
			batch.coldRange = widen(batch.coldRange, operation.row.id);
		}
		commit.add(json, durability);
		return batch.done;
	};
	const attempt = async <T>(
		work: (tx: StoreTransaction) => Promise<T>,
		durability: Durability,
	): Promise<Outcome<T>> => {
		assertRunning();
		const tx = new JournalTransaction({ state, reader });
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
			assertRunning(deps.stopReason());
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
				void inTurn(() => isolated(work, { resolve, reject }));
			}),
	};

	/** Ends when the work ends, or when it goes to the disk: others need not wait for that. */
	function isolated<T>(
		work: (reader: StoreReader) => Promise<T>,
		{ resolve, reject }: { resolve: (value: T) => void; reject: (error: unknown) => void },
	): Promise<void> {
		return new Promise((release) => {
			const own = createStateReader({ state, coldRows, beforeDisk: release });
			const run = async () => resolve(await work(own));
			run().catch(reject).finally(release);
		});
	}
}

type Durability = "durable" | "deferred";

interface Outcome<T> {
	readonly value: T;
	/** Resolves when what was written is durable; undefined when nothing was written. */
	readonly done: Promise<void> | undefined;
}
