import type { Steps } from "../../../src/knowledge/knowledge.js";

/** A file, piece by piece, as it is written; undefined where there is nothing yet. */
export type Pieces = Generator<string | Uint8Array | undefined, void>;

/** Texts are gathered up to this length before they become bytes. */
const CHUNK_CHARS = 64 * 1024;

/** Bytes of a file in chunks of some 64 KB, each of whole characters; undefined once there are more than `bytesMax`. */
export function* gatherPieces(
	pieces: Pieces,
	bytesMax: number,
): Steps<readonly Uint8Array[] | undefined> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	let text = "";
	const add = (chunk: Uint8Array): void => {
		bytes += chunk.byteLength;
		chunks.push(chunk);
	};
	for (const piece of pieces) {
		if (typeof piece === "string") text += piece;
		else if (piece) add(piece);
		if (text.length >= CHUNK_CHARS) {
			add(Buffer.from(text, "utf8"));
			text = "";
		}
		if (bytes > bytesMax) return undefined;
		yield;
	}
	if (text !== "") add(Buffer.from(text, "utf8"));
	return bytes > bytesMax ? undefined : chunks;
}
