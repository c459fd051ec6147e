import pg from "pg";
import { type Clock, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import { createSerialQueue, messageOf, stopped } from "../store.js";

/** A statement's answer, as far as the store reads it: rows by column name. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** One connection of the pool, for one transaction. */
export interface Session {
	/** `timeoutMs` where it may take longer than statements do. */
	query(
		text: string,
		values?: readonly unknown[],
		options?: { readonly timeoutMs?: number },
	): Promise<Rows>;
	/** The first statement that failed: the transaction is lost, whatever its work makes of the error. */
	failure(): Error | undefined;
}

export interface PoolOptions {
	readonly clock: Clock;
	/** postgres://user:password@host:port/database?sslmode=verify-full, as libpq reads it. */
	readonly url: string;
	/** Connections at most; a call that finds none waits `CONNECT_MS` and is refused. */
	readonly connections?: number;
	/** Called, with why, when an idle connection breaks, and when the database refuses what would be refused again. */
	readonly onFailure?: ((reason: string) => void) | undefined;
}

const READ_COMMITTED = "BEGIN ISOLATION LEVEL READ COMMITTED";
const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
/** How often, and at what distance, the end of a commit is looked up. */
const LOOKS = 30;
const LOOK_MS = 150;
/** How long a statement waits for another's lock; a circle of waiting ends after the server's `deadlock_timeout`, a second. */
const LOCK_MS = 15_000;
/** A process that stops answering within a transaction must not keep its locks. */
const IDLE_MS = 20_000;

export interface Commit {
	readonly text: string;
	readonly values: readonly unknown[];
	readonly askEnd: (session: Session) => Promise<Rows[number] | undefined>;
}

export type ConnectionPool = ReturnType<typeof createConnectionPool>;

/** Connections to one database. Settings are given with each transaction. */
export function createConnectionPool({ url, clock, connections = 16, onFailure }: PoolOptions) {
	const pool = openPool({ url, connections, onFailure });
	const report = (error: unknown) => {
		if (isPermanent(error)) onFailure?.(messageOf(error));
	};
	const connect = async () => {
		try {
			return await pool.connect();
		} catch (error) {
			throw unreachable(error);
		}
	};

	/** Runs `work` between BEGIN and COMMIT. Throws what it throws, after a rollback; CommitUnknown where the end is not known. */
	const within = async <T>(begin: string, work: (session: Session) => Promise<T>): Promise<T> => {
		const client = await connect();
		const { session, run } = createSession(client);
		let isWhole = false;
		try {
			await run(
				`${begin}; SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
			);
			const value = await work(session);
			const failure = session.failure();
			if (failure) throw failure;
			await run("COMMIT").catch((error: unknown) => {
				throw isFromServer(error) ? error : new CommitUnknown(error);
			});
			isWhole = true;
			return value;
		} catch (error) {
			const cause = session.failure() ?? error;
			// Behind a commit that is not answered nothing else is.
			const canRollBack = !(cause instanceof CommitUnknown);
			if (canRollBack && (isFromServer(cause) || !session.failure())) isWhole = await rollBack(run);
			report(cause);
			throw cause;
		} finally {
			// A connection whose transaction did not end goes, and the server ends it.
			client.release(!isWhole);
		}
	};

	const endOf = createEndOf(clock, (askEnd) => within(READ_COMMITTED, askEnd));

	return {
		/** One transaction in which each statement sees what had committed when it began. */
		write: <T>(work: (session: Session) => Promise<T>, { isDeferred = false } = {}) =>
			within(`${READ_COMMITTED}${isDeferred ? "; SET LOCAL synchronous_commit = off" : ""}`, work),
		/** One transaction that sees one moment and writes nothing. */
		read: <T>(work: (session: Session) => Promise<T>) =>
			within("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work),
		/** One statement outside of a transaction. */
		async query(text: string, values: readonly unknown[] = []): Promise<Rows> {
			try {
				return (await pool.query(text, [...values])).rows;
			} catch (error) {
				report(error);
				throw isFromServer(error) ? error : unreachable(error);
			}
		},
		/**
		 * One statement that is a transaction of its own; its first row. Where the connection breaks meanwhile, `askEnd` says what that
		 * row was, within a transaction of another one. Throws as `write` does.
		 */
		async commit({ askEnd, ...statement }: Commit): Promise<Rows[number] | undefined> {
			const { row, lost } = await runOnce(await connect(), statement, report);
			if (lost === undefined) return row;
			return endOf(lost, askEnd);
		},
		/** Whether it committed, where the connection broke meanwhile; its number says nothing: a crash gives it out again. */
		hasCommitted: async (error: unknown, askEnd: Commit["askEnd"]) =>
			error instanceof CommitUnknown && Boolean(await endOf(error, askEnd)),
		end: () => pool.end(),
	};
}

/** `lost` is why the end of the statement is not known, where it is not. */
async function runOnce(
	client: pg.PoolClient,
	{ text, values }: Pick<Commit, "text" | "values">,
	report: (error: unknown) => void,
): Promise<{ readonly row?: Rows[number]; readonly lost?: CommitUnknown }> {
	let lost: CommitUnknown | undefined;
	try {
		return { row: (await client.query(text, [...values])).rows[0] };
	} catch (error) {
		report(error);
		if (isRefusal(error)) throw error;
		lost = new CommitUnknown(error);
		return { lost };
	} finally {
		client.release(lost !== undefined);
	}
}

function openPool({ url, connections, onFailure }: Omit<PoolOptions, "clock">): pg.Pool {
	const pool = new pg.Pool({
		connectionString: url,
		max: connections,
		connectionTimeoutMillis: CONNECT_MS,
		application_name: "tollgraph",
		keepAlive: true,
		keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
		// A network that says nothing any more must not hold a connection for good.
		query_timeout: 2 * LOCK_MS,
		// What a process that ends has open must not keep it alive.
		allowExitOnIdle: true,
	});
	pool.on("error", (error) => onFailure?.(messageOf(error)));
	// One that breaks while it is used fails its statement; without a listener it would end the process as well.
	pool.on("connect", (client) => client.on("error", () => undefined));
	return pool;
}

/** How a transaction ended whose connection was lost. Throws UNAVAILABLE for what did not commit. */
function createEndOf(
	clock: Clock,
	within: (askEnd: Commit["askEnd"]) => Promise<Rows[number] | undefined>,
) {
	return async (lost: CommitUnknown, askEnd: Commit["askEnd"]): Promise<Rows[number]> => {
		const ended = await askAgain({ clock }, lost, () => within(askEnd));
		if (ended["failed"]) return ended;
		throw unreachable(lost);
	};
}

/** Asks until there is an answer. Throws `unknown` where there is none in time. */
async function askAgain<T>(
	{ clock }: { readonly clock: Clock },
	unknown: unknown,
	ask: () => Promise<T | undefined>,
): Promise<T> {
	for (let left = LOOKS; left > 0; left--) {
		const answer = await ask().catch(() => undefined);
		if (answer !== undefined) return answer;
		await new Promise<void>((resolve) => {
			clock.after(LOOK_MS, resolve);
		});
	}
	throw unknown;
}

function createSession(client: pg.PoolClient) {
	let failure: Error | undefined;
	const run: Session["query"] = async (text, values = [], { timeoutMs } = {}) => {
		const longer = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
		try {
			return (await client.query({ text, values: [...values], ...longer })).rows;
		} catch (error) {
			failure ??= error instanceof Error ? error : new Error(String(error));
			throw error;
		}
	};
	// Work may ask two things at once, and a connection answers one after the other.
	const inTurn = createSerialQueue();
	const session: Session = {
		query: (text, values, options) => inTurn(() => run(text, values, options)),
		failure: () => failure,
	};
	return { session, run: (text: string) => client.query(text) };
}

async function rollBack(run: (text: string) => Promise<unknown>): Promise<boolean> {
	return run("ROLLBACK").then(
		() => true,
		() => false,
	);
}

/** The connection broke while the database was asked to commit. */
class CommitUnknown extends Error {
	constructor(cause: unknown) {
		super("The connection was lost during a commit.", { cause });
		this.name = "CommitUnknown";
	}
}

/** The five characters of SQLSTATE, where the server answered at all. */
function codeOf(error: unknown): string | undefined {
	return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Classes of errors after which the session itself is gone or may not write: shut down, a standby, too many connections. */
const GONE = /^(08|53|57P|25006)/;

function isFromServer(error: unknown): boolean {
	const code = codeOf(error);
	return code !== undefined && !GONE.test(code);
}

/** True for what the server did not do, and said so, while the session goes on: the statement was taken back. */
export function isRefusal(error: unknown): boolean {
	return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

/** Serialization failure, deadlock, a unique or check constraint, a key that was used meanwhile: the work runs again and sees why. */
const AGAIN: ReadonlySet<string | undefined> = new Set([
	"40001",
	"40P01",
	"23505",
	"23514",
	"TG001",
]);

export function mayRunAgain(error: unknown): boolean {
	return AGAIN.has(codeOf(error));
}

/** For callers: what a failure of the database means to them, without its own words; the cause has those. */
export function toRefusal(error: unknown): unknown {
	if (error instanceof CommitUnknown) {
		return unavailable(
			"The connection to the database was lost while it committed. Whether the change was kept is unknown: send the request again with the same idempotency key.",
			{ retryable: true, cause: error },
		);
	}
	if (isOfEnded(error)) return stopped("this process was taken for ended", error);
	if (codeOf(error) === "25006") {
		return unavailable(
			"The database takes no writes (a standby, or set to read only). Nothing was changed; send the request again once it does.",
			{ retryable: true, cause: error },
		);
	}
	if (error instanceof pg.DatabaseError || isConnectionError(error)) return unreachable(error);
	return error;
}

/** Of a write by a process that the others took for ended. */
export function isOfEnded(error: unknown): boolean {
	return codeOf(error) === "TG002";
}

function isConnectionError(error: unknown): boolean {
	if (!(error instanceof Error) || error instanceof ServiceError) return false;
	const code = "code" in error ? String(error.code) : "";
	return (
		/^E[A-Z]+$/.test(code) ||
		/^(Connection terminated|Client has encountered|Query read timeout|timeout exceeded)/.test(
			error.message,
		)
	);
}

/** Data that cannot be, rights, statements and limits: the same again meets the same. */
const PERMANENT = /^(22|28|42|54)/;

function isPermanent(error: unknown): boolean {
	return PERMANENT.test(codeOf(error) ?? "");
}

/** Of what was not done. */
export function unreachable(cause: unknown): ServiceError {
	if (cause instanceof ServiceError) return cause;
	if (isPermanent(cause)) {
		return unavailable(
			"The database refused what was asked of it. Nothing was changed; the operator's log says why.",
			{ retryable: false, cause },
		);
	}
	return unavailable(
		"The database cannot be reached, or could not do what was asked of it. Nothing was changed; send the request again in a moment.",
		{ retryable: true, cause },
	);
}

/** For the operator whose start it is: in the database's own words. */
export function toStartError(error: unknown): unknown {
	const refusal = toRefusal(error);
	const cause = refusal instanceof Error ? refusal.cause : undefined;
	if (!(cause instanceof pg.DatabaseError) && !isConnectionError(cause)) return refusal;
	return unavailable(`The database could not be opened: ${messageOf(cause)}.`, {
		retryable: false,
		cause,
	});
}
