import type { TableName } from "../store.js";
import { damaged, unreadable } from "./damage.js";
import type { FileSystem } from "./file-system.js";
import { type ChainLink, readFrame } from "./frame.js";
import { decodeBody, type FrameBody, putMark, type Row } from "./operation.js";
import { mayHold, type SegmentFacts, segmentPath } from "./segments.js";
import { nextTurn } from "./serial-queue.js";

export interface JournalReaderDeps {
	readonly fileSystem: FileSystem;
	readonly folder: string;
	/** Called when what is on the disk is not what was written. */
	readonly onDamage: () => void;
}

export interface CheckedFrame {
	readonly link: ChainLink;
	/** Decodes what it holds. */
	body(): FrameBody;
}

/** Bytes between two turns of the event loop: a long journal is read while calls go on. */
const TURN_BYTES = 128 * 1024;

export interface JournalReader {
	/**
	 * The frames of one segment, oldest first, each checked, up to `facts.bytes` at the time of the call.
	 * Throws UNAVAILABLE: not retryable when one is damaged, retryable when the system would not let us look.
	 */
	readFrames(facts: SegmentFacts): AsyncIterable<CheckedFrame>;
	/** The frames of one segment whose text holds the mark, oldest first; a segment without it is not looked at closer. */
	readMentions(facts: SegmentFacts, mark: string): AsyncIterable<CheckedFrame>;
	/** The row's latest put within the segment, or undefined. */
	findPut(facts: SegmentFacts, table: TableName, id: string): Promise<Row | undefined>;
}

/** Reads back what the journal holds; nothing it returns stays in memory. */
export function createJournalReader(deps: JournalReaderDeps): JournalReader {
	const { fileSystem, folder, onDamage } = deps;
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

	return {
		async *readFrames(facts) {
			const bytes = await load(facts);
			let link = facts.start;
			let [offset, turnAt] = [0, TURN_BYTES];
			while (offset < bytes.length) {
				const frame = readFrame(bytes, offset, link);
				if ("problem" in frame) throw failure(facts.number, offset, frame.problem);
				({ link, end: offset } = frame);
				const { bodyStart, end } = frame;
				yield { link, body: () => decodeBody(bytes.toString("utf8", bodyStart, end)) };
				if (offset < turnAt) continue;
				await nextTurn();
				turnAt = offset + TURN_BYTES;
			}
		},

		async *readMentions(facts, mark) {
			const bytes = await load(facts);
			let link = facts.start;
			let [offset, turnAt] = [0, TURN_BYTES];
			for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, offset)) {
				const frame = findFrame(bytes, at, { link, offset });
				if ("problem" in frame) throw failure(facts.number, at, frame.problem);
				({ link, end: offset } = frame);
				const { bodyStart, end } = frame;
				yield { link, body: () => decodeBody(bytes.toString("utf8", bodyStart, end)) };
				if (offset < turnAt) continue;
				await nextTurn();
				turnAt = offset + TURN_BYTES;
			}
		},

		async findPut(facts, table, id) {
			const bytes = await load(facts);
			const at = bytes.lastIndexOf(putMark(table, id));
			if (at === -1) return undefined;
			const frame = findFrame(bytes, at, { link: facts.start, offset: 0 });
			if ("problem" in frame) throw failure(facts.number, at, frame.problem);
			return lastPut(decodeBody(bytes.toString("utf8", frame.bodyStart, frame.end)), table, id);
		},
	};
}

/** The frame around a byte; those between it and where we stand are checked on the way. */
function findFrame(
	bytes: Buffer,
	at: number,
	start: { readonly link: ChainLink; readonly offset: number },
): ReturnType<typeof readFrame> {
	let { link, offset } = start;
	for (;;) {
		const frame = readFrame(bytes, offset, link);
		if ("problem" in frame || frame.end > at) return frame;
		({ link, end: offset } = frame);
	}
}

function lastPut({ transactions }: FrameBody, table: TableName, id: string): Row | undefined {
	let found: Row | undefined;
	for (const operations of transactions) {
		for (const operation of operations) {
			if (operation.kind !== "put" || operation.table !== table) continue;
			if (operation.row.id === id) found = operation.row;
		}
	}
	return found;
}

/** Rows that are many and rarely read: not in memory, but for the latest ones. */
export interface ColdRows {
	/** Keeps a row at hand for a while; `done` tells when it is durable. */
	remember(table: TableName, row: Row, done: Promise<void>): void;
	/** The row once it is durable: a receipt that a crash could undo is not shown. */
	find(table: TableName, id: string): Promise<Row | undefined>;
	/** How many rows are at hand; bounded. */
	size(): number;
}

const REMEMBERED_ROWS = 2_048;

export function createColdRows({
	reader,
	segments,
}: {
	reader: JournalReader;
	segments: () => readonly SegmentFacts[];
}): ColdRows {
	const recent = new Map<string, { readonly row: Row; readonly done: Promise<void> }>();
	return {
		remember(table, row, done) {
			const key = `${table}/${row.id}`;
			recent.delete(key);
			recent.set(key, { row, done });
			if (recent.size <= REMEMBERED_ROWS) return;
			const [oldest = ""] = recent.keys();
			recent.delete(oldest);
		},
		async find(table, id) {
			const remembered = recent.get(`${table}/${id}`);
			if (remembered) {
				await remembered.done;
				return remembered.row;
			}
			// Newest first: what is asked for is seldom old.
			for (const facts of segments()
				.filter((segment) => mayHold(segment, id))
				.reverse()) {
				const row = await reader.findPut(facts, table, id);
				if (row) return row;
			}
			return undefined;
		},
		size: () => recent.size,
	};
}
