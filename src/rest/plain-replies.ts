/** Replies that are no JSON envelope: event streams, and documents for their owner alone, which no cache keeps. */
import type { Response } from "express";
import type { ReportFile } from "../contract/contract.js";
import { drained, requestIdOf } from "../http/http.js";
import type { Clock } from "../kernel/kernel.js";
import type { NumberedEvent } from "../sales/sales.js";

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 3_000;

const HEADERS = {
	"Content-Type": "text/event-stream; charset=utf-8",
	// A proxy that compresses or rewrites a stream would hold it back.
	"Cache-Control": "private, no-store, no-transform",
	"X-Accel-Buffering": "no",
} as const;

/**
 * Writes Server-Sent Events as they come, with integer ids, waits for slow readers, and stops pulling once the caller
 * has left. Headers that were set before go with the first event.
 */
export async function sendEventStream(
	res: Response,
	events: AsyncGenerator<NumberedEvent, void, undefined>,
	{
		clock,
		onBegun,
	}: { clock: Clock /** The first event was handed to the connection. */; onBegun?(): void },
): Promise<void> {
	for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value);
	res.statusCode = 200;
	const stopHeartbeat = clock.every(HEARTBEAT_MS, () => res.write(": still here\n\n"));
	try {
		let isFirst = true;
		for await (const { id, event, data } of events) {
			const retry = isFirst ? `retry: ${RETRY_MS}\n` : "";
			const isWritten = res.write(
				`${retry}id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
			);
			if (res.destroyed) return;
			if (isFirst) onBegun?.();
			isFirst = false;
			if (!isWritten) await drained(res);
		}
		res.end();
	} finally {
		stopHeartbeat();
	}
}

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
