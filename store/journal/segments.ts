import { join } from "node:path";
import { timeOfId } from "../../src/kernel/kernel.js";
import { isFull } from "./damage.js";
import { type FileSystem, type OpenFile, writeDurably, writeFully } from "./file-system.js";
import { type ChainLink, HEADER_BYTES, readFrame } from "./frame.js";

/** Times of birth of the cold rows of a segment, by their ids. */
export interface TimeRange {
	readonly from: number;
	readonly to: number;
}

/** What is known of one segment file without reading it. */
export interface SegmentFacts {
	readonly number: number;
	/** The chain just before its first frame. */
	readonly start: ChainLink;
	/** Bytes up to the end of its last durable frame. */
	bytes: number;
	coldRange: TimeRange | undefined;
}

/** The last durable frame and where it ends. */
export interface JournalHead extends ChainLink {
	readonly segment: number;
	readonly offset: number;
}

const NAME = /^(\d{8})\.journal$/;
const ALWAYS: TimeRange = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

export function segmentPath(folder: string, number: number): string {
	return join(folder, `${String(number).padStart(8, "0")}.journal`);
}

/** Numbers of the segment files in a folder, ascending. */
export async function listSegments(fileSystem: FileSystem, folder: string): Promise<number[]> {
	const names = await fileSystem.list(folder);
	return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
}

/** Widens a range so that it covers a row's id; an id without a time makes it cover all. */
export function widen(range: TimeRange | undefined, id: string): TimeRange {
	const time = timeOfId(id);
	return time === undefined ? ALWAYS : (merge(range, { from: time, to: time }) ?? ALWAYS);
}

export function merge(
	one: TimeRange | undefined,
	other: TimeRange | undefined,
): TimeRange | undefined {
	if (!one || !other) return one ?? other;
	return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}

/** False when the segment cannot hold a cold row with this id. */
export function mayHold({ coldRange }: SegmentFacts, id: string): boolean {
	if (!coldRange) return false;
	const time = timeOfId(id);
	return time === undefined
		? coldRange.from === ALWAYS.from
		: coldRange.from <= time && time <= coldRange.to;
}

export interface Frame {
	readonly link: ChainLink;
	readonly json: () => string;
	readonly end: number;
}

/** Checks frame after frame of a segment until the end, or the first that is not good: `problem` says why. */
export function walkFrames(
	bytes: Buffer,
	start: ChainLink,
	onFrame: (frame: Frame) => void = () => undefined,
) {
	let link = start;
	let end = 0;
	/** Where the last good frame begins. */
	let lastStart: number | undefined;
	while (end < bytes.length) {
		const frame = readFrame(bytes, end, link);
		if ("problem" in frame) return { link, lastStart, end, problem: frame.problem };
		lastStart = end;
		({ link, end } = frame);
		const { bodyStart } = frame;
		onFrame({ link, end, json: () => bytes.toString("utf8", bodyStart, frame.end) });
	}
	return { link, lastStart, end, problem: undefined };
}

/** Reads only as much of a segment as names its first frame. */
export function readFirstHeader(
	fileSystem: FileSystem,
	folder: string,
	number: number,
): Promise<Buffer> {
	return fileSystem.readPart(segmentPath(folder, number), 0, HEADER_BYTES);
}

/** A segment that reached this size is closed and never changes again. */
export const SEGMENT_BYTES = 4 * 1024 * 1024;
/** Written ahead as zeros: commits that change no file length sync half again as fast. */
const ALLOCATED_BYTES = 256 * 1024;

export type SegmentWriter = Awaited<ReturnType<typeof openSegmentWriter>>;

/**
 * Appends frames to the newest segment; one caller at a time. After a rejection only the same call may come again, and only
 * where there was no room.
 */
export async function openSegmentWriter({
	fileSystem,
	folder,
	segment,
	offset,
	exists,
	lastFrame,
	beforeCut,
}: {
	readonly fileSystem: FileSystem;
	readonly folder: string;
	readonly segment: number;
	readonly offset: number;
	/** False: the segment's file is yet to be made. */
	readonly exists: boolean;
	/** Written again: after a crash or a failed sync it may be in the system's memory only, although reading finds it. */
	readonly lastFrame?: { readonly bytes: Buffer; readonly start: number } | undefined;
	/** All frames are durable, and the file is about to end at the last of them: the next start is to know why it is short. */
	readonly beforeCut: () => Promise<void>;
}) {
	const openFile = async (number: number, how: "create" | "existing"): Promise<OpenFile> => {
		const path = segmentPath(folder, number);
		const opened = await fileSystem.open(path, how);
		if (how === "existing") return opened;
		try {
			await fileSystem.syncFolder(folder);
			return opened;
		} catch (error) {
			await opened.close();
			// So that it can be made again.
			if (isFull(error)) await fileSystem.remove(path);
			throw error;
		}
	};
	let file = await openFile(segment, exists ? "existing" : "create");
	if (exists) {
		if (lastFrame) await writeFully(file, lastFrame.bytes, lastFrame.start);
		await file.sync();
		await beforeCut();
		await file.truncate(offset);
		await file.sync();
	}
	let length = offset;
	/** Whether the file ends at its last frame, on the disk. */
	let isCut = true;

	const cutAllocated = async () => {
		if (isCut) return;
		length = offset;
		await beforeCut();
		await file.truncate(offset);
		await file.sync();
		isCut = true;
	};

	return {
		segment: () => segment,
		offset: () => offset,
		/** Bytes that the file has at least, on the disk. */
		length: () => length,
		/** Resolves when the frame is on the disk: one write, one fdatasync. */
		async append(frame: Buffer): Promise<void> {
			const bytes = offset + frame.length > length ? withAllocated(frame, offset) : frame;
			isCut = false;
			await writeDurably(file, bytes, offset);
			length = Math.max(length, offset + bytes.length);
			offset += frame.length;
		},
		/** Closes the segment at its exact length and begins the next. */
		async rotate(): Promise<void> {
			await cutAllocated();
			const next = await openFile(segment + 1, "create");
			await file.close();
			file = next;
			segment += 1;
			offset = 0;
			length = 0;
		},
		async close(): Promise<void> {
			await cutAllocated();
			await file.close();
		},
		/** Closes the file as it is, after a failure. */
		abandon: () => file.close(),
	};
}

/**
 * Whether the file of the newest segment is shorter than it was made before its last frame was written: then frames behind
 * that one may be gone, too. Its length is a whole number of allocations, or what it was cut to, unless the very write that
 * was to make it longer was interrupted.
 */
export function isCutShort({
	fileBytes,
	lastStart = 0,
	knownBytes,
}: {
	readonly fileBytes: number;
	/** Where the last good frame begins. */
	readonly lastStart?: number | undefined;
	/** Which the mark says that it has at least. */
	readonly knownBytes: number;
}): boolean {
	if (fileBytes < knownBytes) return true;
	const isWhole = fileBytes % ALLOCATED_BYTES === 0 || fileBytes === knownBytes;
	const before = Math.max(fileBytes - (fileBytes % ALLOCATED_BYTES), knownBytes);
	return !isWhole && lastStart > before;
}

function withAllocated(frame: Buffer, offset: number): Buffer {
	const end = Math.ceil((offset + frame.length) / ALLOCATED_BYTES) * ALLOCATED_BYTES;
	const bytes = Buffer.alloc(end - offset);
	frame.copy(bytes);
	return bytes;
}
