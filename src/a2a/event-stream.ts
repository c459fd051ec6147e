import { formatSSEEvent, SSE_HEADERS } from "@a2a-js/sdk";
import type { Response } from "express";
import type { Clock } from "../kernel/kernel.js";

/** Paid text is for its buyer only, and a proxy that rewrites a stream would hold it back. */
export const PRIVATE_STREAM = "private, no-store, no-transform";

const HEARTBEAT_MS = 15_000;

/** Says now and then that a stream is still open: what stands between would close one that is silent. */
export function keepAlive(res: Response, clock: Clock): void {
	const stop = clock.every(HEARTBEAT_MS, () => {
		if (!res.writableEnded) res.write(": still here\n\n");
	});
	res.once("close", stop);
}

/** Writes the events as they come and stops pulling them once the caller has left. */
export async function sendEvents(
	res: Response,
	first: IteratorResult<unknown>,
	rest: AsyncIterator<unknown>,
): Promise<void> {
	for (const [name, value] of Object.entries(SSE_HEADERS)) res.setHeader(name, value);
	res.setHeader("Cache-Control", PRIVATE_STREAM);
	res.statusCode = 200;
	let next = first;
	while (!next.done && !res.destroyed) {
		res.write(formatSSEEvent(next.value));
		next = await rest.next();
	}
	if (!next.done) await rest.return?.();
	res.end();
}
