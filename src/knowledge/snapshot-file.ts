import { createHash } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { nodeBundleDisk } from "./bundle-disk.js";

/** A file of JSON lines. The last one holds the SHA-256 of all bytes before it: a file that was cut off or changed has none that fits. */

/** So much is hashed or written before others get their turn. */
const PIECE_BYTES = 512 * 1024;
const NEW_LINE = 0x0a;

/** The values of all lines but the last, parsed one at a time; undefined when the file is missing or not as it was written. */
export async function readSnapshotLines(file: string): Promise<Generator<unknown> | undefined> {
	const bytes = await readFile(file).catch(() => undefined);
	if (!bytes) return undefined;
	const end = bytes.lastIndexOf(NEW_LINE, bytes.length - 2) + 1;
	const hash = createHash("sha256");
	for (let from = 0; from < end; from += PIECE_BYTES) {
		hash.update(bytes.subarray(from, Math.min(from + PIECE_BYTES, end)));
		await setImmediate();
	}
	const isWhole = bytes.toString("latin1", end) === toLine(hash.digest("hex"));
	return isWhole ? parseLines(bytes, end) : undefined;
}

function* parseLines(bytes: Buffer, end: number): Generator<unknown> {
	for (let from = 0; from < end; ) {
		const to = bytes.indexOf(NEW_LINE, from);
		yield JSON.parse(bytes.toString("utf8", from, to));
		from = to + 1;
	}
}

/** Puts a new file in place of an old one once it is whole and on the disk; one writer at a time. */
export async function writeSnapshotLines(
	file: string,
	values: Iterable<unknown>,
	signal: AbortSignal,
): Promise<void> {
	const temporary = `${file}.tmp`;
	try {
		const handle = await open(temporary, "w", 0o600);
		try {
			const hash = createHash("sha256");
			for (const piece of toPieces(values)) {
				hash.update(piece);
				await handle.writeFile(piece);
				signal.throwIfAborted();
			}
			await handle.writeFile(toLine(hash.digest("hex")));
			await handle.sync();
		} finally {
			await handle.close();
		}
		await rename(temporary, file);
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	}
	await nodeBundleDisk.syncFolder(dirname(file));
}

function* toPieces(values: Iterable<unknown>): Generator<Buffer> {
	let text = "";
	for (const value of values) {
		text += toLine(value);
		if (text.length < PIECE_BYTES) continue;
		yield Buffer.from(text, "utf8");
		text = "";
	}
	yield Buffer.from(text, "utf8");
}

function toLine(value: unknown): string {
	return `${JSON.stringify(value)}\n`;
}
