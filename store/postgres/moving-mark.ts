import { type ServiceError, unavailable } from "../../src/kernel/kernel.js";
import type { StoreDigest } from "../store.js";
import type { ConnectionPool, Session } from "./connection.js";

/** Rows of `meta`: there while the books are on their way into the database and once they have left it, and who moves them. */
const MOVING = "moving";
const MOVER = "mover";

/** `coming`: a journal is being copied into it. `left`: its books are in a journal. */
export interface MovingMark {
	readonly state: "coming" | "left";
	/** The journal, at the end that it had then. */
	readonly journal: StoreDigest;
}

type Asked = Pick<ConnectionPool, "query"> | Session;

async function readMeta(asked: Asked, schema: string, name: string): Promise<string | undefined> {
	const [row] = await asked.query(`SELECT value FROM ${schema}.meta WHERE name = $1`, [name]);
	return row && String(row["value"]);
}

async function writeMeta(
	asked: Asked,
	schema: string,
	{ name, value }: Readonly<Record<"name" | "value", string>>,
): Promise<void> {
	await asked.query(
		`INSERT INTO ${schema}.meta VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
		[name, value],
	);
}

export async function readMovingMark(
	asked: Asked,
	schema: string,
): Promise<MovingMark | undefined> {
	const text = await readMeta(asked, schema, MOVING);
	return text === undefined ? undefined : (JSON.parse(text) as MovingMark);
}

export function writeMovingMark(asked: Asked, schema: string, mark: MovingMark): Promise<void> {
	return writeMeta(asked, schema, { name: MOVING, value: JSON.stringify(mark) });
}

export async function removeMovingMark(asked: Asked, schema: string): Promise<void> {
	await asked.query(`DELETE FROM ${schema}.meta WHERE name = $1`, [MOVING]);
}

/** Names this process as the one that moves the books, instead of an earlier one that is gone, and writes no more. */
export async function becomeMover(asked: Asked, schema: string, ownId: string): Promise<void> {
	const earlier = await readMeta(asked, schema, MOVER);
	if (earlier !== undefined && earlier !== ownId)
		await asked.query(`SELECT ${schema}.end_process($1)`, [earlier]);
	await writeMeta(asked, schema, { name: MOVER, value: ownId });
}

/** Throws UNAVAILABLE where the books are not whole yet, not these any more, or are being moved by a process that lives. */
export async function assertNotMoving(asked: Asked, schema: string): Promise<void> {
	const mark = await readMovingMark(asked, schema);
	if (mark) throw refusalOf(mark);
	const moved = await asked.query(
		`SELECT 1 FROM ${schema}.meta AS m JOIN ${schema}.processes AS p ON p.id = m.value WHERE m.name = $1`,
		[MOVER],
	);
	if (moved.length === 0) return;
	throw unavailable(
		"The books of this database are being moved by tollgraph migrate. Start again once it is done; one that was killed counts for some seconds yet.",
		{ retryable: false },
	);
}

export function refusalOf({ state }: MovingMark): ServiceError {
	const message =
		state === "coming"
			? "A migration into this database was begun and is not done; nothing is served from half of the books. Run tollgraph migrate once more with the same --data and --store-url, or stay with the journal: tollgraph migrate with --to journal."
			: "The books of this database were moved back to a journal, and what it holds is old. Start without store_url; to finish a move that was interrupted, run tollgraph migrate with --to journal once more.";
	return unavailable(message, { retryable: false });
}
