import { type Clock, unavailable } from "../../src/kernel/kernel.js";
import { type Store, type StoreHealth, stopped } from "../store.js";
import { createBooks, readEnd } from "./books.js";
import { type ConnectionPool, createConnectionPool, toRefusal } from "./connection.js";
import { createDocuments } from "./documents.js";
import { migrate } from "./migrations.js";
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
	/** Called when a connection breaks. */
	readonly onBroken?: (reason: string) => void;
	/** Called when rows of the query log were lost, at most once a second, with how many. */
	readonly onDroppedQueryRows?: (count: number) => void;
}

const LEAST_VERSION = 150_000;
const SCHEMA = /^[a-z][a-z0-9_]{0,40}$/;

/**
 * Opens the store in a PostgreSQL database and migrates its schema. Throws UNAVAILABLE, with a sentence that says what to do,
 * when there is none, when it may lose what it acknowledged, or when its schema is not one of this build.
 */
export async function openPostgresStore(deps: PostgresStoreDeps): Promise<Store> {
	const { url, clock, schema: name = "tollgraph", connections, onBroken } = deps;
	if (!SCHEMA.test(name)) {
		throw unavailable(
			`"${name}" cannot be the name of a schema; use up to 41 lower-case letters, digits and "_".`,
			{ retryable: false },
		);
	}
	const pool = createConnectionPool({
		url,
		...(connections !== undefined && { connections }),
		...(onBroken && { onBroken }),
	});
	try {
		await assertDurable(pool);
		await migrate(pool, { schema: name, clock });
		return await openMigrated(pool, name, deps);
	} catch (error) {
		await pool.end();
		throw toRefusal(error);
	}
}

/** Settings of the server under which a commit that was acknowledged may be gone after a crash. */
const DURABLE = ["fsync", "full_page_writes", "synchronous_commit"] as const;

async function assertDurable(pool: ConnectionPool): Promise<void> {
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

async function openMigrated(
	pool: ConnectionPool,
	schema: string,
	deps: PostgresStoreDeps,
): Promise<Store> {
	const { clock, onDroppedQueryRows: onDropped } = deps;
	const since = clock.now();
	let closing: Promise<void> | undefined;
	let closedAt = since;
	let sequence = await readEnd({ pool, schema });
	let isIntact = true;
	const stopReason = () => (closing === undefined ? undefined : "it is closed");
	const assertRunning = () => {
		const reason = stopReason();
		if (reason !== undefined) throw stopped(reason);
	};
	const queryLog = createPostgresQueryLog({ pool, schema, clock, onDropped });
	const books = createBooks({ pool, schema });
	return {
		...createTransactions({ pool, schema, clock, stopReason }),
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
			const digest = await books.digest(at);
			sequence = Math.max(sequence, digest?.sequence ?? 0);
			return digest;
		},
		backup: async () => {
			throw unavailable(
				"A database is backed up by its own means (pg_basebackup with archived WAL, or pg_dump); verify a restored copy with `tollgraph ledger verify --store-url`.",
				{ retryable: false },
			);
		},
		documents: createDocuments({ pool, schema, clock, assertRunning }),
		queryLog,
		health(): StoreHealth {
			const reason = stopReason();
			const status = reason === undefined ? "ok" : "stopped";
			return {
				kind: "postgres",
				status,
				since: reason === undefined ? since : closedAt,
				reason,
				sequence,
				isChainIntact: isIntact,
			};
		},
		close() {
			closing ??= (async () => {
				closedAt = clock.now();
				await queryLog.close();
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
