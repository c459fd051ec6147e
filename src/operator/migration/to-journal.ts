import { existsSync } from "node:fs";
import { join } from "node:path";
import {
	nodeFileSystem as fileSystem,
	type JournalStore,
	removeTexts,
	writeJournal,
} from "../../../store/journal/journal.js";
import type { DatabaseState, MovingBooks } from "../../../store/postgres/postgres.js";
import type { BooksDigest, StoreDigest } from "../../../store/store.js";
import { invalidArgument, toIsoTime, unavailable } from "../../kernel/kernel.js";
import { COMMAND_LINE, createAuditLog } from "../access/audit-log.js";
import { hasJournal } from "../data/data-folder.js";
import {
	builtJournalOf,
	type DatabaseMark,
	findDatabaseMark,
	removeBuiltJournal,
	removeDatabaseMark,
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
 * Writes the books of a database as a new journal of the data folder it belongs to, compares the two, and lets the folder serve from
 * the journal; the database is not served from again, and a journal that was there is kept beside. What was interrupted begins anew
 * when it is run once more. A move into the database that is not done is given up instead.
 */
export async function moveToJournal(
	request: MigrationRequest,
	ports: MigrationPorts,
): Promise<MigrationReport> {
	const { data, url, schema } = request;
	const { clock } = ports;
	const { describeDatabase, inspectDatabase } = await import("../../../store/postgres/postgres.js");
	const began = clock.monotonicMs();
	if (findDatabaseMark(data) === undefined && !hasJournal(data)) throw notOurs(data);
	const found = await withFolder(data, ports, async () => {
		const mark = findDatabaseMark(data);
		const state = await inspectDatabase({ url, schema, clock });
		assertSameDatabase(mark, { id: state.id, data });
		assertBooks(state, mark, data);
		if (state.kind === "coming") return giveUp(request, ports, state);
		if (mark === undefined) return assertMoved(request, ports, state);
		return moveBooks(request, ports, state);
	});
	return {
		to: "journal",
		data,
		database: describeDatabase(url, schema),
		...found,
		seconds: Math.round((clock.monotonicMs() - began) / 100) / 10,
	};
}

type Found = Pick<MigrationReport, "status" | "transactions" | "parts" | "kept">;

async function openBooks({ url, schema }: MigrationRequest, ports: MigrationPorts) {
	const { openMovingBooks } = await import("../../../store/postgres/postgres.js");
	const stops = createStops(ports);
	const { clock, random } = ports;
	const books = await openMovingBooks({ url, schema, clock, random, onLost: stops.onLost });
	return { books, stops };
}

async function withJournal<T>(
	folder: string,
	ports: MigrationPorts,
	work: (journal: JournalStore) => Promise<T>,
): Promise<T> {
	const journal = await openJournal(folder, ports);
	return work(journal).finally(() => journal.close());
}

/** Nothing was sold from the database: the journal is what it was. */
async function giveUp(
	request: MigrationRequest,
	ports: MigrationPorts,
	{ mark }: DatabaseState,
): Promise<Found> {
	const journal = join(request.data, "journal");
	const isOurs =
		mark !== undefined &&
		hasJournal(request.data) &&
		(await withJournal(journal, ports, (found) => isBeginningOf(found, mark.journal)));
	if (!isOurs) throw notOurs(request.data);
	if (request.isDryRun) return { status: "dry_run", ...NO_BOOKS };
	const { books } = await openBooks(request, ports);
	try {
		// First the folder: a database that is empty must not pass for its books.
		await removeDatabaseMark(request.data);
		await books.discard();
	} finally {
		await books.close();
	}
	return { status: "given_up", ...NO_BOOKS };
}

/** The folder serves from its journal; what is left to do is to forget texts. */
async function assertMoved(
	request: MigrationRequest,
	ports: MigrationPorts,
	state: DatabaseState,
): Promise<Found> {
	if (!(await isMoved(request, ports, state))) throw notOurs(request.data);
	if (!request.isDryRun) {
		const { books } = await openBooks(request, ports);
		await finish(request.data, books).finally(books.close);
	}
	return { status: "already", ...NO_BOOKS };
}

/** Whether the journal that the database was left for is in its place. */
async function isMoved(
	{ data }: MigrationRequest,
	ports: MigrationPorts,
	{ mark }: Pick<DatabaseState, "mark">,
): Promise<boolean> {
	if (mark?.state !== "left" || !hasJournal(data)) return false;
	const { journal: left } = mark;
	return withJournal(join(data, "journal"), ports, (found) => isBeginningOf(found, left));
}

async function moveBooks(
	request: MigrationRequest,
	ports: MigrationPorts,
	state: DatabaseState,
): Promise<Found> {
	const { books, stops } = await openBooks(request, ports);
	const { clock } = ports;
	try {
		if (await isMoved(request, ports, state)) {
			await finish(request.data, books);
			return { status: "moved", ...NO_BOOKS };
		}
		const now = clock.now();
		const options = { clock, now, ...stops.hooksOf("reading") };
		const expected = await readSoundBooks(books, options);
		if (request.isDryRun) return { status: "dry_run", ...describeBooks(expected) };
		const end = await books.source.end();
		const kept = await resumable(async () => {
			const built = await buildJournal({ request, ports, books, stops, expected, now });
			await books.leave(built, end);
			return putInPlace(request.data, clock.now());
		});
		await finish(request.data, books);
		return { status: "moved", ...describeBooks(expected), kept };
	} finally {
		await books.close();
	}
}

/** Builds the journal beside the place it is for, and compares it with the database; returns its digest. */
async function buildJournal({
	request,
	ports,
	books,
	stops,
	expected,
	now,
}: {
	readonly request: MigrationRequest;
	readonly ports: MigrationPorts;
	readonly books: MovingBooks;
	readonly stops: ReturnType<typeof createStops>;
	readonly expected: BooksDigest;
	readonly now: number;
}): Promise<StoreDigest> {
	const { clock } = ports;
	const folder = builtJournalOf(request.data);
	await removeBuiltJournal(request.data);
	const target = { fileSystem, clock, folder, now, ...stops.hooksOf("copying") };
	await writeJournal(books.source, target);
	return withJournal(folder, ports, async (journal) => {
		const source = { ...journal.parts, store: journal };
		await assertSameBooks({ original: books.source, copy: { store: journal, source } }, expected, {
			clock,
			now,
			...stops.hooksOf("checking"),
		});
		const audit = createAuditLog({ store: journal, clock });
		const change = { actor: COMMAND_LINE, command: "migrate", target: "books" };
		const moved = { transactions: expected.postings, at: toIsoTime(clock.now()) };
		await audit.note(change, JSON.stringify({ to: "journal", ...moved }));
		stops.assertWanted();
		const digest = await journal.digest();
		if (!digest) throw new Error("a journal has a digest of its end");
		return digest;
	});
}

const KEPT = "journal-left-";

/** Lets the folder serve from its journal. Texts of callers go where nothing makes them vanish any more: they are in that journal. */
async function finish(data: string, books: MovingBooks): Promise<void> {
	await removeDatabaseMark(data);
	const kept = (await fileSystem.list(data)).filter((name) => name.startsWith(KEPT));
	for (const name of kept) await removeTexts(fileSystem, join(data, name));
	await books.forgetTexts();
}

/** Returns where a journal is kept that was there. */
async function putInPlace(data: string, now: number): Promise<string | undefined> {
	const place = join(data, "journal");
	let kept: string | undefined;
	if ((await fileSystem.kindOf(place)) !== undefined) {
		kept = join(data, `${KEPT}${toIsoTime(now).replace(/[-:]|\.\d+/g, "")}`);
		await fileSystem.rename(place, kept);
	}
	await fileSystem.rename(builtJournalOf(data), place);
	await fileSystem.syncFolder(data);
	return kept;
}

function assertBooks({ kind }: DatabaseState, mark: DatabaseMark | undefined, data: string): void {
	if (kind === "empty") {
		throw invalidArgument(
			"The database holds no books that could be moved; name the one that they are in with --store-url and --store-schema.",
		);
	}
	if (kind === "used" && mark === undefined) throw notOurs(data);
	if (existsSync(join(data, "keys", "pepper"))) return;
	throw invalidArgument(
		`The keys of the books are not in "${join(data, "keys")}", where a journal needs them. Copy the folder there that the setting "keys" names, then run it again.`,
	);
}

function notOurs(data: string) {
	return unavailable(
		`The folder "${data}" and the books of this database do not belong together: its keys are those of other books. Name the data folder that was served with this database.`,
		{ retryable: false },
	);
}
