import { join } from "node:path";
import type { QueryLogRow } from "../store.js";
import { writeFully } from "./durable-file.js";
import type { FileSystem } from "./file-system.js";
import { nextTurn } from "./next-turn.js";

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
