import { crc32 } from "node:zlib";

/**
 * A frame is one line of text: `tg1 <sequence, 12 hex> <body bytes, 8 hex> <previous CRC, 8 hex>
 * <CRC, 8 hex> <JSON>\n`. The CRC-32 covers the header before it and the body with its newline;
 * naming the previous one makes a chain.
 */
export const HEADER_BYTES = 44;

const COVERED_BYTES = 35;
const LENGTH_AT = 17;
const NEWLINE = 0x0a;
const MAX_BODY_BYTES = 0xffff_ffff;
/** Larger buffers are not reused for the next frame. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** Where the chain stands: the last frame's number and checksum; zeros before the first frame. */
export interface ChainLink {
	readonly sequence: number;
	readonly crc: number;
}
export const CHAIN_START: ChainLink = { sequence: 0, crc: 0 };

/** Returns a function that turns JSON text (without raw newlines) into a frame, valid until the next one is encoded. */
export function createFrameEncoder() {
	let buffer = Buffer.alloc(64 * 1024);
	return (json: string, previous: ChainLink) => {
		const capacity = HEADER_BYTES + json.length * 3 + 1;
		if (capacity > buffer.length) buffer = Buffer.allocUnsafeSlow(capacity);
		const frame = encodeInto(buffer, json, previous);
		if (buffer.length > KEPT_BYTES) buffer = Buffer.alloc(64 * 1024);
		return frame;
	};
}

function encodeInto(buffer: Buffer, json: string, previous: ChainLink) {
	const end = HEADER_BYTES + buffer.write(json, HEADER_BYTES, "utf8");
	buffer[end] = NEWLINE;
	const bodyBytes = end + 1 - HEADER_BYTES;
	if (bodyBytes > MAX_BODY_BYTES) throw new Error("a frame cannot hold more than 4 GiB");
	const start = `${expectedStart(previous)}${hex(bodyBytes, 8)} ${hex(previous.crc, 8)} `;
	buffer.write(start, 0, "latin1");
	const bytes = buffer.subarray(0, end + 1);
	const crc = checksumOf(bytes);
	buffer.write(`${hex(crc, 8)} `, COVERED_BYTES, "latin1");
	return { bytes, link: { sequence: previous.sequence + 1, crc } };
}

/** The text every frame after `previous` begins with: magic and sequence. */
function expectedStart(previous: ChainLink): string {
	return `tg1 ${hex(previous.sequence + 1, 12)} `;
}

const HEADER = /^tg1 ([0-9a-f]{12}) ([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8}) $/;

/** Reads the header at an offset; undefined when there is none, whole and well-formed. */
export function decodeHeader(bytes: Buffer, offset: number) {
	const match = HEADER.exec(bytes.toString("latin1", offset, offset + HEADER_BYTES));
	if (!match) return undefined;
	const [sequence = 0, bodyBytes = 0, previousCrc = 0, crc = 0] = match
		.slice(1)
		.map((text) => Number.parseInt(text, 16));
	return { sequence, bodyBytes, previousCrc, crc };
}

export type FrameReading =
	| { readonly link: ChainLink; readonly bodyStart: number; readonly end: number }
	/** Why there is no frame here that follows the previous one; a clause for a sentence. */
	| { readonly problem: string };

/** Checks the frame at an offset: its form, its place in the chain and its checksum. */
export function readFrame(bytes: Buffer, offset: number, previous: ChainLink): FrameReading {
	const header = decodeHeader(bytes, offset);
	if (!header) return { problem: "no frame header is there" };
	const { sequence, crc, previousCrc } = header;
	if (sequence !== previous.sequence + 1) {
		return { problem: `frame ${sequence} is there instead of frame ${previous.sequence + 1}` };
	}
	if (previousCrc !== previous.crc) return { problem: "the frame does not follow the one before" };
	const bodyStart = offset + HEADER_BYTES;
	const end = bodyStart + header.bodyBytes;
	if (end > bytes.length) return { problem: "the file ends within the frame" };
	if (bytes[end - 1] !== NEWLINE || checksumOf(bytes.subarray(offset, end)) !== crc) {
		return { problem: "the checksum does not match" };
	}
	return { link: { sequence, crc }, bodyStart, end };
}

export function hex(value: number, digits: number): string {
	return value.toString(16).padStart(digits, "0");
}

function checksumOf(frame: Buffer): number {
	return crc32(frame.subarray(HEADER_BYTES), crc32(frame.subarray(0, COVERED_BYTES)));
}

/** Disks write whole sectors: a power cut leaves a sector of the last write new or untouched, which here means zeros. */
const SECTOR_BYTES = 512;

/** `clean`: only zeros; `torn`: cut short by a crash, never acknowledged; `damaged`: anything else. */
export type TailKind = "clean" | "torn" | "damaged";

/**
 * Judges the end of the last segment. Only one frame is ever being written, so a torn tail is part
 * of one frame: it ends early, or whole sectors of it are zeros. A newline in the wrong place, or a
 * complete frame that fails its checksum, was damaged later and may have been acknowledged.
 */
export function judgeTail(bytes: Buffer, offset: number, previous: ChainLink): TailKind {
	const tail = bytes.subarray(offset, lastWrittenByte(bytes, offset) + 1);
	if (tail.length === 0) return "clean";
	const newline = tail.indexOf(NEWLINE);
	const isEnded = newline === tail.length - 1;
	if (newline !== -1 && !isEnded) return "damaged";
	const holes = findHoles(tail, offset);
	if (holes === "odd" || !isHeaderPart(tail, previous)) return "damaged";
	return isPartial(tail, { isEnded, hasHoles: holes === "sectors" }) ? "torn" : "damaged";
}

function isPartial(
	tail: Buffer,
	{ isEnded, hasHoles }: { isEnded: boolean; hasHoles: boolean },
): boolean {
	const total = totalBytes(tail);
	if (isEnded) return hasHoles && (total === undefined || total === tail.length);
	return total === undefined || tail.length < total;
}

/** Length of the frame that begins here, or undefined when its header is not all there. */
function totalBytes(tail: Buffer): number | undefined {
	if (tail.length < HEADER_BYTES || tail.subarray(0, HEADER_BYTES).includes(0)) return undefined;
	return HEADER_BYTES + Number.parseInt(tail.toString("latin1", LENGTH_AT, LENGTH_AT + 8), 16);
}

function lastWrittenByte(bytes: Buffer, offset: number): number {
	let last = bytes.length - 1;
	while (last >= offset && bytes[last] === 0) last--;
	return last;
}

/** Zeros must fill sectors from their first byte, or from the frame's, to their last. */
function findHoles(tail: Buffer, offset: number): "none" | "sectors" | "odd" {
	let found: "none" | "sectors" = "none";
	for (let at = tail.indexOf(0); at !== -1; at = tail.indexOf(0, at)) {
		const start = at;
		while (tail[at] === 0) at++;
		const isStartAligned = start === 0 || (offset + start) % SECTOR_BYTES === 0;
		if (!isStartAligned || (offset + at) % SECTOR_BYTES !== 0) return "odd";
		found = "sectors";
	}
	return found;
}

const HEX = "0123456789abcdef";

/** True when what is left of the header can only belong to the frame that comes next. */
function isHeaderPart(tail: Buffer, previous: ChainLink): boolean {
	const anyLength = "?".repeat(8);
	const pattern = `${expectedStart(previous)}${anyLength} ${hex(previous.crc, 8)} ${anyLength} `;
	for (let at = 0; at < Math.min(pattern.length, tail.length); at++) {
		const [expected, byte = 0] = [pattern.charAt(at), tail[at]];
		if (byte === 0) continue;
		const found = String.fromCharCode(byte);
		if (expected === "?" ? !HEX.includes(found) : found !== expected) return false;
	}
	return true;
}
