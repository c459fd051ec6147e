import { createHash } from "node:crypto";
import { DamagedVersion } from "../store.js";
import { type ConnectionPool, type Rows, type Session, toRefusal } from "./connection.js";

export interface GraphTables {
	readonly pool: ConnectionPool;
	/** The quoted name of the schema. */
	readonly schema: string;
	/** Throws UNAVAILABLE once the store has stopped. */
	readonly assertRunning: () => void;
}

/** For callers: what the database says in its own words is in the cause. */
export async function refused<T>(work: Promise<T>): Promise<T> {
	return work.catch((error: unknown) => {
		throw toRefusal(error);
	});
}

/** One statement, or several that happen together. */
export function createAsking({ pool, assertRunning }: GraphTables) {
	return {
		async ask(text: string, values: readonly unknown[]): Promise<Rows> {
			assertRunning();
			return refused(pool.query(text, values));
		},
		async change<T>(work: (session: Session) => Promise<T>): Promise<T> {
			assertRunning();
			return refused(pool.write(work));
		},
	};
}

export type Asking = ReturnType<typeof createAsking>;

/** So much goes in one statement. */
const PART_BYTES = 4 * 1024 * 1024;

/** Writes a file in parts and returns its id; undefined where one of that name was written meanwhile. */
export async function writeFile(
	session: Session,
	schema: string,
	{ name, pieces }: { name?: string; pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array> },
): Promise<string | undefined> {
	const [row] = await session.query(
		`INSERT INTO ${schema}.graph_files (name, bytes, sha256) VALUES ($1, 0, '') ON CONFLICT (name) DO NOTHING RETURNING id`,
		[name ?? null],
	);
	if (!row) return undefined;
	const id = String(row["id"]);
	const hash = createHash("sha256");
	let [part, bytes] = [0, 0];
	for await (const body of inParts(pieces)) {
		hash.update(body);
		bytes += body.length;
		await session.query(`INSERT INTO ${schema}.graph_file_parts VALUES ($1, $2, $3)`, [
			id,
			part++,
			body,
		]);
	}
	await session.query(`UPDATE ${schema}.graph_files SET bytes = $2, sha256 = $3 WHERE id = $1`, [
		id,
		bytes,
		hash.digest(),
	]);
	return id;
}

async function* inParts(
	pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer> {
	let waiting: Uint8Array[] = [];
	let size = 0;
	for await (const piece of pieces) {
		for (let from = 0; from < piece.length; from += PART_BYTES) {
			const some = piece.subarray(from, from + PART_BYTES);
			waiting.push(some);
			size += some.length;
			if (size < PART_BYTES) continue;
			yield Buffer.concat(waiting);
			[waiting, size] = [[], 0];
		}
	}
	if (size > 0) yield Buffer.concat(waiting);
}

/** The bytes of the file that the condition names; undefined where there is none. Throws DamagedVersion. */
export async function readFile(
	pool: ConnectionPool,
	schema: string,
	{ where, value, what }: { where: string; value: unknown; what: string },
): Promise<Uint8Array | undefined> {
	// One moment for all parts: a file may be dropped meanwhile.
	return pool.read(async (session) => {
		const [file] = await session.query(
			`SELECT id, bytes, sha256 FROM ${schema}.graph_files WHERE ${where}`,
			[value],
		);
		if (!file) return undefined;
		const bodies: Buffer[] = [];
		for (let part = 0; ; part++) {
			const [row] = await session.query(
				`SELECT body FROM ${schema}.graph_file_parts WHERE file = $1 AND part = $2`,
				[file["id"], part],
			);
			if (!row) break;
			bodies.push(row["body"] as Buffer);
		}
		const bytes = Buffer.concat(bodies);
		const sha256 = createHash("sha256").update(bytes).digest();
		if (bytes.length !== Number(file["bytes"]) || !sha256.equals(file["sha256"] as Buffer)) {
			throw new DamagedVersion(what);
		}
		return bytes;
	});
}

/** Files that nothing names any more go with what named them; not those that someone is about to name. */
export async function dropUnnamed(session: Session, schema: string): Promise<void> {
	await session.query(
		`DELETE FROM ${schema}.graph_files WHERE id IN (
			SELECT id FROM ${schema}.graph_files AS f
				WHERE NOT EXISTS (SELECT 1 FROM ${schema}.graph_versions AS v WHERE v.archive = f.id)
				AND NOT EXISTS (SELECT 1 FROM ${schema}.graph_index_segments AS i WHERE i.file = f.id)
				FOR UPDATE SKIP LOCKED
		)`,
	);
}
