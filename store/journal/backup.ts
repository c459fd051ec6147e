import { join } from "node:path";
import type { Clock } from "../../src/core/clock.js";
import { ServiceError } from "../../src/core/errors.js";
import type { Random } from "../../src/core/random.js";
import type { BackupOptions, StoreBackup } from "../store.js";
import type { AuditTarget } from "./audit.js";
import { type BackupFolder, openBackupFolder } from "./backup-folder.js";
import { buildBeside } from "./built-beside.js";
import { messageOf } from "./damage.js";
import { listDocuments } from "./documents.js";
import type { FileSystem } from "./file-system.js";
import type { ChainLink } from "./frame.js";
import { openHighWaterMark } from "./high-water-mark.js";
import { createJournalReader } from "./journal-reader.js";
import type { JournalQueryLog } from "./query-log.js";
import { type JournalHead, type SegmentFacts, segmentPath } from "./segment.js";

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
}

/**
 * Copies what is durable at one moment into an empty or missing folder, while transactions go on: whole segments, the
 * newest one up to its last frame, a mark that makes a restored folder refuse when a byte is missing, documents and query
 * text. Each frame is read back from the copy. It is built beside the folder: throws, and leaves the place as it was, unless
 * all is on the disk.
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
		const target = await openBackupFolder(fileSystem, folder);
		const moment = await source.look();
		const createdAt = clock.now();
		await copyAll(source, { folder, target, moment, createdAt, ...options });
		const { sequence, crc } = moment.head;
		const { transactions } = moment.state;
		const facts = { kind: BACKUP_KIND, version: BACKUP_VERSION, sequence, crc, transactions };
		const created_at = new Date(createdAt).toISOString();
		const totals = await target.finish({ ...facts, created_at });
		return { sequence, transactions, createdAt, ...totals };
	} catch (error) {
		if (error instanceof ServiceError) throw error;
		throw new ServiceError(
			"UNAVAILABLE",
			`The backup was not made (${messageOf(error)}). The store is unharmed; free some space or name another folder, and run it again.`,
			{ cause: error },
		);
	}
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
	const documents = (await listDocuments(fileSystem, folders.documents)).filter(
		({ expiresAt }) => expiresAt > createdAt,
	);
	const total = moment.segments.length + queries.length + documents.length;
	let done = 0;
	const tell = () => onProgress?.({ done: ++done, total });

	for (const [index, facts] of moment.segments.entries()) {
		await copySegment(source, work, facts, moment.segments[index + 1]?.start ?? moment.head);
		tell();
	}
	await target.add("mark", async (path) => {
		const mark = await openHighWaterMark(fileSystem, path);
		await mark.raise({ ...moment.head, snapshot: 0 }).finally(mark.close);
	});
	for (const { name, bytes } of queries) {
		await target.copy(join(folders.queries, name), `queries/${name}`, bytes);
		tell();
	}
	for (const { path } of documents) {
		await target.copy(join(folders.documents, path), `documents/${path}`);
		tell();
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
	if (!(await target.copy(from, path, facts.bytes))) throw notSound(from, "the file is missing");
	const copies = join(folder, "segments");
	const reader = createJournalReader({ fileSystem, folder: copies, onDamage: () => undefined });
	let link: ChainLink = facts.start;
	try {
		for await (const frame of reader.readFrames(facts)) ({ link } = frame);
	} catch (error) {
		throw notSound(from, messageOf(error));
	}
	if (link.sequence === end.sequence && link.crc === end.crc) return;
	throw notSound(from, `it ends with frame ${link.sequence} instead of frame ${end.sequence}`);
}

function notSound(path: string, problem: string): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`No backup was made: what was read of "${path}" is not what was written there (${problem}). Run "tollgraph ledger verify"; if it finds the journal damaged, keep the older backups.`,
		{ retryable: false },
	);
}
