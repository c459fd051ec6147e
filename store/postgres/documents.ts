import type { Clock } from "../../src/kernel/kernel.js";
import {
	assertDocumentId,
	assertExpiry,
	type DocumentStore,
	type TransactionOptions,
} from "../store.js";
import { type ConnectionPool, toRefusal } from "./connection.js";

/** One row for each document; expired ones are not shown. Ids of another form throw INVALID_ARGUMENT. */
export function createDocuments({
	pool,
	schema,
	clock,
	assertRunning,
}: {
	readonly pool: ConnectionPool;
	readonly schema: string;
	readonly clock: Clock;
	readonly assertRunning: () => void;
}): DocumentStore {
	const query = async (text: string, values: readonly unknown[]) => {
		assertRunning();
		return pool.query(text, values).catch((error: unknown) => {
			throw toRefusal(error);
		});
	};
	const change = async (text: string, values: readonly unknown[], options?: TransactionOptions) => {
		if (options?.durability !== "deferred") return query(text, values);
		assertRunning();
		return pool
			.write((session) => session.query(text, values), { isDeferred: true })
			.catch((error: unknown) => {
				throw toRefusal(error);
			});
	};
	return {
		async put(id, text, expiresAt, options) {
			assertDocumentId(id);
			assertExpiry(expiresAt);
			await change(
				`INSERT INTO ${schema}.documents (id, body, expires_at_ms) VALUES ($1, $2, $3)
					ON CONFLICT (id) DO UPDATE SET body = excluded.body, expires_at_ms = excluded.expires_at_ms`,
				[id, Buffer.from(text, "utf8"), expiresAt],
				options,
			);
		},
		async get(id) {
			assertDocumentId(id);
			const text = `SELECT body FROM ${schema}.documents WHERE id = $1 AND expires_at_ms > $2`;
			const [row] = await query(text, [id, clock.now()]);
			return row && (row["body"] as Buffer).toString("utf8");
		},
		async delete(id, options) {
			assertDocumentId(id);
			await change(`DELETE FROM ${schema}.documents WHERE id = $1`, [id], options);
		},
		async sweep(now) {
			const text = `WITH gone AS (DELETE FROM ${schema}.documents WHERE expires_at_ms < $1 RETURNING 1)
				SELECT count(*)::integer AS count FROM gone`;
			const [row] = await query(text, [now]);
			return Number(row?.["count"] ?? 0);
		},
	};
}
