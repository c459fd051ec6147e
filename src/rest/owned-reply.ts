import type { Response } from "express";
import type { ReportFile } from "../contract/contract.js";
import { drained, requestIdOf } from "../http/http.js";
import type { Clock } from "../kernel/kernel.js";
import type { NumberedEvent } from "../sales/sales.js";
import { sendEventStream } from "./event-stream.js";

/** Answers of owners' routes that are no envelope: for their owner alone, kept by no cache. */

/** Events as they come; undefined when there is none left. */
export interface OwnedEvents {
	readonly events: AsyncGenerator<NumberedEvent, void, undefined> | undefined;
}

/** A report may come from anywhere: a browser that shows it runs nothing and fetches nothing. */
const DOCUMENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function sendOwnedDocument(res: Response, { text, mediaType, fileName }: ReportFile): void {
	res.setHeader("Cache-Control", "private, no-store");
	res.setHeader("Content-Security-Policy", DOCUMENT_POLICY);
	res.setHeader("X-Content-Type-Options", "nosniff");
	const shown = mediaType.startsWith("text/html") ? "inline" : "attachment";
	res.setHeader("Content-Disposition", `${shown}; filename="${fileName}"`);
	res.setHeader("Content-Type", mediaType);
	res.end(text);
}

/** 204 instructs a browser not to come back for more. */
export async function sendOwnedEvents(
	res: Response,
	{ events }: OwnedEvents,
	clock: Clock,
): Promise<void> {
	if (events) return sendEventStream(res, events, { clock });
	res.setHeader("Cache-Control", "private, no-store");
	res.status(204).end();
}

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
