import { join } from "node:path";
import { type Clock, toIsoDay } from "../../src/kernel/kernel.js";
import {
	type BooksSource,
	type CopyHooks,
	HOT_TABLES,
	inGroups,
	type Operation,
	type QueryLogRow,
	type Row,
	type TableName,
	toOperations,
} from "../store.js";
import { openDocuments } from "./documents.js";
import { type FileSystem, writeFully } from "./file-system.js";
import { CHAIN_START } from "./frame.js";
import type { Batch } from "./group-commit.js";
import { createJournal, openHighWaterMark } from "./journal-log.js";
import { encodeOperations } from "./operation.js";
import { openSegmentWriter, widen } from "./segments.js";

/** Characters of a frame, about; a single larger transaction is one alone. */
const FRAME_CHARS = 1024 * 1024;
const HOUR_MS = 3_600_000;
const ROWS = 500;

interface JournalToWrite extends CopyHooks {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	/** Missing or empty; half a journal stays there where this rejects. */
	readonly folder: string;
	/** Documents are copied that expire after this moment. */
	readonly now: number;
}

/**
 * Writes the books of another store as a new journal, through the append path of every journal, so that its frames, chain and mark
 * are what a start expects. A transaction stays one; its frame has the time of its commit, to the hour, from which the keys follow
 * that may not be used again.
 */
export async function writeJournal(source: BooksSource, target: JournalToWrite): Promise<void> {
	const { fileSystem, folder } = target;
	for (const name of ["segments", "snapshots", "documents", "queries"]) {
		await fileSystem.makeFolder(join(folder, name));
	}
	await writeFrames(source, target);
	await writeDocuments(source, target);
	await writeQueries(source, target);
	await fileSystem.syncFolder(folder);
}

async function writeFrames(
	source: BooksSource,
	{ fileSystem, clock, folder, onProgress, assertWanted }: JournalToWrite,
): Promise<void> {
	const segmentFolder = join(folder, "segments");
	const mark = await openHighWaterMark(fileSystem, join(folder, "mark"));
	const head = { ...CHAIN_START, segment: 1, offset: 0 };
	await mark.raise({ ...head, snapshot: 0, fileBytes: 0 });
	let raiseMark = () => mark.raise({ ...head, snapshot: 0, fileBytes: 0 });
	const writer = await openSegmentWriter({
		...{ fileSystem, folder: segmentFolder, segment: 1, offset: 0, exists: false },
		beforeCut: () => raiseMark(),
	});
	let failure: unknown;
	const journal = createJournal({
		...{ clock, writer, mark, head, snapshotSequence: 0 },
		segments: [{ number: 1, start: CHAIN_START, bytes: 0, coldRange: undefined }],
		onFailure: (error) => {
			failure ??= error;
		},
	});
	raiseMark = journal.raiseMark;
	let isWhole = false;
	try {
		const total = await source.end();
		for await (const frame of framesOf(source)) {
			assertWanted?.();
			await journal.append(frame);
			onProgress?.({ done: Math.min(frame.place, total), total });
		}
		if (failure) throw failure;
		onProgress?.({ done: total, total });
		isWhole = true;
	} finally {
		await journal.close({ isStopped: !isWhole });
	}
}

interface NewFrame extends Pick<Batch, "at" | "transactions" | "coldRange"> {
	/** Of the last commit in it, in the books it comes from. */
	place: number;
	characters: number;
}

function newFrame(at: number, place: number): NewFrame {
	return { at, place, transactions: [], coldRange: undefined, characters: 0 };
}

function add(frame: NewFrame, operations: readonly Operation[]): void {
	const json = encodeOperations(operations);
	frame.transactions.push(json);
	frame.characters += json.length;
}

/** The history, and then the rows as they are now. */
async function* framesOf(source: BooksSource): AsyncGenerator<NewFrame> {
	let last = newFrame(0, 0);
	for await (const frame of historyFrames(source)) {
		yield frame;
		last = frame;
	}
	for (const table of HOT_TABLES) {
		yield* rowFrames(table, source.store.rows(table), last);
	}
}

/** The clock never goes back in it: a commit of an earlier hour joined the newest where it was made. */
async function* historyFrames(source: BooksSource): AsyncGenerator<NewFrame> {
	let frame: NewFrame | undefined;
	let at = 0;
	for await (const commit of source.commits()) {
		at = Math.max(at, commit.at);
		const isOtherHour = frame && hourOf(frame.at) !== hourOf(at);
		if (frame && (isOtherHour || frame.characters >= FRAME_CHARS)) {
			yield frame;
			frame = undefined;
		}
		frame ??= newFrame(at, commit.place);
		frame.place = commit.place;
		add(frame, toOperations(commit));
		for (const { id } of commit.receipts) frame.coldRange = widen(frame.coldRange, id);
	}
	if (frame) yield frame;
}

const hourOf = (at: number) => Math.floor(at / HOUR_MS);

async function* rowFrames(
	table: TableName,
	rows: AsyncIterable<Row>,
	{ at, place }: NewFrame,
): AsyncGenerator<NewFrame> {
	const sizeOf = () => 1;
	let frame = newFrame(at, place);
	for await (const group of inGroups(rows, { most: ROWS, chars: ROWS, sizeOf })) {
		add(
			frame,
			group.map((row) => ({ kind: "put", table, row })),
		);
		if (frame.characters < FRAME_CHARS) continue;
		yield frame;
		frame = newFrame(at, place);
	}
	if (frame.transactions.length > 0) yield frame;
}

async function writeDocuments(
	source: BooksSource,
	{ fileSystem, clock, folder, now, assertWanted }: JournalToWrite,
): Promise<void> {
	const documents = await openDocuments({ fileSystem, clock, folder: join(folder, "documents") });
	for await (const { id, text, expiresAt } of source.documents(now)) {
		assertWanted?.();
		await documents.put(id, text, expiresAt);
	}
	await documents.close();
}

async function writeQueries(
	{ store }: BooksSource,
	{ fileSystem, folder, assertWanted }: JournalToWrite,
): Promise<void> {
	const queries = join(folder, "queries");
	const groups = inGroups(linesOf(store.queryLog.readDays({})), {
		most: Number.POSITIVE_INFINITY,
		chars: FRAME_CHARS,
		sizeOf: ({ text }) => text.length,
	});
	for await (const group of groups) {
		assertWanted?.();
		for (const day of new Set(group.map((line) => line.day))) {
			const lines = group.filter((line) => line.day === day).map(({ text }) => text);
			await append(fileSystem, join(queries, `${day}.ndjson`), lines.join(""));
		}
	}
	await fileSystem.syncFolder(queries);
}

async function* linesOf(rows: AsyncIterable<QueryLogRow>) {
	for await (const row of rows) yield { day: toIsoDay(row.at), text: `${JSON.stringify(row)}\n` };
}

async function append(fileSystem: FileSystem, path: string, text: string): Promise<void> {
	const size = await fileSystem.size(path);
	const file = await fileSystem.open(path, size === undefined ? "create" : "existing");
	try {
		await writeFully(file, Buffer.from(text, "utf8"), size ?? 0);
		await file.sync();
	} finally {
		await file.close();
	}
}
