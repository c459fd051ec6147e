import { join } from "node:path";
import type { JournalStore } from "../../../store/journal/journal.js";
import type { DatabaseState, MovingBooks } from "../../../store/postgres/postgres.js";
import type { BooksDigest, BooksSource } from "../../../store/store.js";
import { invalidArgument, toIsoTime, unavailable } from "../../kernel/kernel.js";
import { COMMAND_LINE, createAuditLog } from "../access/audit-log.js";
import { hasJournal } from "../data/data-folder.js";
import {
	type DatabaseMark,
	findDatabaseMark,
	removeDatabaseMark,
	writeDatabaseMark,
} from "../data/database-mark.js";
import { assertSameBooks, readSoundBooks } from "./checked-books.js";
import {
	assertSameDatabase,
	createStops,
	describeBooks,
	isBeginningOf,
	type MigrationPorts,
	type MigrationReport,
	type MigrationRequest,
	NO_BOOKS,
	openJournal,
	resumable,
	withFolder,
} from "./migration.js";

/**
 * Copies the journal of a data folder into an empty database, compares the two, and binds the folder to the database; the journal
 * stays as it is and is not served from again. What was interrupted goes on when it is run once more. Throws INVALID_ARGUMENT and
 * UNAVAILABLE, with what to do, where there is nothing to move or no place for it.
 */
export async function moveToDatabase(
	request: MigrationRequest,
	ports: MigrationPorts,
): Promise<MigrationReport> {
	const { data, url, schema, isDryRun } = request;
	const { clock } = ports;
	// Loaded on demand: most folders have a journal.
	const { describeDatabase, inspectDatabase } = await import("../../../store/postgres/postgres.js");
	const began = clock.monotonicMs();
	const report = (found: Pick<MigrationReport, "status" | "transactions" | "parts">) => ({
		...found,
		to: "database" as const,
		data,
		database: describeDatabase(url, schema),
		seconds: Math.round((clock.monotonicMs() - began) / 100) / 10,
	});
	const inspect = async () => {
		const mark = findDatabaseMark(data);
		if (mark === undefined && !hasJournal(data)) throw nothingThere(data);
		const state = await inspectDatabase({ url, schema, clock });
		assertSameDatabase(mark, { id: state.id, data });
		if (mark && state.kind === "used") return "already";
		assertPlace(state, mark);
		return "to be moved";
	};
	// A server may use the folder with the database.
	if ((await inspect()) === "already") return report({ status: "already", ...NO_BOOKS });
	return withFolder(data, ports, async () => {
		if ((await inspect()) === "already") return report({ status: "already", ...NO_BOOKS });
		if (!hasJournal(data)) throw nothingThere(data);
		const journal = await openJournal(join(data, "journal"), ports);
		try {
			const stops = createStops(ports);
			const now = clock.now();
			const original = { ...journal.parts, store: journal };
			const expected = await readSoundBooks(
				{ store: journal, source: original },
				{ clock, now, ...stops.hooksOf("reading") },
			);
			if (!isDryRun) {
				const move = { journal, original, expected, now, request, ports, stops };
				await moveBooks({ ...move, place: describeDatabase(url, schema) });
			}
			return report({ status: isDryRun ? "dry_run" : "moved", ...describeBooks(expected) });
		} finally {
			await journal.close();
		}
	});
}

interface Move {
	readonly journal: JournalStore;
	readonly original: BooksSource;
	readonly expected: BooksDigest;
	readonly now: number;
	readonly request: MigrationRequest;
	readonly ports: MigrationPorts;
	readonly stops: ReturnType<typeof createStops>;
	/** Of the database, for people. */
	readonly place: string;
}

async function moveBooks(move: Move): Promise<void> {
	const { journal, original, now, request, stops, ports } = move;
	const { openMovingBooks } = await import("../../../store/postgres/postgres.js");
	const { clock, random } = ports;
	const { url, schema } = request;
	const books = await openMovingBooks({ url, schema, clock, random, onLost: stops.onLost });
	try {
		const head = await journal.digest();
		if (!head) throw new Error("a journal has a digest of its end");
		await books.begin(head, (earlier) => isBeginningOf(journal, earlier));
		await resumable(async () => {
			await books.copy(original, { now, ...stops.hooksOf("copying") });
			await check(move, books);
			await settle(move, books);
		});
	} finally {
		await books.close();
	}
}

/** A copy that is not the same is taken away, so that the next attempt begins anew. */
async function check(move: Move, books: MovingBooks): Promise<void> {
	const { original, expected, now, stops, ports, request } = move;
	const { clock } = ports;
	const options = { clock, now, ...stops.hooksOf("checking") };
	await assertSameBooks({ original, copy: books }, expected, options).catch(async (error) => {
		const mayPass = (error as { retryable?: boolean }).retryable === true;
		if (!mayPass) {
			// An earlier attempt may have come as far as to name the database in the folder.
			await removeDatabaseMark(request.data);
			await books.discard();
		}
		throw error;
	});
}

/** First the folder, then the database: in between neither of them serves. */
async function settle({ request, ports, place, expected, stops }: Move, books: MovingBooks) {
	const audit = createAuditLog({ store: books.store, clock: ports.clock });
	const change = { actor: COMMAND_LINE, command: "migrate", target: "books" };
	const moved = { to: place, transactions: expected.postings, at: toIsoTime(ports.clock.now()) };
	await audit.note(change, JSON.stringify(moved));
	stops.assertWanted();
	await writeDatabaseMark(request.data, { id: books.store.id, place });
	await books.arrive();
}

function assertPlace({ kind }: DatabaseState, mark: DatabaseMark | undefined): void {
	if (kind === "left") {
		throw unavailable(
			mark
				? "The books of this database are being moved back to the journal. Finish that with --to journal."
				: "The books of this database were moved back to a journal, and it keeps what it had then. Name an empty schema with --store-schema, or drop this one.",
			{ retryable: false },
		);
	}
	if (kind === "used") {
		throw unavailable(
			"The database holds books of its own, and nothing is written over them. Name an empty schema with --store-schema, or another database.",
			{ retryable: false },
		);
	}
	if (mark === undefined || kind === "coming") return;
	throw unavailable(
		"The database that the folder belongs to is empty: what was in it is lost. Restore it from a backup.",
		{ retryable: false },
	);
}

function nothingThere(data: string) {
	return invalidArgument(
		`The folder "${data}" has no journal that could be moved; name the data folder with --data.`,
	);
}
