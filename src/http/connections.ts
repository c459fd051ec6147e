import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { LIMITS } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";

/**
 * Keeps a server open to newcomers. When there are too many connections, the one that has been without a whole request for
 * the longest time makes room; what arrives after its answer, or is not picked up, is not waited for.
 */
export function boundConnections(
	server: Server,
	{
		clock,
		connectionsMax,
		stallMs,
		isAnswering,
	}: {
		readonly clock: Clock;
		/** Connections at once. */
		readonly connectionsMax: number;
		/** How long a caller may take no part of an answer. */
		readonly stallMs: number;
		/** True while a reply is owed on this connection. */
		readonly isAnswering: (socket: Socket) => boolean;
	},
): void {
	// In the order of their latest request.
	const open = new Set<Socket>();
	const moveLast = (socket: Socket) => {
		open.delete(socket);
		open.add(socket);
	};
	const makeRoom = () => {
		let busy = 0;
		for (const socket of open) {
			if (open.size <= connectionsMax || busy === open.size) return;
			if (isAnswering(socket)) {
				busy += 1;
				// It will not be looked at again until all others have been.
				moveLast(socket);
			} else {
				open.delete(socket);
				socket.destroy();
			}
		}
	};
	server.on("connection", (socket) => {
		open.add(socket);
		socket.once("close", () => open.delete(socket));
		makeRoom();
	});
	const stopLooking = clock.every(stallMs / STALL_LOOKS, createStallCut(open));
	server.once("close", stopLooking);
	// Before the handler, which may answer at once.
	server.prependListener("request", (req, res) => {
		if (req.socket.destroyed) return;
		moveLast(req.socket);
		res.once("prefinish", () => setImmediate(cutStragglers, clock, req, res));
	});
}

/** How often a connection is looked at until it counts as stalled. */
const STALL_LOOKS = 4;

/** Each look cuts the connections that had something to take at so many looks before, and took nothing of it since. */
function createStallCut(open: ReadonlySet<Socket>): () => void {
	const stalled = new WeakMap<Socket, { readonly takenBytes: number; looks: number }>();
	return () => {
		for (const socket of open) {
			const { writableLength } = socket;
			if (writableLength === 0) {
				stalled.delete(socket);
				continue;
			}
			// Node counts what is still to be written among what was.
			const takenBytes = socket.bytesWritten - writableLength;
			const before = stalled.get(socket);
			if (before?.takenBytes !== takenBytes) stalled.set(socket, { takenBytes, looks: 0 });
			else if (++before.looks >= STALL_LOOKS) socket.destroy();
		}
	};
}

/** Ends a connection whose caller still sends what was refused, or does not take the answer. */
function cutStragglers(clock: Clock, req: IncomingMessage, res: ServerResponse): void {
	const { socket } = req;
	const limit = (ms: number, isOver: () => boolean) => {
		const cancel = clock.after(ms, () => {
			if (!isOver()) socket.destroy();
		});
		socket.once("close", cancel);
		res.once("close", () => isOver() && cancel());
	};
	if (!req.complete) limit(LIMITS.unreadBodyMs, () => req.complete);
	if (!res.writableFinished) limit(LIMITS.replyTakenMs, () => res.writableFinished);
}

export type RunningRequests = ReturnType<typeof trackRequests>;

/**
 * Counts the replies that are still owed, so that a server can stop once all are sent. Its listener passes requests to the
 * handler, or to `refuse` once the end has been announced.
 */
export function trackRequests(handler: RequestListener, refuse: RequestListener) {
	const owed = new Map<Duplex, Set<ServerResponse>>();
	let whenIdle: (() => void) | undefined;
	const owe = (socket: Duplex, res: ServerResponse) => {
		const onSocket = owed.get(socket);
		if (onSocket) onSocket.add(res);
		else owed.set(socket, new Set([res]));
	};
	const pay = (socket: Duplex, res: ServerResponse) => {
		const onSocket = owed.get(socket);
		if (!onSocket?.delete(res) || onSocket.size > 0) return;
		owed.delete(socket);
		if (owed.size === 0) whenIdle?.();
	};
	return {
		listener(req: IncomingMessage, res: ServerResponse): void {
			const { socket } = req;
			// Pipelined behind one whose connection was cut: no answer can be sent.
			if (socket.destroyed) return;
			const settle = () => {
				socket.off("close", settle);
				pay(socket, res);
			};
			owe(socket, res);
			res.once("finish", settle);
			// Of pipelined responses only the first owns the socket, and node tells no other that it closed.
			socket.setMaxListeners(0);
			socket.once("close", settle);
			(whenIdle ? refuse : handler)(req, res);
		},
		/** True while a request that came in whole waits for its answer on this connection. */
		isAnswering: (socket: Duplex): boolean =>
			[...(owed.get(socket) ?? [])].some((res) => res.req.complete || res.headersSent),
		/** From now on every reply closes its connection; calls `onIdle` as soon as none is owed any more. */
		end(onIdle: () => void): void {
			whenIdle = onIdle;
			for (const onSocket of owed.values()) {
				// Of pipelined requests only the last may close: whatever comes after that header is never sent.
				const last = [...onSocket].at(-1);
				if (last && !last.headersSent) last.setHeader("Connection", "close");
			}
			if (owed.size === 0) onIdle();
		},
	};
}
