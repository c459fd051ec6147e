import { type Clock, type Random, unavailable } from "../../src/kernel/kernel.js";
import type { BooksSource, CopyHooks, StoreDigest } from "../store.js";
import { createPostgresParts } from "./books-parts.js";
import {
	type ConnectionPool,
	createConnectionPool,
	type Session,
	toRefusal,
	toStartError,
} from "./connection.js";
import { discardBooks, importBooks } from "./import-books.js";
import { DEFAULT_SCHEMA, hasBooks } from "./inspect-database.js";
import { takeMoveLock } from "./move-lock.js";
import {
	becomeMover,
	readMovingMark,
	refusalOf,
	removeMovingMark,
	writeMovingMark,
} from "./moving-mark.js";
import { openPostgresStore, type PostgresStore } from "./postgres-store.js";

interface MovingDeps {
	readonly url: string;
	readonly schema?: string | undefined;
	readonly clock: Clock;
	readonly random: Random;
	/** Called when the claim on the database is lost: what follows fails. */
	readonly onLost: (reason: string) => void;
}

export type MovingBooks = Awaited<ReturnType<typeof openMovingBooks>>;

/** Opens the books of a database to be copied, for this process alone; no other sells from it meanwhile. */
export async function openMovingBooks(deps: MovingDeps) {
	const { store, pool, schema, change, close } = await becomeAlone(deps);
	const places = { pool, schema };
	const source: BooksSource = { ...createPostgresParts(places), store };
	return {
		store,
		source,
		/** Marks the database as one that the journal is copied into. Throws where it has books that are not of this journal. */
		async begin(journal: StoreDigest, isPartOf: (earlier: StoreDigest) => Promise<boolean>) {
			const mark = await readMovingMark(pool, schema);
			if (mark?.state === "left") throw refusalOf(mark);
			if (mark && !(await isPartOf(mark.journal))) throw otherJournal();
			if (!mark && (await hasBooks(pool, schema))) throw notEmpty();
			await change((session) => writeMovingMark(session, schema, { state: "coming", journal }));
		},
		copy: (from: BooksSource, options: CopyHooks & { readonly now: number }) =>
			importBooks(places, from, options).catch(asRefusal),
		/** From now on the database serves. */
		arrive: () => change((session) => removeMovingMark(session, schema)),
		/** From now on the database serves no more: its books, up to this place of its ledger, are in a journal. */
		leave: (journal: StoreDigest, end: number) =>
			change(async (session) => {
				const [last] = await session.query(
					`SELECT coalesce(max(seq), 0)::text AS seq FROM ${schema}.ledger`,
				);
				if (Number(last?.["seq"]) !== end) throw changed();
				await writeMovingMark(session, schema, { state: "left", journal });
			}),
		/** Empties a database that no one sold from yet. */
		discard: () =>
			change(async (session) => {
				if ((await readMovingMark(session, schema))?.state !== "coming") throw notEmpty();
				await discardBooks({ session, schema });
				await removeMovingMark(session, schema);
			}),
		/** Removes the texts of callers from a database that was left: nothing makes them vanish there any more. */
		forgetTexts: () =>
			change(async (session) => {
				await session.query(`TRUNCATE ${schema}.documents, ${schema}.query_log`);
			}),
		close,
	};
}

function asRefusal(error: unknown): never {
	throw toRefusal(error);
}

/** Opens a database as the one process that moves its books, once no other works on it. */
async function becomeAlone({ url, schema: name, clock, random, onLost }: MovingDeps) {
	const store: PostgresStore = await openPostgresStore({
		...{ url, clock, random, onLost, isMoving: true },
		...(name !== undefined && { schema: name }),
	});
	const schema = `"${name ?? DEFAULT_SCHEMA}"`;
	const pool = createConnectionPool({ url, clock, connections: 2 });
	let release: () => Promise<void> = async () => undefined;
	const close = async () => {
		await store.close();
		await pool.end();
		await release();
	};
	const moverId = store.processes.ownId();
	const change = createChange({ pool, schema, moverId, ownId: store.processes.ownId });
	try {
		release = await takeMoveLock({ url, schema, clock, onLost });
		await change((session) => becomeMover(session, schema, moverId));
		const others = async () => (await store.processes.alive()).filter((id) => id !== moverId);
		await untilAlone({ clock, others });
	} catch (error) {
		await close();
		throw toStartError(error);
	}
	return { store, pool, schema, change, close };
}

/** Runs changes of what the database is unless this process was taken for ended. */
function createChange({
	pool,
	schema,
	moverId,
	ownId,
}: {
	readonly pool: ConnectionPool;
	readonly schema: string;
	readonly moverId: string;
	readonly ownId: () => string;
}) {
	return (work: (session: Session) => Promise<void>): Promise<void> =>
		pool
			.write(async (session) => {
				await session.query(`SELECT pg_advisory_xact_lock_shared(${schema}.lock_of($1))`, [
					`p|${moverId}`,
				]);
				const text = `SELECT 1 FROM ${schema}.processes WHERE id = $1`;
				const own = await session.query(text, [moverId]);
				if (own.length === 0 || ownId() !== moverId) throw takenOver();
				await work(session);
			})
			.catch(asRefusal);
}

/** A server that was killed counts until the database has not heard of it for so long. */
const SILENT_MS = 16_000;
const AGAIN_MS = 500;

/** Resolves once no other process works on the database. Throws UNAVAILABLE where one stays. */
async function untilAlone({
	clock,
	others,
}: {
	readonly clock: Clock;
	readonly others: () => Promise<readonly string[]>;
}): Promise<void> {
	const endMs = clock.monotonicMs() + SILENT_MS;
	while ((await others()).length > 0) {
		if (clock.monotonicMs() > endMs) {
			throw unavailable(
				"A server works on the books of this database. Stop all that do, and run the migration again.",
				{ retryable: false },
			);
		}
		await new Promise<void>((resolve) => {
			clock.after(AGAIN_MS, resolve);
		});
	}
}

function changed() {
	return unavailable(
		"The books of the database changed while they were copied. Stop what writes to them, and run the migration again.",
		{ retryable: false },
	);
}

function takenOver() {
	return unavailable(
		"The database has not heard of this process for a while and took it for ended. Run the migration again.",
		{ retryable: false },
	);
}

function otherJournal() {
	return unavailable(
		"A migration of another journal into this database was begun, or the journal was put back to an earlier moment since. Name an empty schema with --store-schema, or give that migration up with --to journal where it was begun.",
		{ retryable: false },
	);
}

function notEmpty() {
	return unavailable(
		"The database holds books of its own, and nothing is written over them. Name an empty schema with --store-schema, or another database.",
		{ retryable: false },
	);
}
