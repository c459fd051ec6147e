import type { ServerResponse } from "node:http";

/**
 * Until the reader has caught up, or has left; how long one may stall is the connection's to judge. Rejects with the
 * signal's reason when that is aborted first.
 */
export function drained(res: ServerResponse, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = () => {
			res.off("drain", go).off("close", go);
			signal?.removeEventListener("abort", leave);
		};
		const go = () => {
			stop();
			resolve();
		};
		const leave = () => {
			stop();
			reject(signal?.reason);
		};
		res.once("drain", go).once("close", go);
		signal?.addEventListener("abort", leave, { once: true });
		if (signal?.aborted) leave();
		else if (res.destroyed) go();
	});
}
