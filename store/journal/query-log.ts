import { join } from "node:path";
import { type Clock, toIsoDay } from "../../src/kernel/kernel.js";
import type { QueryLog, QueryLogRow } from "../store.js";
import { writeFully } from "./durable-file.js";
import type { FileSystem, OpenFile } from "./file-system.js";
import { overwriteRows, readRows } from "./query-log-lines.js";
import { createSerialQueue } from "./serial-queue.js";

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
