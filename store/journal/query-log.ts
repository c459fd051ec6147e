import { join } from "node:path";
import { type Clock, toIsoDay } from "../../src/kernel/kernel.js";
import type { QueryLog, QueryLogRow } from "../store.js";
import { type FileSystem, type OpenFile, writeFully } from "./file-system.js";
import { createSerialQueue, nextTurn } from "./serial-queue.js";

const FLUSH_MS = 1_000;
/** Flushed early beyond this, dropped beyond eight times this. */
const FLUSH_CHARS = 256 * 1024;
const MAX_CHARS = 8 * FLUSH_CHARS;
const SEGMENT = /^(\d{4}-\d{2}-\d{2})\.ndjson$/;

export interface JournalQueryLog extends QueryLog {
	/** Resolves when the disk has taken what was appended, or when it has refused. */
	flush(): Promise<void>;
	/** Flushes, and tells which files there are and how many bytes of whole lines each of them holds. */
	segments(): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
	close(): Promise<void>;
}

export interface QueryLogDeps {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly folder: string;
	/** Told, at most once a flush, how many rows were lost since the last time: to the disk or to the bound on memory. */
	readonly onDropped?: ((count: number) => void) | undefined;
}

/** Rows of one UTC day in `<day>.ndjson`. A disk that fails costs rows of this log, never a call. */
export function createQueryLog(deps: QueryLogDeps): JournalQueryLog {
	const { fileSystem, clock, folder, onDropped } = deps;
	const inTurn = createSerialQueue();
	let buffered: { readonly day: string; readonly line: string }[] = [];
	let bufferedChars = 0;
	let dropped = 0;
	const stopTimer = clock.every(FLUSH_MS, () => void flush());

	const writeBuffered = async () => {
		const rows = buffered;
		buffered = [];
		bufferedChars = 0;
		for (const [day, lines] of groupByDay(rows)) {
			try {
				await appendText(fileSystem, join(folder, `${day}.ndjson`), lines.join(""));
			} catch {
				dropped += lines.length;
			}
		}
		if (dropped > 0) onDropped?.(dropped);
		dropped = 0;
	};
	const flush = () => inTurn(writeBuffered);
	const segments = () =>
		inTurn(async () => {
			await writeBuffered();
			const names = (await fileSystem.list(folder)).filter((name) => SEGMENT.test(name));
			const sizes = names.map(async (name) => ({
				name,
				bytes: (await fileSystem.size(join(folder, name))) ?? 0,
			}));
			return Promise.all(sizes);
		});

	return {
		append(row) {
			const line = toLine(row);
			if (line === undefined || bufferedChars + line.text.length > MAX_CHARS) {
				dropped += 1;
				return;
			}
			buffered.push({ day: line.day, line: line.text });
			bufferedChars += line.text.length;
			// Once, when the line is crossed.
			if (bufferedChars > FLUSH_CHARS && bufferedChars - line.text.length <= FLUSH_CHARS)
				void flush();
		},
		dropBefore: (day) =>
			inTurn(async () => {
				buffered = buffered.filter((row) => row.day >= day);
				bufferedChars = buffered.reduce((sum, { line }) => sum + line.length, 0);
				const old = (await fileSystem.list(folder)).filter((name) => {
					const [, segmentDay] = SEGMENT.exec(name) ?? [];
					return segmentDay !== undefined && segmentDay < day;
				});
				for (const name of old) await fileSystem.remove(join(folder, name));
				if (old.length > 0) await fileSystem.syncFolder(folder);
				return old.length;
			}),
		flush,
		segments,
		async *read(owner) {
			yield* readRows(fileSystem, folder, { segments: await segments(), owner });
		},
		erase: async (owner) =>
			overwriteRows(fileSystem, folder, { segments: await segments(), owner }),
		async close() {
			stopTimer();
			await flush();
		},
	};
}

/** Undefined for a row that has no day or no JSON: logging must not throw into a call. */
function toLine(row: QueryLogRow): { readonly day: string; readonly text: string } | undefined {
	try {
		return { day: toIsoDay(row.at), text: `${JSON.stringify(row)}\n` };
	} catch {
		return undefined;
	}
}

function groupByDay(
	rows: readonly { readonly day: string; readonly line: string }[],
): ReadonlyMap<string, string[]> {
	const lines = new Map<string, string[]>();
	for (const { day, line } of rows) {
		const sameDay = lines.get(day);
		if (sameDay) sameDay.push(line);
		else lines.set(day, [line]);
	}
	return lines;
}

async function appendText(fileSystem: FileSystem, path: string, text: string): Promise<void> {
	const size = await fileSystem.size(path);
	let file: OpenFile | undefined;
	try {
		file = await fileSystem.open(path, size === undefined ? "create" : "existing");
		await writeFully(file, Buffer.from(text, "utf8"), size ?? 0);
	} catch (error) {
		// Half a line would spoil the next one.
		await file?.truncate(size ?? 0).catch(() => undefined);
		throw error;
	} finally {
		await file?.close();
	}
}

const PART_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const SPACE = 0x20;

/** One file of the log, as far as its lines were whole when it was looked at. */
export interface QuerySegment {
	readonly name: string;
	readonly bytes: number;
}

interface Line {
	readonly position: number;
	/** Without its line feed. */
	readonly bytes: Buffer;
}

/** Rows of one owner, oldest first; lines that were overwritten or cut off are passed over. */
export async function* readRows(
	fileSystem: FileSystem,
	folder: string,
	{ segments, owner }: { readonly segments: readonly QuerySegment[]; readonly owner: string },
): AsyncGenerator<QueryLogRow> {
	for (const segment of segments) {
		for await (const { bytes } of linesOf(fileSystem, folder, { segment, owner })) {
			const row = toRow(bytes);
			if (row?.owner === owner) yield row;
		}
	}
}

/**
 * Overwrites the rows of one owner with white space: the file keeps its length, so that whoever appends to it or copies
 * it meanwhile is not disturbed, and a crash leaves a line that is passed over.
 */
export async function overwriteRows(
	fileSystem: FileSystem,
	folder: string,
	{ segments, owner }: { readonly segments: readonly QuerySegment[]; readonly owner: string },
): Promise<number> {
	let count = 0;
	for (const segment of segments) {
		const own: Line[] = [];
		for await (const line of linesOf(fileSystem, folder, { segment, owner })) {
			if (toRow(line.bytes)?.owner === owner)
				own.push({ ...line, bytes: Buffer.alloc(line.bytes.length, SPACE) });
		}
		if (own.length === 0) continue;
		const file = await fileSystem.open(join(folder, segment.name), "existing");
		try {
			for (const { bytes, position } of own) await writeFully(file, bytes, position);
			await file.sync();
		} finally {
			await file.close();
		}
		count += own.length;
	}
	return count;
}

/** The lines that mention an owner; a file that was deleted meanwhile has none. */
async function* linesOf(
	fileSystem: FileSystem,
	folder: string,
	{ segment, owner }: { readonly segment: QuerySegment; readonly owner: string },
): AsyncGenerator<Line> {
	const mark = JSON.stringify(owner);
	let rest = Buffer.alloc(0);
	let position = 0;
	while (position + rest.length < segment.bytes) {
		const start = position + rest.length;
		const length = Math.min(PART_BYTES, segment.bytes - start);
		const part = await readPart(fileSystem, join(folder, segment.name), start, length);
		if (part.length === 0) return;
		const bytes = Buffer.concat([rest, part]);
		const end = bytes.lastIndexOf(LINE_FEED) + 1;
		for (let at = bytes.indexOf(mark); at !== -1 && at < end; ) {
			const from = bytes.lastIndexOf(LINE_FEED, at) + 1;
			const to = bytes.indexOf(LINE_FEED, at);
			yield { position: position + from, bytes: bytes.subarray(from, to) };
			at = bytes.indexOf(mark, to);
		}
		rest = bytes.subarray(end);
		position += end;
		await nextTurn();
	}
}

async function readPart(
	fileSystem: FileSystem,
	path: string,
	position: number,
	length: number,
): Promise<Buffer> {
	try {
		return await fileSystem.readPart(path, position, length);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
		throw error;
	}
}

function toRow(bytes: Buffer): QueryLogRow | undefined {
	try {
		return JSON.parse(bytes.toString("utf8")) as QueryLogRow;
	} catch {
		return undefined;
	}
}
