import type { ServerResponse } from "node:http";
import type { CallResult } from "../contract/contract.js";
import { hasLeft } from "./caller-watch.js";

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
