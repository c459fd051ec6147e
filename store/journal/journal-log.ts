import type { Clock } from "../../src/kernel/kernel.js";
import type { Batch } from "./batch.js";
import { createFrameEncoder } from "./frame.js";
import type { HighWaterMark } from "./high-water-mark.js";
import { encodeBody } from "./operation.js";
import { type JournalHead, merge, type SegmentFacts } from "./segment.js";
import { SEGMENT_BYTES, type SegmentWriter } from "./segment-writer.js";

/** The append side of the journal: frames, segments and the mark that tells how far the disk has come. */
export interface Journal {
	/** The last durable frame. */
	readonly head: () => JournalHead;
	/** All segments, ascending; the newest one still grows. */
	readonly segments: () => readonly SegmentFacts[];
	/** Resolves with the bytes of its frame when the batch is on the disk. One caller at a time. */
	append(batch: Batch): Promise<number>;
	/** Raises the mark to the head, which must be durable. */
	raiseMark(): Promise<void>;
	/** From now on the mark names this snapshot as the newest. */
	setSnapshot(sequence: number): Promise<void>;
	close(options: { isStopped: boolean }): Promise<void>;
}

export interface JournalDeps {
	readonly clock: Clock;
	readonly writer: SegmentWriter;
	readonly mark: HighWaterMark;
	readonly head: JournalHead;
	readonly segments: SegmentFacts[];
	readonly snapshotSequence: number;
	/** The mark could not be raised: the disk fails. */
	readonly onFailure: (error: unknown) => void;
}

/** A mark that lags this long behind costs nothing that counts: within it, a lost tail passes for a torn one. */
const MARK_DELAY_MS = 1_000;

export function createJournal(deps: JournalDeps): Journal {
	const { clock, writer, mark, segments, onFailure } = deps;
	const encode = createFrameEncoder();
	let { head, snapshotSequence } = deps;
	let cancelTimer: (() => void) | undefined;

	const raiseMark = () => {
		cancelTimer?.();
		cancelTimer = undefined;
		return mark.raise({ ...head, snapshot: snapshotSequence });
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
		head: () => head,
		segments: () => segments,
		async append({ at, transactions, coldRange }) {
			if (writer.offset() >= SEGMENT_BYTES) await rotate();
			const { bytes, link } = encode(encodeBody(at, transactions), head);
			const { length } = bytes;
			await writer.append(bytes);
			const newest = segments.at(-1);
			if (newest) {
				newest.bytes = writer.offset();
				newest.coldRange = merge(newest.coldRange, coldRange);
			}
			head = { ...link, segment: writer.segment(), offset: writer.offset() };
			raiseMarkSoon();
			return length;
		},
		raiseMark,
		setSnapshot(sequence) {
			snapshotSequence = sequence;
			return raiseMark();
		},
		async close({ isStopped }) {
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
