import { writeDurably, writeFully } from "./durable-file.js";
import type { FileSystem, OpenFile } from "./file-system.js";
import { segmentPath } from "./segment.js";

/** A segment that reached this size is closed and never changes again. */
export const SEGMENT_BYTES = 4 * 1024 * 1024;
/**
 * Room written ahead as zeros, so that most commits change no file length: the disk then syncs them half again as fast.
 * Commits above `LARGE_BYTES` spread that cost by themselves.
 */
const ROOM_BYTES = 256 * 1024;
const LARGE_BYTES = 64 * 1024;

/** Appends frames to the newest segment; one caller at a time. After a rejection it must not be used again. */
export interface SegmentWriter {
	readonly segment: () => number;
	/** Where the next frame goes. */
	readonly offset: () => number;
	/** Resolves when the frame is on the disk: one write, one fdatasync. */
	append(frame: Buffer): Promise<void>;
	/** Closes the segment at its exact length and begins the next. */
	rotate(): Promise<void>;
	/** Cuts the room written ahead and closes the file. */
	close(): Promise<void>;
	/** Closes the file as it is, after a failure. */
	abandon(): Promise<void>;
}

export interface SegmentWriterStart {
	readonly fileSystem: FileSystem;
	readonly folder: string;
	readonly segment: number;
	readonly offset: number;
	/** False: the segment's file is yet to be made. */
	readonly exists: boolean;
	/**
	 * The last frame, written again: after a crash or a failed sync it may be in the system's memory only, although
	 * reading finds it.
	 */
	readonly lastFrame?: { readonly bytes: Buffer; readonly start: number } | undefined;
}

export async function openSegmentWriter(start: SegmentWriterStart): Promise<SegmentWriter> {
	const { fileSystem, folder, exists, lastFrame } = start;
	const openFile = async (number: number, how: "create" | "existing"): Promise<OpenFile> => {
		const opened = await fileSystem.open(segmentPath(folder, number), how);
		if (how === "create") await fileSystem.syncFolder(folder);
		return opened;
	};
	let { segment, offset } = start;
	let file = await openFile(segment, exists ? "existing" : "create");
	if (exists) {
		await file.truncate(offset);
		if (lastFrame) await writeFully(file, lastFrame.bytes, lastFrame.start);
		await file.sync();
	}
	let length = offset;

	const cutRoom = async () => {
		if (length === offset) return;
		await file.truncate(offset);
		await file.sync();
		length = offset;
	};

	return {
		segment: () => segment,
		offset: () => offset,
		async append(frame) {
			const bytes = offset + frame.length > length ? withRoom(frame, offset) : frame;
			await writeDurably(file, bytes, offset);
			length = Math.max(length, offset + bytes.length);
			offset += frame.length;
		},
		async rotate() {
			await cutRoom();
			await file.close();
			segment += 1;
			file = await openFile(segment, "create");
			offset = 0;
			length = 0;
		},
		async close() {
			await cutRoom();
			await file.close();
		},
		abandon: () => file.close(),
	};
}

function withRoom(frame: Buffer, offset: number): Buffer {
	if (frame.length > LARGE_BYTES) return frame;
	const end = Math.ceil((offset + frame.length) / ROOM_BYTES) * ROOM_BYTES;
	const bytes = Buffer.alloc(end - offset);
	frame.copy(bytes);
	return bytes;
}
