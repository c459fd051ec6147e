import { join } from "node:path";
import { type Clock, nextTurn, readJson } from "../../src/kernel/kernel.js";
import {
	createQueryBuffer,
	type DaySpan,
	type QueryLine,
	type QueryLog,
	type QueryLogRow,
} from "../store.js";
import { type FileSystem, type OpenFile, writeFully } from "./file-system.js";

const SEGMENT = /^(\d{4}-\d{2}-\d{2})\.ndjson$/;

export type JournalQueryLog = ReturnType<typeof createQueryLog>;

/** Rows of one UTC day in `<day>.ndjson`. A disk that fails costs rows of this log, never a call. */
export function createQueryLog({
	fileSystem,
	clock,
	folder,
	onDropped,
}: {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly folder: string;
	/** Called, at most once a flush, with how many rows were lost to the disk or to the bound on memory. */
	readonly onDropped?: ((count: number) => void) | undefined;
}) {
	const disk = { fileSystem, folder };
	const write = (day: string, lines: readonly QueryLine[]) => {
		const text = lines.map(({ json }) => `${json}\n`).join("");
		return appendText(fileSystem, join(folder, `${day}.ndjson`), text);
	};
	const buffer = createQueryBuffer({ clock, write, onDropped });
	/** Writes what waits, and returns the files with the bytes of whole lines that each of them holds. */
	const segments = (): Promise<readonly QuerySegment[]> =>
		buffer.afterAll(async () => {
			const names = (await fileSystem.list(folder)).filter((name) => SEGMENT.test(name));
			const sizes = names.map(async (name) => ({
				name,
				bytes: (await fileSystem.size(join(folder, name))) ?? 0,
			}));
			return Promise.all(sizes);
		});

	const log: QueryLog = {
		append: buffer.append,
		dropBefore: (day) =>
			buffer.withoutBefore(day, async () => {
				const old = (await fileSystem.list(folder)).filter((name) => {
					const [, segmentDay] = SEGMENT.exec(name) ?? [];
					return segmentDay !== undefined && segmentDay < day;
				});
				for (const name of old) await fileSystem.remove(join(folder, name));
				if (old.length > 0) await fileSystem.syncFolder(folder);
				return old.length;
			}),
		read: (owner) => readRows({ ...disk, segments, owner }),
		readDays: (span) => readRows({ ...disk, segments, span }),
		erase: async (owner) => overwriteRows({ ...disk, owner }, await segments()),
	};
	return {
		...log,
		segments,
		close: buffer.close,
	};
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
	readonly row: QueryLogRow;
	readonly position: number;
	readonly length: number;
}

interface LogQuery {
	readonly fileSystem: FileSystem;
	readonly folder: string;
	/** All owners by default. */
	readonly owner?: string | undefined;
}

async function* readRows({
	segments,
	span = {},
	...query
}: LogQuery & {
	readonly segments: () => Promise<readonly QuerySegment[]>;
	readonly span?: DaySpan;
}): AsyncGenerator<QueryLogRow> {
	const within = (await segments()).filter(({ name }) => isWithin(span, name));
	for (const segment of within.sort(byName)) {
		for await (const { row } of linesOf(query, segment)) yield row;
	}
}

function isWithin({ from, to }: DaySpan, name: string): boolean {
	const [, day = ""] = SEGMENT.exec(name) ?? [];
	return (from === undefined || day >= from) && (to === undefined || day <= to);
}

function byName(one: QuerySegment, other: QuerySegment): number {
	return one.name < other.name ? -1 : 1;
}

/** Overwrites rows with white space: the file keeps its length, and no one who appends to it or copies it is disturbed. */
async function overwriteRows(
	query: LogQuery & { readonly owner: string },
	segments: readonly QuerySegment[],
): Promise<number> {
	const { fileSystem, folder } = query;
	let count = 0;
	for (const { name, bytes } of segments) {
		const own: Line[] = [];
		for await (const line of linesOf(query, { name, bytes })) own.push(line);
		if (own.length === 0) continue;
		const file = await fileSystem.open(join(folder, name), "existing");
		try {
			for (const { position, length } of own) {
				await writeFully(file, Buffer.alloc(length, SPACE), position);
			}
			await file.sync();
		} finally {
			await file.close();
		}
		count += own.length;
	}
	return count;
}

function noneWhereMissing(error: NodeJS.ErrnoException): Buffer {
	if (error.code === "ENOENT") return Buffer.alloc(0);
	throw error;
}

/** The lines of an owner, or of all; lines that were overwritten or cut off are passed over, and a deleted file has none. */
async function* linesOf(
	{ fileSystem, folder, owner }: LogQuery,
	segment: QuerySegment,
): AsyncGenerator<Line> {
	// Cheaper than to parse every line.
	const mark = owner === undefined ? '"owner":' : JSON.stringify(owner);
	let rest = Buffer.alloc(0);
	let position = 0;
	while (position + rest.length < segment.bytes) {
		const start = position + rest.length;
		const length = Math.min(PART_BYTES, segment.bytes - start);
		const path = join(folder, segment.name);
		const part = await fileSystem.readPart(path, start, length).catch(noneWhereMissing);
		if (part.length === 0) return;
		const bytes = Buffer.concat([rest, part]);
		const end = bytes.lastIndexOf(LINE_FEED) + 1;
		for (let at = bytes.indexOf(mark); at !== -1 && at < end; ) {
			const from = bytes.lastIndexOf(LINE_FEED, at) + 1;
			const to = bytes.indexOf(LINE_FEED, at);
			const row = readJson(bytes.toString("utf8", from, to)) as QueryLogRow | null | undefined;
			if (row && (owner === undefined || row.owner === owner))
				yield { row, position: position + from, length: to - from };
			at = bytes.indexOf(mark, to);
		}
		rest = bytes.subarray(end);
		position += end;
		await nextTurn();
	}
}
