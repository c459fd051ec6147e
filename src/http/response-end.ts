import type { ServerResponse } from "node:http";
import type { CallResult } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";

export interface CallerWatch {
	readonly signal: AbortSignal;
	/** Set once the time is over. */
	readonly timeout: () => ServiceError | undefined;
	readonly stop: () => void;
}

/** Aborts the work for a caller who leaves before the answer, or waits too long: it must end and cost nothing. */
export function watchCaller(res: ServerResponse, clock: Clock, timeoutMs: number): CallerWatch {
	const controller = new AbortController();
	const { socket } = res.req;
	let timeout: ServiceError | undefined;
	const onClose = () => {
		if (!res.writableFinished) controller.abort(new Error("The caller left."));
	};
	const cancelTimer = clock.after(timeoutMs, () => {
		timeout = new ServiceError(
			"UNAVAILABLE",
			`The answer took longer than ${timeoutMs / 1000} seconds and was not charged; send the same request again later.`,
		);
		controller.abort(timeout);
	});
	if (hasLeft(res)) onClose();
	res.once("close", onClose);
	// Of pipelined responses only the first owns the socket, and node tells no other that it closed.
	socket.setMaxListeners(0);
	socket.once("close", onClose);
	return {
		signal: controller.signal,
		timeout: () => timeout,
		stop() {
			cancelTimer();
			res.off("close", onClose);
			socket.off("close", onClose);
		},
	};
}

/** Work that ends when the caller leaves or the time is over; then throws UNAVAILABLE. */
export async function whileCallerWaits<T>(
	res: ServerResponse,
	{ clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const watch = watchCaller(res, clock, timeoutMs);
	try {
		return await work(watch.signal);
	} catch (error) {
		throw error instanceof ServiceError ? error : (watch.timeout() ?? error);
	} finally {
		watch.stop();
	}
}

/** True when the connection is gone. */
export function hasLeft(res: ServerResponse): boolean {
	return res.destroyed || res.req.socket.destroyed;
}

/** Resolves when the reader has caught up or left (stalls are cut in connections.ts). Rejects when the signal is aborted first. */
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

/** Reports to the payment rail how the answer ended: wholly handed to the connection, or cut off. */
export function reportDelivery(
	res: ServerResponse,
	{ onDelivered, onAbandoned }: Pick<CallResult, "onDelivered" | "onAbandoned">,
): void {
	if (!onDelivered && !onAbandoned) return;
	const { socket } = res.req;
	const stop = () => {
		res.off("finish", finished);
		res.off("close", closed);
		socket.off("close", closed);
	};
	const closed = () => {
		stop();
		onAbandoned?.();
	};
	const finished = () => {
		// Node emits "finish" for what it discarded when the connection broke, too.
		if (socket.destroyed) return closed();
		stop();
		return onDelivered?.();
	};
	if (hasLeft(res)) {
		closed();
		return;
	}
	res.once("finish", finished);
	res.once("close", closed);
	// Of pipelined responses only the first owns the socket, and node tells no other that it closed.
	socket.once("close", closed);
}

/** Whether an error is logged, whichever transport met it: what breaks because its caller has left is no failure. */
export function isOurFailure({ code }: ServiceError, response: ServerResponse): boolean {
	return code === "INTERNAL" && !hasLeft(response);
}
