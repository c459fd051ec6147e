import { ServiceError } from "../kernel/kernel.js";

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

interface ReplyBound {
	readonly host: string;
	readonly bytesMax: number;
}

/** Reads a reply to its end, and never past the limit. Throws UPSTREAM. */
export async function readBounded(chunks: Chunks, bound: ReplyBound): Promise<Buffer<ArrayBuffer>> {
	const read: Uint8Array[] = [];
	for await (const chunk of boundChunks(chunks, bound)) read.push(chunk);
	return Buffer.concat(read);
}

/** Hands a reply on as it comes, and never past the limit. Throws UPSTREAM. */
export async function* boundChunks(
	chunks: Chunks,
	{ host, bytesMax }: ReplyBound,
): AsyncGenerator<Uint8Array> {
	let length = 0;
	for await (const chunk of chunks) {
		length += chunk.byteLength;
		if (length > bytesMax) throw new ServiceError("UPSTREAM", `The reply of ${host} is too long.`);
		yield chunk;
	}
}

export function toResponse(status: number, headers: Headers, body: Buffer<ArrayBuffer>): Response {
	const isBodiless = status === 204 || status === 205 || status === 304;
	return new Response(isBodiless ? null : body, { status, headers });
}
