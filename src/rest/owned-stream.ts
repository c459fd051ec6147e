import type { Response } from "express";
import { drained, requestIdOf } from "../http/http.js";

/** An owner's answer that comes in pieces of JSON text, for what may be too long to be held at once. */
export function isPieces(answer: object): answer is AsyncIterable<string> {
	return Symbol.asyncIterator in answer;
}

/**
 * Sends pieces as the `data` of the envelope, as fast as the caller takes them. What fails before the first piece is
 * thrown; after it, or when the signal is aborted, the connection is cut: half an answer never passes for a whole one.
 */
export async function sendPieces(
	res: Response,
	pieces: AsyncIterable<string>,
	signal: AbortSignal,
): Promise<void> {
	const iterator = pieces[Symbol.asyncIterator]();
	let next = await iterator.next();
	try {
		res.setHeader("Content-Type", "application/json; charset=utf-8");
		res.setHeader("Cache-Control", "private, no-store");
		res.write('{"ok":true,"data":');
		for (; !next.done; next = await iterator.next()) {
			if (res.destroyed) return;
			if (!res.write(next.value)) await drained(res, signal);
		}
		res.end(`,"meta":${JSON.stringify({ request_id: requestIdOf(res) })}}`);
	} catch (error) {
		res.destroy(error instanceof Error ? error : undefined);
	} finally {
		await iterator.return?.();
	}
}
