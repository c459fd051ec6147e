import { join } from "node:path";
import {
	forgetInLeftJournal,
	nodeFileSystem,
	openJournalStore,
	takeFolderLock,
} from "../../store/journal/journal.js";
import type { PostgresStore } from "../../store/postgres/postgres.js";
import type { GraphVersions, Store } from "../../store/store.js";
import { type Clock, type Logger, type Random, unavailable } from "../kernel/kernel.js";
import {
	assertBooksKept,
	findDatabaseMark,
	hasJournal,
	removeBuiltJournal,
	wasInUse,
	writeDatabaseMark,
} from "../operator/operator.js";
import type { Settings } from "../settings/settings.js";

interface StoreOptions {
	readonly settings: Pick<Settings, "storeUrl" | "storeSchema" | "profile">;
	/** The data folder. */
	readonly folder: string;
	readonly clock: Clock;
	readonly random: Random;
	readonly logger: Logger;
	/** Opens a journal from whose end payments may be lost. */
	readonly acceptsLoss: boolean;
	/** Called when what had stopped the store is over. */
	readonly onResume: () => void;
}

export interface OpenedStore {
	readonly store: Store;
	/** What may be lost of a journal that was opened nevertheless. */
	readonly lostEnd: string | undefined;
	/** Graphs that all processes on the database sell alike. */
	readonly graphVersions?: GraphVersions;
}

/**
 * Opens the books of a data folder, in its journal or in the database that the settings name. It comes before all else there: its
 * lock keeps a second process away from keys and graphs as well.
 */
export function openStore(options: StoreOptions): Promise<OpenedStore> {
	return options.settings.storeUrl === undefined ? openInFolder(options) : openInDatabase(options);
}

async function openInFolder({
	folder,
	clock,
	logger,
	acceptsLoss,
	onResume,
}: StoreOptions): Promise<OpenedStore> {
	assertBooksHere(folder);
	assertBooksKept(folder);
	let lostEnd: string | undefined;
	const store = await openJournalStore({
		folder: join(folder, "journal"),
		clock,
		fileSystem: nodeFileSystem,
		acceptLoss: acceptsLoss
			? (problem) => {
					lostEnd = problem;
					logger.error("the end of the journal is lost; the start goes on", { problem });
				}
			: undefined,
		onStop: (reason) => logger.error("the store has stopped; nothing is sold", { reason }),
		onFull: (reason) => logger.error("nothing is sold until there is room", { reason }),
		onResume() {
			logger.info("there is room on the disk again, and everything is sold");
			onResume();
		},
		onDroppedQueryRows: (rows) => logger.error("rows of the query log were lost", { rows }),
	});
	try {
		// They may have been moved just before this process took the lock.
		assertBooksHere(folder);
	} catch (error) {
		await store.close();
		throw error;
	}
	return { store, lostEnd };
}

function assertBooksHere(folder: string): void {
	const mark = findDatabaseMark(folder);
	if (!mark) return;
	const place = mark.place === undefined ? "" : ` (${mark.place})`;
	throw unavailable(
		`The books of the folder "${folder}" are in a database${place}. Start with the store_url they are under (TOLLGRAPH_STORE_URL), or move them back: tollgraph migrate --data "${folder}" --store-url … --to journal.`,
		{ retryable: false },
	);
}

async function openInDatabase(options: StoreOptions): Promise<OpenedStore> {
	const { settings, folder, clock, random, logger, onResume } = options;
	const { storeUrl: url = "", storeSchema: schema } = settings;
	const isLeft = hasJournal(folder);
	if (isLeft && !findDatabaseMark(folder)) {
		throw unavailable(
			`The folder "${folder}" has books of its own in its journal, and a database holds others. Give --data a new folder, leave store_url out, or move the books: tollgraph migrate --help.`,
			{ retryable: false },
		);
	}
	const release = await takeFolderLock({ fileSystem: nodeFileSystem, clock, random, folder });
	// Loaded on demand: most folders have a journal.
	const { openPostgresStore } = await import("../../store/postgres/postgres.js");
	try {
		const store = await openPostgresStore({
			url,
			clock,
			random,
			...(schema !== undefined && { schema }),
			onLost: (reason) => logger.error("the store has stopped; nothing is sold", { reason }),
			onBack() {
				logger.info("the database is back, and everything is sold");
				onResume();
			},
			onFailure: (reason) => logger.error("the database failed", { reason }),
			onDroppedQueryRows: (rows) => logger.error("rows of the query log were lost", { rows }),
		});
		try {
			await bindDatabase(folder, store);
			await assertSameProfile(store, settings.profile);
			await removeBuiltJournal(folder);
		} catch (error) {
			await store.close();
			throw error;
		}
		const journal = { fileSystem: nodeFileSystem, clock, folder: join(folder, "journal") };
		const whole = isLeft ? await forgetInLeftJournal(store, journal) : store;
		const close = () => whole.close().finally(release);
		return { store: { ...whole, close }, lostEnd: undefined, graphVersions: store.graphs };
	} catch (error) {
		await release();
		throw error;
	}
}

/** Paper money and real money are never in the same books. */
async function assertSameProfile(store: Store, profile: Settings["profile"]): Promise<void> {
	const kept = await store.transaction(async (tx) => {
		const row = await tx.get("key_checks", "profile");
		if (row) return row.check;
		await tx.put("key_checks", { id: "profile", check: profile });
		return profile;
	});
	if (kept === profile) return;
	throw unavailable(
		`The books in the database are of the profile "${kept}", not of "${profile}". Start with --profile ${kept}, or give this one a schema or a database of its own.`,
		{ retryable: false },
	);
}

/** A folder works with the books of one database: what it keeps of graphs and indexes is of theirs. */
async function bindDatabase(folder: string, { id }: Pick<PostgresStore, "id">): Promise<void> {
	let mark = findDatabaseMark(folder);
	if (!mark) {
		if (wasInUse(folder)) {
			throw unavailable(
				`The folder "${folder}" has been in use with other books than those of the database. Give --data a new folder, or the one that it was started with before.`,
				{ retryable: false },
			);
		}
		mark = { id, place: undefined };
		await writeDatabaseMark(folder, mark);
	}
	if (mark.id !== id) {
		throw unavailable(
			`The folder "${folder}" belongs to the books of another database, whose tokens and keys it holds. Name that one in store_url, or give --data a new folder.`,
			{ retryable: false },
		);
	}
}
