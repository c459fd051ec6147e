import { nextTurn } from "../../src/kernel/kernel.js";
import type { Row, TableName } from "../store.js";
import { damaged, unreadable } from "./damage.js";
import type { FileSystem } from "./file-system.js";
import { type ChainLink, type FrameReading, readFrame } from "./frame.js";
import type { Batch } from "./group-commit.js";
import { decodeBody, type FrameBody, putMark } from "./operation.js";
import { mayHold, type SegmentFacts, segmentPath } from "./segments.js";

export type JournalReader = ReturnType<typeof createJournalReader>;

export interface CheckedFrame {
	readonly link: ChainLink;
	/** As it lies in the file. */
	bytes(): Buffer;
	body(): FrameBody;
}

/** Bytes between two turns of the event loop: a long journal is read while calls go on. */
const TURN_BYTES = 128 * 1024;

/** Reads back what the journal holds; nothing it returns stays in memory. */
export function createJournalReader({
	fileSystem,
	folder,
	onDamage,
}: {
	readonly fileSystem: FileSystem;
	readonly folder: string;
	/** Called when what is on the disk is not what was written. */
	readonly onDamage: () => void;
}) {
	const load = async ({ number, bytes }: SegmentFacts): Promise<Buffer> => {
		const path = segmentPath(folder, number);
		const found = await fileSystem.read(path).catch((error: unknown) => {
			throw unreadable(path, error);
		});
		const whole = found ?? Buffer.alloc(0);
		if (whole.length >= bytes) return whole.subarray(0, bytes);
		throw failure(number, whole.length, `the segment has lost bytes: there were ${bytes}`);
	};
	const failure = (number: number, offset: number, problem: string): Error => {
		onDamage();
		return damaged({ path: segmentPath(folder, number), offset, problem });
	};

	/** Yields a checked frame, then lets the event loop turn where enough bytes were read since it did. */
	async function* checkedFrames(
		facts: SegmentFacts,
		next: (bytes: Buffer, at: ChainPosition) => { at: number; frame: FrameReading } | undefined,
	): AsyncGenerator<CheckedFrame> {
		const bytes = await load(facts);
		let { start: link } = facts;
		let [offset, turnAt] = [0, TURN_BYTES];
		for (;;) {
			const found = next(bytes, { link, offset });
			if (!found) return;
			const { frame } = found;
			if ("problem" in frame) throw failure(facts.number, found.at, frame.problem);
			({ link, end: offset } = frame);
			yield {
				link,
				bytes: () => bytes.subarray(found.at, frame.end),
				body: () => decodeBody(bytes.toString("utf8", frame.bodyStart, frame.end)),
			};
			if (offset < turnAt) continue;
			await nextTurn();
			turnAt = offset + TURN_BYTES;
		}
	}

	return {
		/** The frames of one segment. Throws UNAVAILABLE, retryable unless one is damaged. */
		readFrames: (facts: SegmentFacts) =>
			checkedFrames(facts, (bytes, { link, offset }) =>
				offset < bytes.length ? { at: offset, frame: readFrame(bytes, offset, link) } : undefined,
			),
		/** The frames whose text holds the mark, oldest first; a segment without it is not decoded. */
		readMentions: (facts: SegmentFacts, mark: string) =>
			checkedFrames(facts, (bytes, position) => {
				const at = bytes.indexOf(mark, position.offset);
				return at === -1 ? undefined : { at, frame: findFrame(bytes, at, position) };
			}),
		/** The row's latest put within the segment, or undefined. */
		async findPut(facts: SegmentFacts, table: TableName, id: string): Promise<Row | undefined> {
			const bytes = await load(facts);
			const at = bytes.lastIndexOf(putMark(table, id));
			if (at === -1) return undefined;
			const frame = findFrame(bytes, at, { link: facts.start, offset: 0 });
			if ("problem" in frame) throw failure(facts.number, at, frame.problem);
			return lastPut(decodeBody(bytes.toString("utf8", frame.bodyStart, frame.end)), table, id);
		},
	};
}

/** Where the next frame of a segment begins, and the link it follows. */
interface ChainPosition {
	readonly link: ChainLink;
	readonly offset: number;
}

/** The frame around a byte; those before it are checked on the way. */
function findFrame(bytes: Buffer, at: number, start: ChainPosition): FrameReading {
	let { link, offset } = start;
	for (;;) {
		const frame = readFrame(bytes, offset, link);
		if ("problem" in frame || frame.end > at) return frame;
		({ link, end: offset } = frame);
	}
}

function lastPut({ transactions }: FrameBody, table: TableName, id: string): Row | undefined {
	const found = transactions
		.flat()
		.findLast(
			(operation) =>
				operation.kind === "put" && operation.table === table && operation.row.id === id,
		);
	return found?.kind === "put" ? found.row : undefined;
}

const REMEMBERED_ROWS = 2_048;

export type ColdRows = ReturnType<typeof createColdRows>;

/** Rows that are many and rarely read: not in memory, but for the latest ones. */
export function createColdRows(reader: JournalReader, segments: () => readonly SegmentFacts[]) {
	const recent = new Map<
		string,
		{ readonly row: Row; readonly batch: Pick<Batch, "done" | "isKept"> }
	>();
	return {
		/** Keeps a row in memory for a while; `done` resolves when it is durable. */
		remember(table: TableName, row: Row, batch: Pick<Batch, "done" | "isKept">): void {
			const key = `${table}/${row.id}`;
			recent.delete(key);
			recent.set(key, { row, batch });
			if (recent.size <= REMEMBERED_ROWS) return;
			const [oldest = ""] = recent.keys();
			recent.delete(oldest);
		},
		/** The row once it is durable: a receipt that a crash could undo is not shown. */
		async find(table: TableName, id: string): Promise<Row | undefined> {
			const remembered = recent.get(`${table}/${id}`);
			if (remembered) {
				const { row, batch } = remembered;
				if (!batch.isKept()) await batch.done;
				return row;
			}
			const holding = segments().filter((segment) => mayHold(segment, id));
			// Newest first: what is asked for is seldom old.
			for (const facts of holding.reverse()) {
				const row = await reader.findPut(facts, table, id);
				if (row) return row;
			}
			return undefined;
		},
		size: () => recent.size,
	};
}
