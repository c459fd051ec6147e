import { type Clock, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import {
	BufferedTransaction,
	type Operation,
	type Store,
	type StoreReader,
	type StoreTransaction,
	type TransactionOptions,
} from "../store.js";
import { createBatchCommits } from "./batch-commits.js";
import {
	type ConnectionPool,
	isOfEnded,
	mayRunAgain,
	type Session,
	toRefusal,
} from "./connection.js";
import { createKnownRows, type KnownRows } from "./known-rows.js";
import { createLooks, type Look } from "./looks.js";
import { createReader, isAlive, lockedState } from "./reads.js";
import { createSeenState, type SeenState } from "./seen-state.js";
import { applyOperations, rowLocksOf } from "./writes.js";

/** How often work is begun again when others were faster; from the second time on it waits for all that it needs at once. */
const ATTEMPTS = 12;
const AGAIN: unique symbol = Symbol("again");

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
 * The two ways into the store. Work first runs on what it sees without locks, and commits with others if that still stands;
 * work that was overtaken runs again and locks what it reads and what it writes, rows, values of indexes and balances by their
 * names, until it ends. Whatever runs beside it, each sees what it would see alone. So it must have no effect but through its
 * transaction.
 */
export function createTransactions(deps: TransactionDeps): Pick<Store, "transaction" | "read"> {
	const { pool, schema, assertRunning, onEnded } = deps;
	const look = createLooks(deps);
	const known = createKnownRows(deps.clock);
	const isAliveNow = (id: string) => isAlive(pool, schema, id);
	const persist = createPersistence({ ...deps, look, known, isAlive: isAliveNow });
	return {
		async transaction(work, { durability = "durable" }: TransactionOptions = {}) {
			try {
				return await persist(work, durability === "deferred");
			} catch (error) {
				if (isOfEnded(error)) onEnded();
				throw toRefusal(error);
			}
		},
		async read(work) {
			assertRunning();
			try {
				const seen = createSeenState({ look, processId: deps.ownId(), isAlive: isAliveNow });
				const outcome = await readQuickly(work, seen);
				if (outcome !== AGAIN) return outcome.value;
				return await pool.read((session) => work(createReader(session, schema)));
			} catch (error) {
				throw toRefusal(error);
			}
		},
	};
}

/** Reads without a transaction, unless it takes more than one statement, which may be of several moments. */
async function readQuickly<T>(
	work: (reader: StoreReader) => Promise<T>,
	{ state, statements, failure, needsMore }: SeenState,
): Promise<{ readonly value: T } | typeof AGAIN> {
	try {
		const value = await work(state);
		return needsMore() || statements() > 1 ? AGAIN : { value };
	} catch (error) {
		if (failure() !== undefined) throw failure();
		if (needsMore() || statements() > 1) return AGAIN;
		throw error;
	}
}

type Work<T> = (tx: StoreTransaction) => Promise<T>;

interface PersistenceDeps extends TransactionDeps {
	readonly look: Look;
	readonly known: KnownRows;
	readonly isAlive: (processId: string) => Promise<boolean>;
}

/** Runs work until it is committed or refused: again, with locks, while others are faster. */
function createPersistence(deps: PersistenceDeps) {
	const [attemptQuickly, attemptLocked] = [createQuickAttempt(deps), createLockedAttempt(deps)];
	return async <T>(work: Work<T>, isDeferred: boolean): Promise<T> => {
		const quick = await attemptQuickly(work, isDeferred);
		if (quick !== AGAIN) return quick.value;
		// At first in the order in which the work asks, which is the same for all that do the same.
		const names = new Set<string>();
		let cause: unknown;
		for (let left = ATTEMPTS; left > 0; left--) {
			const outcome = attemptLocked(work, names, isDeferred);
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

/** On what is seen without locks; AGAIN, and then nothing was done, where that did not hold. Throws what the work throws only if it did. */
function createQuickAttempt(deps: PersistenceDeps) {
	const { ownId, assertRunning, look, known, isAlive } = deps;
	const submit = createBatchCommits(deps);
	return async <T>(work: Work<T>, isDeferred: boolean) => {
		assertRunning();
		const processId = ownId();
		const { state, ...looked } = createSeenState({ look, known, processId, isAlive });
		const tx = new BufferedTransaction(state);
		const outcome = await runOn(tx, work);
		if (looked.failure() !== undefined) throw looked.failure();
		if (looked.needsMore()) return AGAIN;
		const operations = "value" in outcome ? outcome.operations : [];
		// A refusal may rest on what was seen at several moments, as a value may.
		const end = await submit({ seen: looked.seen(), operations, isDeferred, processId });
		if (end === "outdated") return AGAIN;
		if ("value" in outcome) return { value: outcome.value };
		throw outcome.refusal;
	};
}

type Ran<T> =
	| { readonly value: T; readonly operations: readonly Operation[] }
	| { readonly refusal: unknown };

async function runOn<T>(tx: BufferedTransaction, work: Work<T>): Promise<Ran<T>> {
	try {
		const value = await work(tx);
		return { value, operations: tx.finish() };
	} catch (refusal) {
		return { refusal };
	} finally {
		tx.end();
	}
}

/** Once, locking what it reads and writes. A commit whose end was not seen is looked up. */
function createLockedAttempt(deps: PersistenceDeps) {
	const { pool, schema, clock, ownId, assertRunning, known } = deps;
	const settle = (session: Session) => session.query(`SELECT ${schema}.settle()`);
	const lanes = createFreeLanes();
	let marks = 0;
	return async <T>(work: Work<T>, names: Set<string>, isDeferred: boolean): Promise<T> => {
		assertRunning();
		// What it saw is judged as this process, whatever it is once it writes.
		const processId = ownId();
		let done: { readonly value: T } | undefined;
		const lane = lanes.take();
		const mark = [processId, lane, ++marks];
		const write = async (session: Session, operations: readonly Operation[]) => {
			for (const name of rowLocksOf(operations)) known.forget(name);
			await applyOperations({ session, schema, at: clock.now(), processId }, operations);
			await session.query(
				`INSERT INTO ${schema}.batch_marks VALUES ($1, $2, $3, '{}')
					ON CONFLICT (process, lane) DO UPDATE SET batch = excluded.batch, failed = excluded.failed`,
				mark,
			);
		};
		const askEnd = async (session: Session) => {
			const text = `SELECT failed FROM ${schema}.end_of_batch($1, $2, $3)`;
			return (await session.query(text, mark))[0];
		};
		const run = async (session: Session) => {
			if (names.size > 0) await session.query(`SELECT ${schema}.take_locks($1)`, [[...names]]);
			const tx = new BufferedTransaction(lockedState({ session, schema, names, processId }));
			try {
				const value = await work(tx);
				const operations = tx.finish();
				if (operations.length > 0) {
					await write(session, operations);
					done = { value };
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
			if (done && (await pool.hasCommitted(error, askEnd))) return done.value;
			// A refusal may rest on what others wrote, as an answer does.
			if (!isDeferred && isOwn(error)) await pool.write(settle);
			throw error;
		} finally {
			lanes.give(lane);
		}
	};
}

/** Behind those of batches. */
const FIRST_LANE = 100;

/** Numbers under which the ends of transactions are asked for, each of one at a time, so that the rows stay few. */
function createFreeLanes() {
	const free: number[] = [];
	let next = FIRST_LANE;
	return {
		take: (): number => free.pop() ?? next++,
		give: (lane: number): void => void free.push(lane),
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
