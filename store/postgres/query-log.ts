import { type Clock, toIsoDay } from "../../src/kernel/kernel.js";
import {
	createQueryBuffer,
	type DaySpan,
	type QueryLine,
	type QueryLog,
	type QueryLogRow,
} from "../store.js";
import type { ConnectionPool } from "./connection.js";
import { toKey } from "./text-keys.js";

const PART_ROWS = 500;
const PARTITION = /^query_log_(\d{4})(\d{2})(\d{2})$/;

/** Rows of one UTC day in a partition of its own, which is dropped whole. */
export function createPostgresQueryLog({
	pool,
	schema,
	clock,
	onDropped,
}: {
	readonly pool: ConnectionPool;
	/** The quoted name of the schema. */
	readonly schema: string;
	readonly clock: Clock;
	readonly onDropped?: ((count: number) => void) | undefined;
}) {
	const partitions = createPartitions(pool, schema);
	const write = async (day: string, lines: readonly QueryLine[]) => {
		await partitions.make(day);
		const inserting = pool.query(
			`INSERT INTO ${schema}.query_log (day, owner, body)
				SELECT $1::date, owner, body FROM unnest($2::text[], $3::text[]) AS l(owner, body)`,
			[day, lines.map(({ owner }) => toKey(owner)), lines.map(({ json }) => json)],
		);
		await inserting.catch((error: unknown) => {
			// Another process may have dropped it.
			partitions.forget(day);
			throw error;
		});
	};
	const buffer = createQueryBuffer({ clock, write, onDropped });
	const settled = () => buffer.afterAll(async () => undefined);

	const log: QueryLog = {
		append: buffer.append,
		dropBefore: (day) => buffer.withoutBefore(day, () => partitions.dropBefore(day)),
		async *read(owner) {
			await settled();
			yield* readRows({ pool, schema }, "owner = $3", [toKey(owner)]);
		},
		async *readDays({ from, to }: DaySpan) {
			await settled();
			const condition = "($3::date IS NULL OR day >= $3) AND ($4::date IS NULL OR day <= $4)";
			yield* readRows({ pool, schema }, condition, [from ?? null, to ?? null]);
		},
		async erase(owner) {
			await settled();
			const text = `WITH gone AS (DELETE FROM ${schema}.query_log WHERE owner = $1 RETURNING 1)
				SELECT count(*)::integer AS count FROM gone`;
			const [row] = await pool.query(text, [toKey(owner)]);
			const count = Number(row?.["count"] ?? 0);
			// A deleted row stays in its page until the page is cleaned.
			if (count > 0) await pool.query(`VACUUM ${schema}.query_log`);
			return count;
		},
	};
	return { ...log, close: buffer.close };
}

/** By day and then as they came, in small parts. */
async function* readRows(
	{ pool, schema }: { readonly pool: ConnectionPool; readonly schema: string },
	condition: string,
	values: readonly unknown[],
): AsyncGenerator<QueryLogRow> {
	let [day, n] = ["0001-01-01", "0"];
	for (;;) {
		const rows = await pool.query(
			`SELECT day::text AS of_day, n::text AS place, body FROM ${schema}.query_log
				WHERE (day, n) > ($1::date, $2::bigint) AND ${condition} ORDER BY day, n LIMIT ${PART_ROWS}`,
			[day, n, ...values],
		);
		for (const row of rows) {
			[day, n] = [String(row["of_day"]), String(row["place"])];
			yield JSON.parse(String(row["body"])) as QueryLogRow;
		}
		if (rows.length < PART_ROWS) return;
	}
}

function dayAfter(day: string): string {
	return toIsoDay(Date.parse(day) + 86_400_000);
}

/** The days' partitions, each made when its first row comes. */
export function createPartitions(pool: ConnectionPool, schema: string) {
	const made = new Set<string>();
	const nameOf = (day: string) => `query_log_${day.replaceAll("-", "")}`;
	return {
		forget: (day: string) => made.delete(day),
		async make(day: string): Promise<void> {
			if (made.has(day)) return;
			await pool.write(async (session) => {
				// Several processes may begin the same day at once.
				await session.query(`SELECT ${schema}.take_locks($1)`, [["query_log"]]);
				// The next day's as well: a dump that runs over midnight lets none be made.
				for (const one of [day, dayAfter(day)]) {
					await session.query(
						`CREATE TABLE IF NOT EXISTS ${schema}.${nameOf(one)} PARTITION OF ${schema}.query_log
							FOR VALUES FROM ('${one}') TO ('${one}'::date + 1)`,
					);
				}
			});
			made.add(day);
		},
		async dropBefore(day: string): Promise<number> {
			const rows = await pool.query(
				"SELECT c.relname AS name FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = $1::regclass",
				[`${schema}.query_log`],
			);
			const old = rows.flatMap(({ name }) => {
				const [, year, month, date] = PARTITION.exec(String(name)) ?? [];
				return year !== undefined && `${year}-${month}-${date}` < day ? String(name) : [];
			});
			let dropped = 0;
			for (const name of old) {
				const hadRows = await pool.write(async (session) => {
					const table = `${schema}.${name}`;
					const [row] = await session.query(`SELECT EXISTS (SELECT 1 FROM ${table}) AS is_so`);
					await session.query(`DROP TABLE ${table}`);
					return row?.["is_so"] === true;
				});
				if (hadRows) dropped += 1;
			}
			made.clear();
			return dropped;
		},
	};
}
