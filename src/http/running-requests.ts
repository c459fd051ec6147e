import type { RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export interface RunningRequests {
	/** Passes requests to the handler, or to `refuse` once the end has been announced. */
	readonly listener: RequestListener;
	/** True while a request that came in whole waits for its answer on this connection. */
	isAnswering(socket: Duplex): boolean;
	/** From now on every reply closes its connection; calls `onIdle` as soon as none is owed any more. */
	end(onIdle: () => void): void;
}

/** Knows which replies are still owed, so that a server can stop without breaking its word. */
export function trackRequests(handler: RequestListener, refuse: RequestListener): RunningRequests {
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
		listener(req, res) {
			const { socket } = req;
			// Pipelined behind one whose connection was cut: nobody can be answered.
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
		isAnswering: (socket) =>
			[...(owed.get(socket) ?? [])].some((res) => res.req.complete || res.headersSent),
		end(onIdle) {
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
