import { type Clock, type Random, systemRandom, unavailable } from "../../src/kernel/kernel.js";
import { type GraphVersions, type Store, type StoreHealth, stopped } from "../store.js";
import { createBooks, readEnd } from "./books.js";
import { readRows } from "./books-parts.js";
import {
	type ConnectionPool,
	createConnectionPool,
	toRefusal,
	toStartError,
} from "./connection.js";
import { createDocuments } from "./documents.js";
import { createGraphVersions } from "./graph-versions.js";
import { join, type Membership, type MembershipHooks } from "./membership.js";
import { migrate } from "./migrations.js";
import { createPostgresQueryLog } from "./query-log.js";
import { assertHot } from "./reads.js";
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
	/** Called when this process may not write for a while, and when it may again. */
	readonly onLost?: MembershipHooks["onLost"];
	readonly onBack?: MembershipHooks["onBack"];
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
	/** Graphs, which every process on the database sells alike. */
	readonly graphs: GraphVersions;
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
		const schemaVersion = await migrate(pool, { schema, clock });
		return await openMigrated(pool, { schema, schemaVersion }, deps);
	} catch (error) {
		await pool.end();
		throw toStartError(error);
	}
}

/** Settings of the server under which a commit that was acknowledged may be gone after a crash. */
const DURABLE = ["fsync", "full_page_writes", "synchronous_commit"] as const;

export async function assertDurable(pool: ConnectionPool): Promise<void> {
	const [row] = await pool.query(
		`SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding, current_setting('default_transaction_isolation') AS isolation, ${DURABLE.map((setting) => `current_setting('${setting}') AS ${setting}`).join(", ")}`,
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
	if (row?.["isolation"] !== "read committed")
		throw refuse(
			`Transactions are "${String(row?.["isolation"])}" by default here. Set default_transaction_isolation to 'read committed' in postgresql.conf, or for the role.`,
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

type Books = ReturnType<typeof createBooks> & Pick<Store, "rows">;

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
	const refusedParts = async function* <T>(parts: () => AsyncIterable<T>): AsyncGenerator<T> {
		assertRunning();
		try {
			yield* parts();
		} catch (error) {
			throw toRefusal(error);
		}
	};
	return {
		history: () => refusedParts(books.history),
		rows: (table) => refusedParts(() => books.rows(table)),
		statement: refused(books.statement),
		receipts: refused(books.receipts),
		verify: refused(books.verify),
		digest: refused(books.digest),
	};
}

/** In which state the store is, and since when. */
async function openState(deps: PostgresStoreDeps, pool: ConnectionPool, schema: string) {
	const { url, clock, random = systemRandom, onLost, onBack } = deps;
	let since = clock.now();
	let isClosed = false;
	const change = () => {
		since = clock.now();
	};
	const hooks: MembershipHooks = {
		onLost(reason) {
			change();
			onLost?.(reason);
		},
		onBack() {
			change();
			onBack?.();
		},
	};
	const { isMoving } = deps;
	const membership = await join({ url, pool, schema, clock, random, hooks, isMoving });
	return {
		membership,
		close() {
			isClosed = true;
			change();
		},
		since: () => since,
		stopReason: () => (isClosed ? "it is closed" : membership.lostBecause()),
	};
}

async function openMigrated(
	pool: ConnectionPool,
	{ schema, schemaVersion }: { readonly schema: string; readonly schemaVersion: number },
	deps: PostgresStoreDeps,
): Promise<PostgresStore> {
	const { clock, random = systemRandom, onDroppedQueryRows: onDropped } = deps;
	const id = await readId(pool, schema, random);
	let sequence = await readEnd({ pool, schema });
	const state = await openState(deps, pool, schema);
	const { membership, stopReason } = state;
	let isIntact = true;
	let closing: Promise<void> | undefined;
	const assertRunning = () => {
		const reason = stopReason();
		if (reason !== undefined) throw stopped(reason);
	};
	const queryLog = createPostgresQueryLog({ pool, schema, clock, onDropped });
	const rows: Store["rows"] = (table) => {
		assertHot(table);
		return readRows({ pool, schema }, table);
	};
	const books = withRefusals({ ...createBooks({ pool, schema }), rows }, assertRunning);
	return {
		id,
		...createTransactions({ pool, schema, clock, assertRunning, ...ofProcess(membership) }),
		...books,
		graphs: createGraphVersions({ pool, schema, clock, assertRunning, url: deps.url }),
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
		processes: { isShared: true, ownId: membership.ownId, alive: membership.alive },
		documents: createDocuments({ pool, schema, clock, assertRunning }),
		queryLog,
		health(): StoreHealth {
			const reason = stopReason();
			const status = reason === undefined ? "ok" : "stopped";
			const facts = { status, reason, since: state.since(), schemaVersion } as const;
			return { kind: "postgres", ...facts, sequence, isChainIntact: isIntact };
		},
		close() {
			closing ??= (async () => {
				state.close();
				await queryLog.close();
				await membership.leave();
				await pool.end();
			})();
			return closing;
		},
	};
}

const ofProcess = ({ ownId, noteEnded }: Membership) => ({ ownId, onEnded: noteEnded });

/** True for what says nothing of the rows themselves. */
function isPassing(refusal: unknown): boolean {
	return !(refusal instanceof Error && "retryable" in refusal && refusal.retryable === false);
}
