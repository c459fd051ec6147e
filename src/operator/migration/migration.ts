import {
	nodeFileSystem,
	openJournalStore,
	takeFolderLock,
} from "../../../store/journal/journal.js";
import type { BooksDigest, CopyHooks, PartDigest, StoreDigest } from "../../../store/store.js";
import {
	type Clock,
	invalidArgument,
	type Random,
	ServiceError,
	unavailable,
} from "../../kernel/kernel.js";
import type { DatabaseMark } from "../data/database-mark.js";

/** Moves books between the journal of a data folder and a database (docs/adr/0074). */
export interface MigrationRequest {
	/** Absolute path of the data folder: keys and graphs stay there. */
	readonly data: string;
	/** postgres://user:password@host:port/database */
	readonly url: string;
	readonly schema?: string | undefined;
	/** Says what would be moved, and changes nothing. */
	readonly isDryRun: boolean;
}

export type MigrationStage = "reading" | "copying" | "checking";

export interface MigrationPorts {
	readonly clock: Clock;
	readonly random: Random;
	readonly onProgress?: (progress: {
		readonly stage: MigrationStage;
		readonly done: number;
		readonly total: number;
	}) => void;
	/** Ends the work at its next part. */
	readonly signal?: AbortSignal | undefined;
}

/** Shape of `tollgraph migrate --json`. */
export interface MigrationReport {
	/** `already`: they are there. `given_up`: a move into the database that was begun is undone. */
	readonly status: "moved" | "already" | "given_up" | "dry_run";
	readonly to: "database" | "journal";
	readonly data: string;
	/** Host, name and schema. */
	readonly database: string;
	/** Null where nothing was read. */
	readonly transactions: number | null;
	/** What was compared on both sides, by name. */
	readonly parts: Readonly<Record<string, PartDigest>>;
	/** Where a journal lies that was in the place of the new one. */
	readonly kept?: string | undefined;
	readonly seconds: number;
}

/** What a report says of books that were read. */
export function describeBooks({ parts, postings }: BooksDigest) {
	return { transactions: postings, parts: Object.fromEntries(parts) };
}

export const NO_BOOKS = { transactions: null, parts: {} } as const;

/** Runs work on a data folder that no server uses. */
export async function withFolder<T>(
	folder: string,
	{ clock, random }: Pick<MigrationPorts, "clock" | "random">,
	work: () => Promise<T>,
): Promise<T> {
	const release = await takeFolderLock({ fileSystem: nodeFileSystem, clock, random, folder });
	return work().finally(release);
}

export function openJournal(folder: string, { clock, random }: MigrationPorts) {
	return openJournalStore({ folder, clock, random, fileSystem: nodeFileSystem });
}

/** Whether an earlier state of a journal is the beginning of what it is now. */
export async function isBeginningOf(
	journal: { digest(at?: number): Promise<StoreDigest | undefined> },
	earlier: StoreDigest,
): Promise<boolean> {
	return (await journal.digest(earlier.sequence))?.sha256 === earlier.sha256;
}

/** What ends a migration between two of its parts: its caller, or the loss of the database. */
export function createStops({ signal, onProgress }: MigrationPorts) {
	let lost: string | undefined;
	const assertWanted = () => {
		if (signal?.aborted) throw unavailable(`The migration was stopped. ${GO_ON}`);
		if (lost !== undefined) throw unavailable(`The migration is not done (${lost}). ${GO_ON}`);
	};
	return {
		assertWanted,
		onLost(reason: string): void {
			lost ??= reason;
		},
		hooksOf: (stage: MigrationStage): CopyHooks => ({
			assertWanted,
			onProgress: (progress) => onProgress?.({ stage, ...progress }),
		}),
	};
}

const GO_ON =
	"Nothing is served from half of the books: they are where they were. Run the same command again to go on.";

/** What broke a copy that was begun, and how to go on. */
export async function resumable<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ServiceError) || !error.retryable || error.message.includes(GO_ON))
			throw error;
		const cause = error.cause instanceof Error ? error.cause.message : error.message;
		throw unavailable(`The migration is not done (${cause.replace(/\.$/, "")}). ${GO_ON}`, {
			cause: error,
		});
	}
}

/** Throws INVALID_ARGUMENT where a folder belongs to another database than the one that is named. */
export function assertSameDatabase(
	mark: DatabaseMark | undefined,
	{ id, data }: { readonly id: string | undefined; readonly data: string },
): void {
	if (mark === undefined || mark.id === id) return;
	const place = mark.place === undefined ? "" : ` (${mark.place})`;
	throw invalidArgument(
		`The books of the folder "${data}" are in another database${place}. Name that one in store_url, with its store_schema.`,
	);
}
