import { crc32 } from "node:zlib";
import { writeDurably } from "./durable-file.js";
import type { FileSystem, OpenFile } from "./file-system.js";
import { hex } from "./frame.js";
import type { JournalHead } from "./segment.js";

const SLOT_BYTES = 512;
const RECORD_BYTES = SLOT_BYTES - 10;

/** A frame that was durable, and the newest snapshot: a journal that ends before it has lost something. */
export interface MarkRecord extends JournalHead {
	/** Sequence of the newest snapshot; zero when there is none. */
	readonly snapshot: number;
}

/** `missing`: no file. `damaged`: a file without one good record. */
export type MarkFound = MarkRecord | "missing" | "damaged";

export interface HighWaterMark {
	readonly found: MarkFound;
	/** Records a frame that is durable already. Calls may overlap; each resolves when its record is on the disk. */
	raise(record: MarkRecord): Promise<void>;
	close(): Promise<void>;
}

/**
 * Two slots of one sector each, written in turn and synced: a power cut spoils at most the slot being written, and the
 * other one still tells a bound that holds.
 */
export async function openHighWaterMark(
	fileSystem: FileSystem,
	path: string,
): Promise<HighWaterMark> {
	const bytes = await fileSystem.read(path);
	const newest = bytes && findNewest(bytes);
	let turn = newest?.turn ?? 0;
	let file: OpenFile | undefined;
	let last: Promise<void> = Promise.resolve();

	const write = async (record: MarkRecord) => {
		// Opened late, so that a refused start changes nothing.
		file ??= await fileSystem.open(path, bytes ? "existing" : "create");
		turn += 1;
		await writeDurably(file, encodeSlot({ ...record, turn }), (turn % 2) * SLOT_BYTES);
	};

	return {
		found: newest?.record ?? (bytes ? "damaged" : "missing"),
		raise(record) {
			last = last.then(() => write(record));
			return last;
		},
		async close() {
			await last.catch(() => undefined);
			await file?.close();
		},
	};
}

interface Slot {
	readonly turn: number;
	readonly record: MarkRecord;
}

function findNewest(bytes: Buffer): Slot | undefined {
	const slots = [0, SLOT_BYTES].flatMap((start) => decodeSlot(bytes, start) ?? []);
	return slots.sort((a, b) => b.turn - a.turn)[0];
}

function encodeSlot(fields: MarkRecord & { readonly turn: number }): Buffer {
	const { turn, sequence, crc, segment, offset, snapshot } = fields;
	const text = JSON.stringify({ turn, sequence, crc, segment, offset, snapshot });
	const record = text.padEnd(RECORD_BYTES);
	return Buffer.from(`${record} ${hex(crc32(record), 8)}\n`, "latin1");
}

function decodeSlot(bytes: Buffer, start: number): Slot | undefined {
	const record = bytes.toString("latin1", start, start + RECORD_BYTES);
	const rest = bytes.toString("latin1", start + RECORD_BYTES, start + SLOT_BYTES);
	if (rest !== ` ${hex(crc32(record), 8)}\n`) return undefined;
	const { turn, ...fields } = JSON.parse(record) as MarkRecord & { turn: number };
	return { turn, record: fields };
}
