import { type ChainLink, expectedStart, HEADER_BYTES, HEADER_FIELDS, hex } from "./frame.js";

/** Disks write whole sectors: a power cut leaves a sector of the last write new or untouched, which here means zeros. */
const SECTOR_BYTES = 512;
const NEWLINE = 0x0a;

/**
 * What the bytes after the last good frame are:
 * `clean` nothing but zeros; `torn` a frame that a crash cut short, never acknowledged; `damaged` anything else.
 */
export type TailKind = "clean" | "torn" | "damaged";

/**
 * Judges the end of the last segment. Only one frame is ever on its way to the disk, so a torn tail is part of one
 * frame: it ends early, or whole sectors of it are zeros. A frame ends with the only newline it has, hence a newline
 * in the wrong place, or a complete frame that fails its checksum, was damaged later and may have been acknowledged.
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
	const { lengthAt } = HEADER_FIELDS;
	if (tail.length < HEADER_BYTES || tail.subarray(0, HEADER_BYTES).includes(0)) return undefined;
	return HEADER_BYTES + Number.parseInt(tail.toString("latin1", lengthAt, lengthAt + 8), 16);
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
