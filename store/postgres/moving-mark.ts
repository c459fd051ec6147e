import { type ServiceError, unavailable } from "../../src/kernel/kernel.js";
import type { StoreDigest } from "../store.js";
import type { ConnectionPool, Session } from "./connection.js";

/** A row of `meta`, there while the books are on their way into the database and once they have left it. */
const NAME = "moving";

/** `coming`: a journal is being copied into it. `left`: its books are in a journal. */
export interface MovingMark {
	readonly state: "coming" | "left";
	/** The journal, at the end that it had then. */
	readonly journal: StoreDigest;
}

type Asked = Pick<ConnectionPool, "query"> | Session;

export async function readMovingMark(
	asked: Asked,
	schema: string,
): Promise<MovingMark | undefined> {
	const [row] = await asked.query(`SELECT value FROM ${schema}.meta WHERE name = $1`, [NAME]);
	return row && (JSON.parse(String(row["value"])) as MovingMark);
}

export async function writeMovingMark(
	session: Session,
	schema: string,
	mark: MovingMark,
): Promise<void> {
	await session.query(
		`INSERT INTO ${schema}.meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
		[NAME, JSON.stringify(mark)],
	);
}

export async function removeMovingMark(session: Session, schema: string): Promise<void> {
	await session.query(`DELETE FROM ${schema}.meta WHERE name = $1`, [NAME]);
}

/** Throws UNAVAILABLE where the books are not whole yet, or not these any more. */
export async function assertNotMoving(pool: ConnectionPool, schema: string): Promise<void> {
	const mark = await readMovingMark(pool, schema);
	if (mark) throw refusalOf(mark);
}

export function refusalOf({ state }: MovingMark): ServiceError {
	const message =
		state === "coming"
			? "A migration into this database was begun and is not done; nothing is served from half of the books. Run tollgraph migrate once more with the same --data and --store-url, or stay with the journal: tollgraph migrate with --to journal."
			: "The books of this database were moved back to a journal, and what it holds is old. Start without store_url; to finish a move that was interrupted, run tollgraph migrate with --to journal once more.";
	return unavailable(message, { retryable: false });
}
