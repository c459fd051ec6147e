import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";

export interface FileDigest {
	/** In hex. */
	readonly sha256: string;
	readonly bytes: number;
}

/** Larger files are read in pieces: weights may be larger than what memory should hold at once. */
const WHOLE_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

export async function sha256OfFile(path: string): Promise<FileDigest> {
	const hash = createHash("sha256");
	const { size } = await stat(path);
	if (size <= WHOLE_BYTES) {
		const content = await readFile(path);
		return { sha256: hash.update(content).digest("hex"), bytes: content.length };
	}
	let bytes = 0;
	for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
		hash.update(piece as Buffer);
		bytes += (piece as Buffer).length;
	}
	return { sha256: hash.digest("hex"), bytes };
}

/** In hex. */
export function sha256OfText(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
