const SECTOR_BYTES = 512;

/** Bytes as programs see them, and the way back to those that would be found after a power cut. */
export interface FakeFile {
	/** May be longer than the file. */
	room: Buffer;
	length: number;
	/** What was not synced yet, oldest first. */
	unsynced: Change[];
}

interface Change {
	readonly position: number;
	/** What was there before. */
	readonly bytes: Buffer;
	/** The file's length before. */
	readonly length: number;
}

export function fileOf(bytes: Buffer): FakeFile {
	return { room: Buffer.from(bytes), length: bytes.length, unsynced: [] };
}

/** A copy, so that later writes do not show in it. */
export function readAll(file: FakeFile): Buffer;
export function readAll(file: FakeFile | undefined): Buffer | undefined;
export function readAll(file: FakeFile | undefined): Buffer | undefined {
	return file && Buffer.from(file.room.subarray(0, file.length));
}

export function put(file: FakeFile, bytes: Uint8Array, position: number): void {
	const end = position + bytes.length;
	note(file, position, Math.min(end, file.length));
	if (end > file.room.length) {
		const room = Buffer.alloc(Math.max(end, 2 * file.room.length));
		file.room.copy(room, 0, 0, file.length);
		file.room = room;
	}
	// What is skipped reads as zeros.
	if (position > file.length) file.room.fill(0, file.length, position);
	file.room.set(bytes, position);
	file.length = Math.max(file.length, end);
}

export function cut(file: FakeFile, length: number): void {
	if (length > file.length) put(file, Buffer.alloc(length - file.length), file.length);
	note(file, length, file.length);
	file.length = length;
}

/** Remembers what lies between two positions, before it changes. */
function note(file: FakeFile, from: number, to: number): void {
	const bytes = Buffer.from(file.room.subarray(from, Math.max(from, to)));
	file.unsynced.push({ position: from, bytes, length: file.length });
}

function durableOf({ room, length, unsynced }: FakeFile): Buffer {
	const bytes = Buffer.alloc(Math.max(length, ...unsynced.map((change) => change.length)));
	room.copy(bytes, 0, 0, length);
	for (const change of unsynced.toReversed()) change.bytes.copy(bytes, change.position);
	return bytes.subarray(0, unsynced[0]?.length ?? length);
}

/** Each sector is as synced or as written last; the length is anywhere between the two. */
export function mixSectors(file: FakeFile, random: () => number): Buffer {
	const cached = readAll(file);
	if (file.unsynced.length === 0) return cached;
	const durable = durableOf(file);
	const length = durable.length + Math.round(random() * (cached.length - durable.length));
	const mixed = Buffer.alloc(length);
	durable.copy(mixed);
	for (let at = 0; at < length; at += SECTOR_BYTES) {
		const end = Math.min(at + SECTOR_BYTES, length, cached.length);
		if (at < end && random() < 0.5) cached.copy(mixed, at, at, end);
	}
	return mixed;
}
