import { type Clock, type Random, unavailable } from "../../src/kernel/kernel.js";
import type { BooksSource, CopyHooks, StoreDigest } from "../store.js";
import { createPostgresParts } from "./books-parts.js";
import {
	type ConnectionPool,
	createConnectionPool,
	type Session,
	toRefusal,
} from "./connection.js";
import { discardBooks, importBooks } from "./import-books.js";
import { DEFAULT_SCHEMA, hasBooks } from "./inspect-database.js";
import { readMovingMark, refusalOf, removeMovingMark, writeMovingMark } from "./moving-mark.js";
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
export async function openMovingBooks({ url, schema: name, clock, random, onLost }: MovingDeps) {
	const store: PostgresStore = await openPostgresStore({
		...{ url, clock, random, isMoving: true },
		...(name !== undefined && { schema: name }),
		exclusive: { onLost, onBack: () => undefined },
	});
	const schema = `"${name ?? DEFAULT_SCHEMA}"`;
	const pool = createConnectionPool({ url, clock, connections: 2 });
	const deps = { pool, schema };
	const asRefusal = (error: unknown) => {
		throw toRefusal(error);
	};
	const claimant = await readClaimant(pool, schema);
	/** Runs a change of what the database is unless another process has taken it over. */
	const change = (work: (session: Session) => Promise<void>) =>
		pool
			.write(async (session) => {
				await session.query(`SELECT pg_advisory_xact_lock(${schema}.lock_of('claimant'))`);
				if ((await readClaimant(session, schema)) !== claimant) throw takenOver();
				await work(session);
			})
			.catch(asRefusal);
	const source: BooksSource = { ...createPostgresParts(deps), store };
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
			importBooks(deps, from, options).catch(asRefusal),
		/** From now on the database serves. */
		arrive: () =>
			change(async (session) => {
				await removeMovingMark(session, schema);
				await session.query(
					`INSERT INTO ${schema}.meta VALUES ('bound', 'yes') ON CONFLICT DO NOTHING`,
				);
			}),
		/** From now on the database serves no more: its books, up to this place of its ledger, are in a journal. */
		leave: (journal: StoreDigest, end: number) =>
			change(async (session) => {
				// Those who write share the lock that is held here: none of them is under way.
				const [last] = await session.query(
					`SELECT coalesce(max(seq), 0)::text AS seq FROM ${schema}.ledger`,
				);
				if (Number(last?.["seq"]) !== end) throw takenOver();
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
		async close() {
			await store.close();
			await pool.end();
		},
	};
}

async function readClaimant(
	asked: Pick<ConnectionPool, "query"> | Session,
	schema: string,
): Promise<string> {
	const [row] = await asked.query(`SELECT value FROM ${schema}.meta WHERE name = 'claimant'`);
	return String(row?.["value"]);
}

function takenOver() {
	return unavailable(
		"Another process has taken the database over meanwhile. Stop it, and run the migration again.",
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
