import { type Clock, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import {
	BufferedTransaction,
	type Store,
	type StoreTransaction,
	type TransactionOptions,
} from "../store.js";
import {
	type ConnectionPool,
	isOfEnded,
	mayRunAgain,
	type Session,
	toRefusal,
} from "./connection.js";
import { createReader, lockedState } from "./reads.js";
import { applyOperations } from "./writes.js";

/** How often work is begun again when others were faster; from the second time on it waits for all that it needs at once. */
const ATTEMPTS = 12;
const AGAIN = Symbol("again");

export interface TransactionDeps {
	readonly pool: ConnectionPool;
	/** The quoted name of the schema. */
	readonly schema: string;
	readonly clock: Clock;
	/** Throws UNAVAILABLE once the store has stopped. */
	readonly assertRunning: () => void;
	/** Id of this process, which every write is refused without. */
	readonly ownId: () => string;
	/** Called when a write was refused because this process was taken for ended. */
	readonly onEnded: () => void;
}

/**
 * The two ways into the store. Transactions lock what they read and what they write, rows, values of indexes and balances by
 * their names, until they end: whatever runs beside them, each sees what it would see alone (strict two-phase locking). Work
 * that met another's in a circle runs again, so it must have no effect but through its transaction.
 */
export function createTransactions(deps: TransactionDeps): Pick<Store, "transaction" | "read"> {
	const { pool, schema, assertRunning, onEnded } = deps;
	const settle = (session: Session) => session.query(`SELECT ${schema}.settle()`);
	const persist = createPersistence({ ...deps, settle });
	return {
		async transaction(work, { durability = "durable" }: TransactionOptions = {}) {
			const isDeferred = durability === "deferred";
			try {
				return await persist(work, isDeferred);
			} catch (error) {
				if (isOfEnded(error)) onEnded();
				// A refusal may rest on what others wrote, as an answer does.
				if (!isDeferred && isOwn(error))
					await pool.write(settle).catch((failure: unknown) => {
						throw toRefusal(failure);
					});
				throw toRefusal(error);
			}
		},
		async read(work) {
			assertRunning();
			try {
				return await pool.read((session) => work(createReader(session, schema)));
			} catch (error) {
				throw toRefusal(error);
			}
		},
	};
}

type Work<T> = (tx: StoreTransaction) => Promise<T>;

/** Runs work until it is committed or refused: again while others are faster, and a commit whose end was not seen is looked up. */
function createPersistence({
	pool,
	schema,
	clock,
	ownId,
	assertRunning,
	settle,
}: TransactionDeps & {
	readonly settle: (session: Session) => Promise<unknown>;
}) {
	const attempt = async <T>(work: Work<T>, names: Set<string>, isDeferred: boolean): Promise<T> => {
		assertRunning();
		// What it saw is judged as this process, whatever it is once it writes.
		const processId = ownId();
		let done: { readonly value: T; readonly xid: string } | undefined;
		const run = async (session: Session) => {
			if (names.size > 0) await session.query(`SELECT ${schema}.take_locks($1)`, [[...names]]);
			const tx = new BufferedTransaction(lockedState({ session, schema, names, processId }));
			try {
				const value = await work(tx);
				const operations = tx.finish();
				if (operations.length > 0) {
					const at = clock.now();
					const xid = await applyOperations({ session, schema, at, processId }, operations);
					done = { value, xid };
				}
				// An answer that rests on what others wrote must not be given before that is durable.
				else if (!isDeferred) await settle(session);
				return value;
			} finally {
				tx.end();
			}
		};
		try {
			return await pool.write(run, { isDeferred });
		} catch (error) {
			if (done && (await pool.hasCommitted(error, done.xid))) return done.value;
			throw error;
		}
	};

	return async <T>(work: Work<T>, isDeferred: boolean): Promise<T> => {
		const names = new Set<string>();
		let cause: unknown;
		for (let left = ATTEMPTS; left > 0; left--) {
			const outcome = attempt(work, names, isDeferred);
			const value = await outcome.catch((error: unknown) => {
				if (!mayRunAgain(error)) throw error;
				cause = error;
				return AGAIN;
			});
			if (value !== AGAIN) return value as T;
		}
		throw contended(cause);
	};
}

/** True for what the work threw, not the database. */
function isOwn(error: unknown): boolean {
	return (
		toRefusal(error) === error && !(error instanceof ServiceError && error.code === "UNAVAILABLE")
	);
}

function contended(cause: unknown): ServiceError {
	return unavailable(
		"Too many calls change the same things at this moment. Nothing was changed; send the request again in a moment.",
		{ retryable: true, cause },
	);
}
