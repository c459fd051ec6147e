import { ServiceError } from "../kernel/kernel.js";

/** Reads a reply to its end, and never past the limit. Throws UPSTREAM. */
export async function readBounded(
	chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
	{ host, bytesMax }: { readonly host: string; readonly bytesMax: number },
): Promise<Buffer<ArrayBuffer>> {
	const read: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of chunks) {
		length += chunk.byteLength;
		if (length > bytesMax) throw new ServiceError("UPSTREAM", `The reply of ${host} is too long.`);
		read.push(chunk);
	}
	return Buffer.concat(read);
}

export function toResponse(status: number, headers: Headers, body: Buffer<ArrayBuffer>): Response {
	const isBodiless = status === 204 || status === 205 || status === 304;
	return new Response(isBodiless ? null : body, { status, headers });
}
