import { join } from "node:path";
import { type Clock, type Random, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import { type BackupOptions, messageOf, type StoreBackup, type StoreHealth } from "../store.js";
import type { AuditTarget } from "./audit.js";
import { type BackupFolder, MANIFEST, openBackupFolder } from "./backup-folder.js";
import { buildBeside } from "./built-beside.js";
import type { JournalDocuments } from "./documents.js";
import { assertSpace } from "./file-copy.js";
import type { FileSystem } from "./file-system.js";
import type { ChainLink } from "./frame.js";
import { openHighWaterMark } from "./journal-log.js";
import { createJournalReader } from "./journal-reader.js";
import type { JournalQueryLog } from "./query-log.js";
import { type JournalHead, type SegmentFacts, segmentPath } from "./segments.js";

export const BACKUP_KIND = "tollgraph journal";
export const BACKUP_VERSION = 1;

/** The store at one moment: balances, and how far its segments reach. */
export interface Moment extends AuditTarget {
	readonly head: JournalHead;
}

export interface BackupSource {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly random: Random;
	readonly folders: Record<"segments" | "documents" | "queries", string>;
	/** Waits for what is under way to be durable, and for nothing else. */
	readonly look: () => Promise<Moment>;
	readonly queryLog: Pick<JournalQueryLog, "segments">;
	readonly documents: Pick<JournalDocuments, "ids" | "open">;
	readonly health: () => StoreHealth;
	/** Throws once the store is being closed. */
	readonly assertOpen: () => void;
}

/**
 * Copies what is durable at one moment while transactions go on: whole segments, the newest up to
 * its last frame, a mark that makes a restored folder refuse when a byte is missing, and documents
 * and query text as they are when they are copied. Each frame is read back from the copy. Throws,
 * and leaves the place as it was, unless all is on the disk.
 */
export async function backUp(
	source: BackupSource,
	folder: string,
	options: BackupOptions = {},
): Promise<StoreBackup> {
	return buildBeside(source, folder, (beside) => fill(source, beside, options));
}

async function fill(
	source: BackupSource,
	folder: string,
	options: BackupOptions,
): Promise<StoreBackup> {
	const { fileSystem, clock } = source;
	try {
		const target = await openBackupFolder(fileSystem, folder, { onPart: source.assertOpen });
		const moment = await source.look();
		const createdAt = clock.now();
		await copyAll(source, { folder, target, moment, createdAt, ...options });
		const { sequence, crc } = moment.head;
		const { transactions } = moment.state;
		source.assertOpen();
		const facts = { kind: BACKUP_KIND, version: BACKUP_VERSION, sequence, crc, transactions };
		const created_at = new Date(createdAt).toISOString();
		const totals = await target.finish({ ...facts, created_at });
		return { sequence, transactions, createdAt, manifest: MANIFEST, ...totals };
	} catch (error) {
		if (error instanceof ServiceError) throw error;
		throw unavailable(
			`The backup was not made (${messageOf(error)}). ${whatNow(source.health())}`,
			{ cause: error },
		);
	}
}

/** A disk that is full stops the store as well when it is the store's own. */
function whatNow({ reason }: StoreHealth): string {
	if (reason === undefined) {
		return "The store goes on; free some space or name another folder, and run it again.";
	}
	return `The store has stopped, too: ${reason}. Free some space on its disk and start it again.`;
}

interface Work extends BackupOptions {
	readonly folder: string;
	readonly target: BackupFolder;
	readonly moment: Moment;
	readonly createdAt: number;
}

async function copyAll(source: BackupSource, work: Work): Promise<void> {
	const { fileSystem, folders } = source;
	const { target, moment, createdAt, onProgress } = work;
	const queries = await source.queryLog.segments();
	const documents = source.documents.ids();
	const { length: total } = [...moment.segments, ...queries, ...documents];
	const bytes = [...moment.segments, ...queries].reduce((sum, file) => sum + file.bytes, 0);
	await assertSpace(fileSystem, work.folder, { bytes, files: total });
	let done = 0;
	const report = () => onProgress?.({ done: ++done, total });

	for (const [index, facts] of moment.segments.entries()) {
		await copySegment(source, work, facts, moment.segments[index + 1]?.start ?? moment.head);
		report();
	}
	await target.add("mark", async (path) => {
		const mark = await openHighWaterMark(fileSystem, path);
		const { offset: fileBytes } = moment.head;
		await mark.raise({ ...moment.head, snapshot: 0, fileBytes }).finally(mark.close);
	});
	for (const { name, bytes } of queries) {
		await target.copy(join(folders.queries, name), `queries/${name}`, bytes);
		report();
	}
	for (const id of documents) {
		// By now another text, or none: what is current counts, and it is copied as it is from here on.
		const found = await source.documents.open(id, createdAt);
		if (found) {
			const { path, file } = found;
			await target.copyOpened(file, `documents/${path}`).finally(file.close);
		}
		report();
	}
}

/** Copies a segment as far as it was durable, and reads the copy back, frame by frame, up to the link it must end at. */
async function copySegment(
	{ fileSystem, folders }: BackupSource,
	{ folder, target }: Work,
	facts: SegmentFacts,
	end: ChainLink,
): Promise<void> {
	const from = segmentPath(folders.segments, facts.number);
	const path = `segments/${segmentPath("", facts.number)}`;
	if (!(await target.copy(from, path, facts.bytes))) throw unsound(from, "the file is missing");
	const copies = join(folder, "segments");
	const reader = createJournalReader({ fileSystem, folder: copies, onDamage: () => undefined });
	let link: ChainLink = facts.start;
	try {
		for await (const frame of reader.readFrames(facts)) ({ link } = frame);
	} catch (error) {
		throw unsound(from, messageOf(error));
	}
	if (link.sequence === end.sequence && link.crc === end.crc) return;
	throw unsound(from, `it ends with frame ${link.sequence} instead of frame ${end.sequence}`);
}

function unsound(path: string, problem: string): ServiceError {
	return unavailable(
		`No backup was made: what was read of "${path}" is not what was written there (${problem}). Run "tollgraph ledger verify"; if it finds the journal damaged, keep the older backups.`,
		{ retryable: false },
	);
}
