import { createHash } from "node:crypto";
import { type Clock, unavailable } from "../../src/kernel/kernel.js";
import type { ConnectionPool, Session } from "./connection.js";
import { MIGRATIONS, type Migration } from "./schema.js";

/** A placeholder for the schema's name: what is hashed is the same wherever it is applied. */
const ANY_SCHEMA = "s";

/** Longer than a step over large tables takes. */
const STEP_MS = 3_600_000;

/**
 * Brings the schema to this version, each step in a transaction of its own, so that what one locks the next does not hold; what
 * was interrupted goes on. Returns the version. Throws UNAVAILABLE for one that is newer or altered.
 */
export async function migrate(
	pool: ConnectionPool,
	{
		schema,
		clock,
		migrations = MIGRATIONS,
	}: {
		/** The quoted name of the schema. */
		readonly schema: string;
		readonly clock: Clock;
		readonly migrations?: readonly Migration[];
	},
): Promise<number> {
	// One process migrates, the others wait and then find it done.
	const alone = async (session: Session) => {
		await session.query(
			`SELECT set_config('tollgraph.lock_timeout', current_setting('lock_timeout'), true), set_config('lock_timeout', '${STEP_MS}', true)`,
		);
		await session.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [schema], {
			timeoutMs: STEP_MS,
		});
		await session.query(
			"SELECT set_config('lock_timeout', current_setting('tollgraph.lock_timeout'), true)",
		);
	};
	const missing = await pool.write(async (session) => {
		await alone(session);
		// Making it takes a right on the database, which a role that owns the schema alone need not have.
		const [found] = await session.query("SELECT to_regnamespace($1) IS NOT NULL AS is_there", [
			schema,
		]);
		if (found?.["is_there"] !== true) await session.query(`CREATE SCHEMA ${schema}`);
		await session.query(
			`CREATE TABLE IF NOT EXISTS ${schema}.migrations (
				version integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_at timestamptz NOT NULL
			)`,
		);
		const applied = await readApplied(session, schema);
		assertKnown(applied, migrations);
		return migrations.filter(({ version }) => !applied.has(version));
	});
	for (const migration of missing) {
		await pool.write(async (session) => {
			await alone(session);
			if ((await readApplied(session, schema)).has(migration.version)) return;
			await session.query(migration.sql(schema), [], { timeoutMs: STEP_MS });
			await session.query(`INSERT INTO ${schema}.migrations VALUES ($1, $2, $3, $4)`, [
				migration.version,
				migration.name,
				hashOf(migration),
				new Date(clock.now()).toISOString(),
			]);
		});
	}
	return migrations.at(-1)?.version ?? 0;
}

/** Throws UNAVAILABLE for a schema that is newer than this build or altered; changes nothing. */
export async function assertKnownSchema(pool: ConnectionPool, schema: string): Promise<void> {
	assertKnown(await pool.read((session) => readApplied(session, schema)), MIGRATIONS);
}

async function readApplied(session: Session, schema: string): Promise<ReadonlyMap<number, string>> {
	const rows = await session.query(
		`SELECT version, sha256 FROM ${schema}.migrations ORDER BY version`,
	);
	return new Map(rows.map(({ version, sha256 }) => [Number(version), String(sha256)]));
}

function assertKnown(applied: ReadonlyMap<number, string>, migrations: readonly Migration[]): void {
	for (const [version, sha256] of applied) {
		const known = migrations.find((one) => one.version === version);
		if (!known) {
			throw unavailable(
				`The database is of version ${version} of the schema, and this build knows ${migrations.at(-1)?.version ?? 0}. Start the newer build again, or restore a backup of before.`,
				{ retryable: false },
			);
		}
		if (hashOf(known) === sha256) continue;
		throw unavailable(
			`Version ${version} of the schema in the database is not the one that this build would make. Start the build that made it, or restore a backup.`,
			{ retryable: false },
		);
	}
}

function hashOf({ sql }: Migration): string {
	return createHash("sha256").update(sql(ANY_SCHEMA)).digest("hex");
}
