import type { ServerResponse } from "node:http";
import type { CallResult } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";

export interface CallerWatch {
	/** Aborted when the caller leaves before the answer, or when the time is over. */
	readonly signal: AbortSignal;
	/** Set once the time is over. */
	readonly timeout: () => ServiceError | undefined;
	readonly stop: () => void;
}

/** Watches one caller: work for somebody who has left, or who waits too long, must end and cost nothing. */
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

/** True when nobody can receive this response any more. */
export function hasLeft(res: ServerResponse): boolean {
	return res.destroyed || res.req.socket.destroyed;
}

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

/** Tells the rail how the answer ended: wholly handed to the connection, or cut off. */
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
		// Node also says "finish" of what it threw away when the connection broke.
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

/** Whether an operator is to hear of it, whichever transport met it: what breaks because its caller has left is no failure. */
export function isOurFailure({ code }: ServiceError, response: ServerResponse): boolean {
	return code === "INTERNAL" && !hasLeft(response);
}
