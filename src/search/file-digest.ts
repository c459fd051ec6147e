import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

export interface FileDigest {
	/** In hex. */
	readonly sha256: string;
	readonly bytes: number;
}

/** Reads in pieces: weights may be larger than what memory should hold at once. */
export async function sha256OfFile(path: string): Promise<FileDigest> {
	const hash = createHash("sha256");
	let bytes = 0;
	for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
		hash.update(chunk as Buffer);
		bytes += (chunk as Buffer).length;
	}
	return { sha256: hash.digest("hex"), bytes };
}

/** In hex. */
export function sha256OfText(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
