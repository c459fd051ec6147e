import { type Clock, type Random, systemRandom, unavailable } from "../../src/kernel/kernel.js";
import { type Store, type StoreHealth, stopped } from "../store.js";
import { createBooks, readEnd } from "./books.js";
import { type Claim, takeClaim } from "./claim.js";
import {
	type ConnectionPool,
	createConnectionPool,
	toRefusal,
	toStartError,
} from "./connection.js";
import { createDocuments } from "./documents.js";
import { migrate } from "./migrations.js";
import { assertNotMoving } from "./moving-mark.js";
import { createPostgresQueryLog } from "./query-log.js";
import { createTransactions } from "./transactions.js";

export interface PostgresStoreDeps {
	/** postgres://user:password@host:port/database?sslmode=verify-full */
	readonly url: string;
	readonly clock: Clock;
	/** The tables' schema, made when it is missing: lower-case letters, digits and "_". */
	readonly schema?: string;
	/** Connections at most. */
	readonly connections?: number;
	readonly random?: Random;
	/** One process at a time: refused while another has it, and what that needs to say when its claim is lost and taken again. */
	readonly exclusive?: { readonly onLost: (reason: string) => void; readonly onBack: () => void };
	/** Called when an idle connection breaks, and when the database refuses what would be refused again. */
	readonly onFailure?: (reason: string) => void;
	/** Called when rows of the query log were lost, at most once a second, with how many. */
	readonly onDroppedQueryRows?: (count: number) => void;
	/** Opens books that are on their way into the database or out of it; refused otherwise. */
	readonly isMoving?: boolean;
}

export interface PostgresStore extends Store {
	/** Given to the database when its tables were made; a data folder belongs to one. */
	readonly id: string;
	/** Whether a data folder belongs to it already. */
	readonly binding: { isBound(): Promise<boolean>; bind(): Promise<void> };
}

const LEAST_VERSION = 150_000;
const SCHEMA = /^[a-z][a-z0-9_]{0,40}$/;

/**
 * Opens the store in a PostgreSQL database and migrates its schema. Throws UNAVAILABLE, with a sentence that says what to do,
 * when there is none, when it may lose what it acknowledged, or when its schema is not one of this build.
 */
export async function openPostgresStore(deps: PostgresStoreDeps): Promise<PostgresStore> {
	const { url, clock, schema: name = "tollgraph", connections, onFailure } = deps;
	if (!SCHEMA.test(name)) {
		throw unavailable(
			`"${name}" cannot be the name of a schema; use up to 41 lower-case letters, digits and "_".`,
			{ retryable: false },
		);
	}
	// Quoted, because words of SQL may be names as well.
	const schema = `"${name}"`;
	const pool = createConnectionPool({
		url,
		clock,
		...(connections !== undefined && { connections }),
		...(onFailure && { onFailure }),
	});
	try {
		await assertDurable(pool);
		await migrate(pool, { schema, clock });
		return await openMigrated(pool, schema, deps);
	} catch (error) {
		await pool.end();
		throw toStartError(error);
	}
}

/** Settings of the server under which a commit that was acknowledged may be gone after a crash. */
const DURABLE = ["fsync", "full_page_writes", "synchronous_commit"] as const;

export async function assertDurable(pool: ConnectionPool): Promise<void> {
	const [row] = await pool.query(
		`SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding, ${DURABLE.map((setting) => `current_setting('${setting}') AS ${setting}`).join(", ")}`,
	);
	const refuse = (message: string) => unavailable(message, { retryable: false });
	if (Number(row?.["version"]) < LEAST_VERSION)
		throw refuse(
			`The database server is older than PostgreSQL 15 (${String(row?.["version"])}). Use a newer one.`,
		);
	if (row?.["encoding"] !== "UTF8")
		throw refuse(
			`The database is encoded in ${String(row?.["encoding"])}. Make one with ENCODING 'UTF8'.`,
		);
	const off = DURABLE.filter((setting) => row?.[setting] === "off");
	if (off.length === 0) return;
	throw refuse(
		`The database server has ${off.join(" and ")} off, and would lose payments that were acknowledged. Turn ${off.length > 1 ? "them" : "it"} on in postgresql.conf, or for the role.`,
	);
}

/** The id of the database, made when it is first opened. */
async function readId(pool: ConnectionPool, schema: string, random: Random): Promise<string> {
	const id = Buffer.from(random.bytes(16)).toString("hex");
	await pool.query(`INSERT INTO ${schema}.meta VALUES ('store_id', $1) ON CONFLICT DO NOTHING`, [
		id,
	]);
	const [row] = await pool.query(`SELECT value FROM ${schema}.meta WHERE name = 'store_id'`);
	return String(row?.["value"]);
}

function createBinding(pool: ConnectionPool, schema: string): PostgresStore["binding"] {
	return {
		async isBound() {
			return (await pool.query(`SELECT 1 FROM ${schema}.meta WHERE name = 'bound'`)).length > 0;
		},
		async bind() {
			await pool.query(`INSERT INTO ${schema}.meta VALUES ('bound', 'yes') ON CONFLICT DO NOTHING`);
		},
	};
}

type Books = ReturnType<typeof createBooks>;

/** What the database says in its own words is for the log; callers learn what it means to them. */
function withRefusals(books: Books, assertRunning: () => void): Books {
	const refused =
		<A extends readonly unknown[], T>(ask: (...given: A) => Promise<T>) =>
		async (...given: A): Promise<T> => {
			assertRunning();
			return ask(...given).catch((error: unknown) => {
				throw toRefusal(error);
			});
		};
	return {
		async *history() {
			assertRunning();
			try {
				yield* books.history();
			} catch (error) {
				throw toRefusal(error);
			}
		},
		statement: refused(books.statement),
		receipts: refused(books.receipts),
		verify: refused(books.verify),
		digest: refused(books.digest),
	};
}

/** In which state the store is, and since when. */
function createState(clock: Clock, claim: Pick<Claim, "lostBecause"> | undefined) {
	let since = clock.now();
	let isClosed = false;
	const change = () => {
		since = clock.now();
	};
	return {
		change,
		close() {
			isClosed = true;
			change();
		},
		since: () => since,
		stopReason: () => (isClosed ? "it is closed" : claim?.lostBecause()),
	};
}

/** The claim of a process that is to be alone, and the state that follows from it. */
async function openState(
	{ url, clock, random = systemRandom, exclusive }: PostgresStoreDeps,
	schema: string,
) {
	if (!exclusive)
		return { claimant: undefined, claim: undefined, state: createState(clock, undefined) };
	let onChange: () => void = () => undefined;
	const claimant = Buffer.from(random.bytes(16)).toString("hex");
	const claim = await takeClaim({
		...{ url, schema, clock, processId: claimant },
		onLost(reason) {
			onChange();
			exclusive.onLost(reason);
		},
		onBack() {
			onChange();
			exclusive.onBack();
		},
	});
	const state = createState(clock, claim);
	onChange = state.change;
	return { claimant, claim, state };
}

async function openMigrated(
	pool: ConnectionPool,
	schema: string,
	deps: PostgresStoreDeps,
): Promise<PostgresStore> {
	const { clock, random = systemRandom, onDroppedQueryRows: onDropped } = deps;
	const id = await readId(pool, schema, random);
	let sequence = await readEnd({ pool, schema });
	const { claimant, claim, state } = await openState(deps, schema);
	if (!deps.isMoving)
		await assertNotMoving(pool, schema).catch(async (error: unknown) => {
			await claim?.release();
			throw error;
		});
	const { stopReason } = state;
	let isIntact = true;
	let closing: Promise<void> | undefined;
	const assertRunning = () => {
		const reason = stopReason();
		if (reason !== undefined) throw stopped(reason);
	};
	const queryLog = createPostgresQueryLog({ pool, schema, clock, onDropped });
	const books = withRefusals(createBooks({ pool, schema }), assertRunning);
	return {
		id,
		binding: createBinding(pool, schema),
		...createTransactions({ pool, schema, clock, assertRunning, claimant }),
		...books,
		async verify(options) {
			try {
				const found = await books.verify(options);
				if (!options?.sinceLast) isIntact = true;
				return found;
			} catch (error) {
				const refusal = toRefusal(error);
				isIntact &&= isPassing(refusal);
				throw refusal;
			}
		},
		async digest(at) {
			sequence = await readEnd({ pool, schema });
			return books.digest(at);
		},
		backup: async () => {
			throw unavailable(
				"A database is backed up by its own means (pg_basebackup with archived WAL, or pg_dump); verify a restored copy with tollgraph ledger verify.",
				{ retryable: false },
			);
		},
		documents: createDocuments({ pool, schema, clock, assertRunning }),
		queryLog,
		health(): StoreHealth {
			const reason = stopReason();
			const status = reason === undefined ? "ok" : "stopped";
			const facts = { status, reason, since: state.since() } as const;
			return { kind: "postgres", ...facts, sequence, isChainIntact: isIntact };
		},
		close() {
			closing ??= (async () => {
				state.close();
				await queryLog.close();
				await claim?.release();
				await pool.end();
			})();
			return closing;
		},
	};
}

/** True for what says nothing of the rows themselves. */
function isPassing(refusal: unknown): boolean {
	return !(refusal instanceof Error && "retryable" in refusal && refusal.retryable === false);
}
