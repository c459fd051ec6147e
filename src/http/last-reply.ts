import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ServiceError } from "../kernel/kernel.js";
import { toErrorReply } from "./error-reply.js";

export interface LastReplyOptions {
	readonly requestId: string;
	/** Instead of the status the error's code stands for. */
	readonly status?: number;
}

/** Refuses a request before any transport has seen it; the connection closes afterwards. */
export function sendLastReply(
	res: ServerResponse,
	error: ServiceError,
	options: LastReplyOptions,
): void {
	const { status, headers, body } = toLastReply(error, options);
	res.writeHead(status, headers).end(body);
}

/** The same for a request node could not read: there is a connection only, and no response object. */
export function writeLastReply(
	socket: Duplex,
	error: ServiceError,
	options: LastReplyOptions,
): void {
	const { status, headers, body } = toLastReply(error, options);
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`, () =>
		socket.destroy(),
	);
}

function toLastReply(error: ServiceError, { requestId, status }: LastReplyOptions) {
	const reply = toErrorReply(error, requestId);
	const body = JSON.stringify(reply.body);
	return {
		status: status ?? reply.status,
		headers: {
			...reply.headers,
			"Access-Control-Allow-Origin": "*",
			"Content-Type": "application/json; charset=utf-8",
			"Content-Length": String(Buffer.byteLength(body)),
			"X-Request-Id": requestId,
			Connection: "close",
		},
		body,
	};
}
