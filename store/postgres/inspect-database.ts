import type { Clock } from "../../src/kernel/kernel.js";
import { type ConnectionPool, createConnectionPool, toStartError } from "./connection.js";
import { assertKnownSchema } from "./migrations.js";
import { type MovingMark, readMovingMark } from "./moving-mark.js";
import { assertDurable } from "./postgres-store.js";

/** A schema of a database, as it is found; nothing of it is changed. */
export interface DatabaseState {
	/** `empty`: no books, or no tables yet. `used`: books of a server. */
	readonly kind: "empty" | "used" | MovingMark["state"];
	/** Absent where there are no tables yet. */
	readonly id: string | undefined;
	readonly mark: MovingMark | undefined;
}

export const DEFAULT_SCHEMA = "tollgraph";

/** Throws UNAVAILABLE where the database cannot be reached, may lose what it acknowledged, or has a newer schema. */
export async function inspectDatabase({
	url,
	schema: name = DEFAULT_SCHEMA,
	clock,
}: {
	readonly url: string;
	readonly schema?: string | undefined;
	readonly clock: Clock;
}): Promise<DatabaseState> {
	const pool = createConnectionPool({ url, clock, connections: 1 });
	try {
		await assertDurable(pool);
		return await stateOf(pool, `"${name}"`);
	} catch (error) {
		throw toStartError(error);
	} finally {
		await pool.end();
	}
}

async function stateOf(pool: ConnectionPool, schema: string): Promise<DatabaseState> {
	const [tables] = await pool.query("SELECT to_regclass($1) IS NOT NULL AS are_there", [
		`${schema}.meta`,
	]);
	if (tables?.["are_there"] !== true) return { kind: "empty", id: undefined, mark: undefined };
	await assertKnownSchema(pool, schema);
	const [row] = await pool.query(`SELECT value FROM ${schema}.meta WHERE name = 'store_id'`);
	const id = row && String(row["value"]);
	const mark = await readMovingMark(pool, schema);
	if (mark) return { kind: mark.state, id, mark };
	return { kind: (await hasBooks(pool, schema)) ? "used" : "empty", id, mark };
}

/** Whether anything lies in it: the first start of a server leaves something. */
export async function hasBooks(
	asked: Pick<ConnectionPool, "query">,
	schema: string,
): Promise<boolean> {
	const [row] = await asked.query(
		`SELECT EXISTS (SELECT 1 FROM ${schema}.ledger)
			OR EXISTS (SELECT 1 FROM ${schema}.records) OR EXISTS (SELECT 1 FROM ${schema}.balances)
			OR EXISTS (SELECT 1 FROM ${schema}.documents) OR EXISTS (SELECT 1 FROM ${schema}.query_log) AS is_so`,
	);
	return row?.["is_so"] === true;
}

/** Where a database is, without who may enter it. */
export function describeDatabase(url: string, schema: string = DEFAULT_SCHEMA): string {
	const { hostname, host, pathname, searchParams } = new URL(url);
	const place = hostname === "" ? (searchParams.get("host") ?? "localhost") : host;
	return `${place}${pathname}, schema ${schema}`;
}
