import { type BooksParts, reviveMoney, type TableName, type Tables } from "../store.js";
import { readEnd, readLedger, toCommitted } from "./books.js";
import type { ConnectionPool, Rows } from "./connection.js";
import { fromKey } from "./text-keys.js";

const PART_ROWS = 500;
/** Texts are larger than rows. */
const PART_DOCUMENTS = 50;

interface Deps {
	readonly pool: ConnectionPool;
	/** The quoted name of the schema. */
	readonly schema: string;
}

/** What the database holds beyond what the port shows. */
export function createPostgresParts(deps: Deps): BooksParts {
	return {
		async *commits() {
			for await (const { seq, at, body } of readLedger(deps, 0, await readEnd(deps)))
				yield { ...toCommitted(body), place: seq, at };
		},
		end: () => readEnd(deps),
		async *ledgerKeys() {
			for await (const [first, ...rest] of readKeys(deps)) {
				if (first) yield { hour: first.hour, keys: [first, ...rest].map(({ key }) => key) };
			}
		},
		async *documents(now) {
			const rows = readById(deps, {
				columns: "id, id AS place, body, expires_at_ms::text AS expires_at",
				from: "documents",
				condition: `expires_at_ms > ${Math.floor(now)}`,
				limit: PART_DOCUMENTS,
			});
			for await (const { id, body, expires_at } of rows) {
				const text = (body as Buffer).toString("utf8");
				yield { id: String(id), text, expiresAt: Number(expires_at) };
			}
		},
		receipts: () => readRows(deps, "receipts"),
	};
}

/** Of one table, in parts. */
export async function* readRows<T extends TableName>(
	deps: Deps,
	table: T,
): AsyncGenerator<Tables[T]> {
	const rows = readById(deps, {
		columns: "id AS place, body",
		from: "records",
		condition: `tbl = '${table}'`,
		limit: PART_ROWS,
	});
	for await (const { body } of rows) yield reviveMoney(JSON.parse(String(body))) as Tables[T];
}

/** Keys of one hour, a part at a time, the oldest hour first. */
async function* readKeys({ pool, schema }: Deps) {
	let [hour, key] = ["-1", ""];
	for (;;) {
		const rows: Rows = await pool.query(
			`SELECT hour::text AS hour, key FROM ${schema}.ledger_keys WHERE (hour, key) > ($1::bigint, $2)
				ORDER BY hour, key LIMIT ${PART_ROWS}`,
			[hour, key],
		);
		const found = rows.map((row) => ({ hour: Number(row["hour"]), key: String(row["key"]) }));
		for (const one of new Set(found.map((row) => row.hour))) {
			yield found
				.filter((row) => row.hour === one)
				.map((row) => ({ hour: one, key: fromKey(row.key) }));
		}
		const last = found.at(-1);
		if (!last || found.length < PART_ROWS) return;
		[hour, key] = [String(last.hour), last.key];
	}
}

/** Rows of a table by their ids, in parts; `columns` has the id as `place`. */
async function* readById(
	{ pool, schema }: Deps,
	{
		columns,
		from,
		condition,
		limit,
	}: Readonly<Record<"columns" | "from" | "condition", string>> & { readonly limit: number },
) {
	let place = "";
	for (;;) {
		const rows: Rows = await pool.query(
			`SELECT ${columns} FROM ${schema}.${from} WHERE ${condition} AND id > $1 ORDER BY id LIMIT ${limit}`,
			[place],
		);
		for (const row of rows) {
			place = String(row["place"]);
			yield row;
		}
		if (rows.length < limit) return;
	}
}
