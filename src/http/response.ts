import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallResult, CostWire, ServedDocument } from "../contract/contract.js";
import { type Clock, ServiceError, unavailable } from "../kernel/kernel.js";

export interface CallerWatch {
	readonly signal: AbortSignal;
	/** Set once the time is over. */
	readonly timeout: () => ServiceError | undefined;
	readonly stop: () => void;
}

/** The other end of a call, whatever carries it. */
export interface CallerLink {
	/** The caller is gone before the answer was out. */
	hasLeft(): boolean;
	/** Reports it; the returned function stops that. */
	onLeave(listener: () => void): () => void;
}

/** Aborts the work for a caller who leaves before the answer, or waits too long: it must end and cost nothing. */
export function watchCaller(res: ServerResponse, clock: Clock, timeoutMs: number): CallerWatch {
	return watchLink(linkOf(res), clock, timeoutMs);
}

/** The same for a caller at the other end of anything. */
export function watchLink(link: CallerLink, clock: Clock, timeoutMs: number): CallerWatch {
	const controller = new AbortController();
	let timeout: ServiceError | undefined;
	const leave = () => controller.abort(new Error("The caller left."));
	if (link.hasLeft()) leave();
	const cancelTimer = clock.after(timeoutMs, () => {
		timeout = unavailable(
			`The answer took longer than ${timeoutMs / 1000} seconds and was not charged; send the same request again later.`,
		);
		controller.abort(timeout);
	});
	const stopListening = link.onLeave(leave);
	return {
		signal: controller.signal,
		timeout: () => timeout,
		stop() {
			cancelTimer();
			stopListening();
		},
	};
}

/** Who waits for an HTTP response. */
export function linkOf(res: ServerResponse): CallerLink {
	const { socket } = res.req;
	return {
		hasLeft: () => hasLeft(res),
		onLeave(listener) {
			const onClose = () => {
				if (!res.writableFinished) listener();
			};
			res.once("close", onClose);
			// Of pipelined responses only the first owns the socket, and node notifies no other that it closed.
			socket.setMaxListeners(0);
			socket.once("close", onClose);
			// Before "close"; at the first, node ends its own side too: nothing more reaches the caller.
			socket.once("end", onClose).once("error", onClose);
			return () => {
				res.off("close", onClose);
				socket.off("close", onClose);
				socket.off("end", onClose).off("error", onClose);
			};
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

/** True when the connection is gone, or ends because its other side has ended it. */
export function hasLeft(res: ServerResponse): boolean {
	const { destroyed, writableEnded } = res.req.socket;
	return res.destroyed || destroyed || writableEnded;
}

/** Resolves when the reader has caught up or left (stalls are cut in server.ts). Rejects when the signal is aborted first. */
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
		// Headers and body leave in one piece: once the first are on their way, so may be the second.
		onAbandoned?.({ isLost: !res.headersSent });
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
	// Of pipelined responses only the first owns the socket, and node notifies no other that it closed.
	socket.once("close", closed);
}

/** Whether an error is logged, whichever transport met it: what breaks because its caller has left is no failure. */
export function isOurFailure({ code }: ServiceError, response: ServerResponse): boolean {
	return code === "INTERNAL" && !hasLeft(response);
}

/** The id `createRequestId` gave to the request this response answers. */
export function requestIdOf(res: ServerResponse): string {
	return String(res.getHeader("X-Request-Id") ?? "");
}

/** What a paid reply says of its price in the headers; a header whose value is unknown is left out. */
export function costHeaders(cost: CostWire): Record<string, string> {
	return {
		"X-Cost-USD": cost.amount_usd,
		...(cost.balance_after_usd !== null && { "X-Balance-After-USD": cost.balance_after_usd }),
		...(cost.receipt_id !== null && { "X-Receipt-Id": cost.receipt_id }),
		...(cost.replayed && { "Idempotent-Replayed": "true" }),
	};
}

const PUBLIC_CACHE = "public, max-age=60";
const ETAG_CHARS = 22;

/** A document as it stands, or 304 when the caller has it already. */
export function sendDocument(
	req: IncomingMessage,
	res: ServerResponse,
	document: ServedDocument,
	{ fileName }: { readonly fileName?: string | undefined } = {},
): void {
	if (document.isSecret) {
		res.setHeader("Cache-Control", "no-store");
		res.setHeader("Referrer-Policy", "no-referrer");
	} else if (isStillFresh(req, res, toEtag(document.hash))) return;
	if (document.policy !== undefined) {
		res.setHeader("Content-Security-Policy", document.policy);
	}
	if (fileName) res.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
	sendBytes(res, { status: 200, body: document.body, mediaType: document.mediaType });
}

/** A page for one reader, with any status. */
export function sendPage(res: ServerResponse, status: number, page: ServedDocument): void {
	const { policy, body, mediaType } = page;
	if (policy !== undefined) res.setHeader("Content-Security-Policy", policy);
	res.setHeader("Cache-Control", "private, no-store");
	sendBytes(res, { status, body, mediaType });
}

/** A whole reply; its length is stated before its bytes. */
export function sendBytes(
	res: ServerResponse,
	reply: {
		readonly status: number;
		readonly body: string | Uint8Array;
		readonly mediaType: string;
	},
): void {
	const { status, body, mediaType } = reply;
	res.statusCode = status;
	res.setHeader("Content-Type", mediaType);
	res.setHeader("Content-Length", Buffer.byteLength(body));
	// Node sends a text in one piece with its headers.
	res.end(body);
}

/** A document with the hash its ETag is made of. */
export function toDocument(mediaType: string, body: string | Uint8Array): ServedDocument {
	return { mediaType, body, hash: createHash("sha256").update(body).digest("hex") };
}

/** Weak: a proxy may compress what it stands for. */
export function toEtag(hash: string): string {
	return `W/"${hash.slice(0, ETAG_CHARS)}"`;
}

/** Sets the headers of a cacheable reply; true when the caller's copy is still good and 304 has been sent. */
export function isStillFresh(req: IncomingMessage, res: ServerResponse, etag: string): boolean {
	res.setHeader("ETag", etag);
	res.setHeader("Cache-Control", PUBLIC_CACHE);
	const known = req.headers["if-none-match"]?.split(",").map((tag) => tag.trim());
	if (!known?.some((tag) => tag === "*" || opaque(tag) === opaque(etag))) return false;
	res.statusCode = 304;
	res.end();
	return true;
}

function opaque(etag: string): string {
	return etag.replace(/^W\//, "");
}
