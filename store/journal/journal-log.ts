import { crc32 } from "node:zlib";
import type { Clock } from "../../src/kernel/kernel.js";
import { type FileSystem, type OpenFile, writeDurably } from "./file-system.js";
import { createFrameEncoder, hex } from "./frame.js";
import type { Batch } from "./group-commit.js";
import { encodeBody } from "./operation.js";
import {
	type JournalHead,
	merge,
	SEGMENT_BYTES,
	type SegmentFacts,
	type SegmentWriter,
} from "./segments.js";

/** A mark that lags this long behind costs nothing that counts: within it, a lost tail passes for a torn one. */
const MARK_DELAY_MS = 1_000;

export type Journal = ReturnType<typeof createJournal>;

/** The append side of the journal: frames, segments and the mark that records how far the disk has come. */
export function createJournal({
	clock,
	writer,
	mark,
	segments,
	onFailure,
	...start
}: {
	readonly clock: Clock;
	readonly writer: SegmentWriter;
	readonly mark: HighWaterMark;
	readonly head: JournalHead;
	readonly segments: SegmentFacts[];
	readonly snapshotSequence: number;
	/** The mark could not be raised: the disk fails. */
	readonly onFailure: (error: unknown) => void;
}) {
	const encode = createFrameEncoder();
	let { head, snapshotSequence } = start;
	let cancelTimer: (() => void) | undefined;

	const fileBytes = () => (head.segment === writer.segment() ? writer.length() : head.offset);
	const raiseMark = () => {
		cancelTimer?.();
		cancelTimer = undefined;
		return mark.raise({ ...head, snapshot: snapshotSequence, fileBytes: fileBytes() });
	};
	const raiseMarkSoon = () => {
		cancelTimer ??= clock.after(MARK_DELAY_MS, () => {
			raiseMark().catch(onFailure);
		});
	};
	const rotate = async () => {
		await writer.rotate();
		const { sequence, crc } = head;
		const start = { sequence, crc };
		segments.push({ number: writer.segment(), start, bytes: 0, coldRange: undefined });
		await raiseMark();
	};

	return {
		head: (): JournalHead => head,
		/** All segments, ascending; the newest one still grows. */
		segments: (): readonly SegmentFacts[] => segments,
		/** Resolves with the bytes of its frame when the batch is on the disk. One caller at a time. */
		async append({
			at,
			transactions,
			coldRange,
		}: Pick<Batch, "at" | "transactions" | "coldRange">): Promise<number> {
			if (writer.offset() >= SEGMENT_BYTES) await rotate();
			const { bytes, link } = encode(encodeBody(at, transactions), head);
			const { length } = bytes;
			const lengthBefore = writer.length();
			await writer.append(bytes);
			const newest = segments.at(-1);
			if (newest) {
				newest.bytes = writer.offset();
				newest.coldRange = merge(newest.coldRange, coldRange);
			}
			head = { ...link, segment: writer.segment(), offset: writer.offset() };
			// Until the mark knows that the file grew, frames in what it grew by could be lost unseen.
			if (writer.length() > lengthBefore) raiseMark().catch(onFailure);
			else raiseMarkSoon();
			return length;
		},
		/** Raises the mark to the head, which must be durable. */
		raiseMark,
		/** From now on the mark names this snapshot as the newest. */
		setSnapshot(sequence: number): Promise<void> {
			snapshotSequence = sequence;
			return raiseMark();
		},
		async close({ isStopped }: { isStopped: boolean }): Promise<void> {
			cancelTimer?.();
			if (isStopped) await writer.abandon();
			else {
				await writer.close();
				await raiseMark();
			}
			await mark.close();
		},
	};
}

const SLOT_BYTES = 512;
const RECORD_BYTES = SLOT_BYTES - 10;

/** A frame that was durable, and the newest snapshot: a journal that ends before it has lost something. */
export interface MarkRecord extends JournalHead {
	/** Sequence of the newest snapshot; zero when there is none. */
	readonly snapshot: number;
	/** Bytes that the file of that segment has at least; absent in marks of earlier versions. */
	readonly fileBytes?: number | undefined;
	/** Of the folder; absent in marks of earlier versions. */
	readonly format?: number | undefined;
}

/** Raised with what earlier versions would misread. */
export const DATA_FORMAT = 1;

/** `missing`: no file. `damaged`: a file without one good record. */
export type MarkFound = MarkRecord | "missing" | "damaged";

type HighWaterMark = Awaited<ReturnType<typeof openHighWaterMark>>;

/** Two slots of one sector each, written in turn: a power cut spoils at most the one being written. */
export async function openHighWaterMark(fileSystem: FileSystem, path: string) {
	const bytes = await fileSystem.read(path);
	const newest = bytes && findNewest(bytes);
	let turn = newest?.turn ?? 0;
	let file: OpenFile | undefined;
	let last: Promise<void> = Promise.resolve();

	const write = async (record: MarkRecord) => {
		// Opened late, so that a refused start changes nothing.
		file ??= await fileSystem.open(path, bytes ? "existing" : "create");
		// The slot of a write that failed is the one to write again: the other one is good.
		const next = turn + 1;
		await writeDurably(file, encodeSlot({ ...record, turn: next }), (next % 2) * SLOT_BYTES);
		turn = next;
	};

	const found: MarkFound = newest?.record ?? (bytes ? "damaged" : "missing");
	return {
		found,
		/** Records a frame that is durable already. Calls may overlap; each resolves when its record is on the disk. */
		raise(record: MarkRecord): Promise<void> {
			last = last.catch(() => undefined).then(() => write(record));
			return last;
		},
		async close(): Promise<void> {
			await last.catch(() => undefined);
			await file?.close();
		},
	};
}

function findNewest(bytes: Buffer) {
	const slots = [0, SLOT_BYTES].flatMap((start) => decodeSlot(bytes, start) ?? []);
	return slots.sort((a, b) => b.turn - a.turn)[0];
}

function encodeSlot(fields: MarkRecord & { readonly turn: number }): Buffer {
	const { turn, sequence, crc, segment, offset, snapshot, fileBytes } = fields;
	const format = DATA_FORMAT;
	const text = JSON.stringify({
		turn,
		sequence,
		crc,
		segment,
		offset,
		snapshot,
		fileBytes,
		format,
	});
	const record = text.padEnd(RECORD_BYTES);
	return Buffer.from(`${record} ${hex(crc32(record), 8)}\n`, "latin1");
}

function decodeSlot(bytes: Buffer, start: number) {
	const record = bytes.toString("latin1", start, start + RECORD_BYTES);
	const rest = bytes.toString("latin1", start + RECORD_BYTES, start + SLOT_BYTES);
	if (rest !== ` ${hex(crc32(record), 8)}\n`) return undefined;
	const { turn, ...fields } = JSON.parse(record) as MarkRecord & { turn: number };
	return { turn, record: fields };
}
