import pg from "pg";
import { type Clock, unavailable } from "../../src/kernel/kernel.js";
import { messageOf } from "../store.js";

const CONNECT_MS = 5_000;
/** How long a process that was killed a moment ago may hold the lock yet, until the server has noticed. */
const PATIENCE_MS = 3_000;
const AGAIN_MS = 100;

/**
 * Takes the right to move the books of a database: a lock of a session of its own, which ends with its process. Returns the function
 * that releases it. Throws UNAVAILABLE while another process has it.
 */
export async function takeMoveLock({
	url,
	schema,
	clock,
	onLost,
}: {
	readonly url: string;
	/** The quoted name of the schema. */
	readonly schema: string;
	readonly clock: Clock;
	/** Called, with why, when the lock is gone before it was released. */
	readonly onLost: (reason: string) => void;
}): Promise<() => Promise<void>> {
	const client = new pg.Client({
		connectionString: url,
		connectionTimeoutMillis: CONNECT_MS,
		application_name: "tollgraph migrate",
		keepAlive: true,
	});
	let isOver = false;
	client.on("error", (error) => {
		if (!isOver) onLost(`the connection to the database is lost: ${messageOf(error)}`);
	});
	await client.connect();
	const release = async () => {
		isOver = true;
		await client.end().catch(() => undefined);
	};
	try {
		await client.query("SET idle_session_timeout = 0");
		const endMs = clock.monotonicMs() + PATIENCE_MS;
		while (!(await tryLock(client, schema))) {
			if (clock.monotonicMs() > endMs) throw taken();
			await new Promise<void>((resolve) => {
				clock.after(AGAIN_MS, resolve);
			});
		}
		return release;
	} catch (error) {
		await release();
		throw error;
	}
}

async function tryLock(client: pg.Client, schema: string): Promise<boolean> {
	const text = `SELECT pg_try_advisory_lock(${schema}.lock_of('move')) AS taken`;
	const { rows } = await client.query<{ taken: boolean }>(text);
	return rows[0]?.taken === true;
}

function taken() {
	return unavailable(
		"Another process moves the books of this database. Wait until it is done, or end it.",
		{ retryable: false },
	);
}
