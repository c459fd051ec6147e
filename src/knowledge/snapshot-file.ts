import { createHash, webcrypto } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { nodeBundleDisk } from "./bundle-update.js";

/** A file of JSON lines. The last one holds the SHA-256 of all bytes before it: a file that was cut off or changed has none that fits. */

const PIECE_BYTES = 128 * 1024;
const NEW_LINE = 0x0a;
const { subtle } = webcrypto;

export type SnapshotLines = NonNullable<Awaited<ReturnType<typeof readSnapshotLines>>>;

/** A first line that is longer is none of ours: it names a folder, and a path has an end. */
const FIRST_LINE_BYTES = 32 * 1024;

/** The first line alone, of which nothing says that it is as it was written; undefined for what is no line of JSON. */
export async function readFirstLine(file: string): Promise<unknown> {
	const handle = await open(file).catch(() => undefined);
	if (!handle) return undefined;
	try {
		const buffer = Buffer.alloc(FIRST_LINE_BYTES);
		const { bytesRead } = await handle.read({ buffer });
		return toLines(buffer.subarray(0, bytesRead)).next();
	} catch {
		return undefined;
	} finally {
		await handle.close();
	}
}

/** All lines but the last; undefined when there is no such file. */
export async function readSnapshotLines(file: string) {
	const bytes = await readFile(file).catch(() => undefined);
	if (!bytes) return undefined;
	const end = bytes.lastIndexOf(NEW_LINE, bytes.length - 2) + 1;
	const content = bytes.subarray(0, end);
	const lastLine = bytes.toString("latin1", end);
	// Another thread adds up the bytes while this one parses them; until it has, nothing that was read may be used.
	const isWhole = subtle
		.digest("SHA-256", content)
		.then((digest) => lastLine === toLine(Buffer.from(digest).toString("hex")));
	return { ...toLines(content), isWhole };
}

function toLines(bytes: Buffer) {
	let from = 0;
	/** Undefined after the last one; throws for what is no JSON. */
	const next = (): unknown => {
		const to = bytes.indexOf(NEW_LINE, from);
		if (to < 0) return undefined;
		const value: unknown = JSON.parse(bytes.toString("utf8", from, to));
		from = to + 1;
		return value;
	};
	return {
		next,
		/** Lines not asked for yet, each parsed when its turn comes; the bytes before them are freed. */
		rest: () => allOf(Buffer.from(bytes.subarray(from))),
	};
}

function* allOf(bytes: Buffer): Generator<unknown, void> {
	const { next } = toLines(bytes);
	for (let value = next(); value !== undefined; value = next()) yield value;
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
