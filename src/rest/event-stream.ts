import type { Response } from "express";
import { drained } from "../http/http.js";
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
