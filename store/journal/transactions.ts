import { type Micros, ServiceError } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	BufferedTransaction,
	COLD_TABLES,
	type CommittedState,
	type Operation,
	type Row,
	type SerialQueue,
	type Store,
	type StoreReader,
	type StoreTransaction,
	sortById,
	stopped,
	type TableName,
	type Tables,
	type TransactionOptions,
} from "../store.js";
import type { GroupCommit } from "./group-commit.js";
import type { ColdRows } from "./journal-reader.js";
import { encodeOperations } from "./operation.js";
import { widen } from "./segments.js";
import { applyOperation, type HotTable, type JournalState } from "./state.js";

/** Deferred transactions wait for the disk, too, once this many batches do. */
const MAX_BACKLOG = 16;

/** The two ways into the store: transactions one at a time, reads between them. */
export function createTransactions({
	state,
	coldRows,
	commit,
	inTurn,
	stopReason,
	processId,
}: {
	/** Of this process, the only one that works on the journal. */
	readonly processId: string;
	readonly state: JournalState;
	readonly coldRows: ColdRows;
	readonly commit: GroupCommit;
	readonly inTurn: SerialQueue;
	readonly stopReason: () => string | undefined;
}): Pick<Store, "transaction" | "read"> {
	const committed: CommittedState = {
		processId,
		...createStateReader({ state, coldRows, processId, beforeDisk: () => undefined }),
		standing: (_accounts, key) => ({
			balances: state.balances,
			isKeyUsed: key !== undefined && state.keys.has(key),
		}),
	};

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
			coldRows.remember(operation.table, operation.row, batch);
			batch.coldRange = widen(batch.coldRange, operation.row.id);
		}
		commit.add(json, durability);
		return batch.done;
	};
	const attempt = async <T>(
		work: (tx: StoreTransaction) => Promise<T>,
		durability: Durability,
	): Promise<{ readonly value: T; readonly done: Promise<void> | undefined }> => {
		assertRunning();
		const tx = new BufferedTransaction(committed);
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
			assertRunning(stopReason());
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
				// The turn ends with the work, or when it goes to the disk: others need not wait for that.
				const turn = (release: () => void) => {
					const own = createStateReader({ state, coldRows, processId, beforeDisk: release });
					const run = async () => resolve(await work(own));
					run().catch(reject).finally(release);
				};
				void inTurn(() => new Promise<void>(turn));
			}),
	};
}

type Durability = "durable" | "deferred";

function createStateReader({
	state,
	coldRows,
	processId,
	beforeDisk,
}: {
	readonly processId: string;
	readonly state: JournalState;
	readonly coldRows: ColdRows;
	/** Called before the disk is first read: other work need not wait for it. */
	readonly beforeDisk: () => void;
}): StoreReader {
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
		isAlive: async (id) => id === processId,
	};
}

/** Throws INTERNAL for a cold table: its rows cannot be listed or searched. */
function getHot<T extends TableName>(state: JournalState, table: T): HotTable<Tables[T]> {
	const found = state.tables.get(table);
	if (found) return found as HotTable<Row> as unknown as HotTable<Tables[T]>;
	throw new ServiceError("INTERNAL", `Rows of "${table}" can only be read one by one, by id.`);
}
