import {
	createServer,
	IncomingMessage,
	type RequestListener,
	type Server,
	ServerResponse,
	STATUS_CODES,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Express } from "express";
import { LIMITS } from "../contract/contract.js";
import {
	type Clock,
	createIds,
	type Ids,
	invalidArgument,
	type ServiceError,
	systemRandom,
	unavailable,
} from "../kernel/kernel.js";
import { toErrorReply } from "./error-reply.js";
import { readHeaders, toRequestId } from "./request.js";

export interface RunningServer {
	readonly host: string;
	readonly port: number;
	/** Refuses new calls, finishes the running ones within LIMITS.drainMs, then cuts what is left. Safe to call again. */
	drain(): Promise<void>;
}

export interface ListenOptions {
	readonly host: string;
	readonly port: number;
	readonly clock: Clock;
	/** What requests and responses are made as; node's own classes where absent. */
	readonly messages?: MessageClasses;
	/** For tests: how long headers and whole requests may take to arrive. */
	readonly timeouts?: { readonly headersMs: number; readonly requestMs: number };
	/** For tests: how long a caller may take no part of an answer. */
	readonly stallMs?: number;
	/** For tests: connections at once. */
	readonly connectionsMax?: number;
}

/** Listens with the service's timeouts. Throws UNAVAILABLE when the port is taken. */
export async function listen(
	handler: RequestListener,
	{ host, port, clock, messages, timeouts, ...bounds }: ListenOptions,
): Promise<RunningServer> {
	const ids = createIds({ clock, random: systemRandom });
	const requests = trackRequests(boundHeaders(handler, ids), refuseWith(ids, stopping));
	const server = createServer(
		{
			...messages,
			headersTimeout: timeouts?.headersMs ?? LIMITS.headerTimeoutMs,
			requestTimeout: timeouts?.requestMs ?? LIMITS.requestTimeoutMs,
			keepAliveTimeout: LIMITS.keepAliveMs,
			connectionsCheckingInterval: LIMITS.timeoutCheckIntervalMs,
			maxHeaderSize: LIMITS.headerBytes,
			// Node would refuse without a body; see faultOf.
			requireHostHeader: false,
		},
		requests.listener,
	);
	// Node drops what comes beyond in silence, and a second credential with it.
	server.maxHeadersCount = LIMITS.headersMax + 1;
	const { connectionsMax = LIMITS.connectionsMax, stallMs = LIMITS.replyTakenMs } = bounds;
	boundConnections(server, { clock, connectionsMax, stallMs, isAnswering: requests.isAnswering });
	server.on("checkExpectation", refuseWith(ids, badExpectation));
	server.on("connect", (_req, socket) => {
		// Node has taken its own listener away; a caller that resets would end the process.
		socket.on("error", () => socket.destroy());
		if (!socket.writable || requests.isAnswering(socket)) socket.destroy();
		else writeLastReply(socket, noTunnel(), { requestId: ids.next("req") });
	});
	server.on("clientError", (error, socket) => refuseUnreadable({ error, socket, requests, ids }));
	await new Promise<void>((resolve, reject) => {
		server.once("error", (cause) => reject(cannotListen(cause, { host, port })));
		server.listen(port, host, resolve);
	});
	const address = server.address() as AddressInfo;
	let drained: Promise<void> | undefined;
	return {
		host,
		port: address.port,
		drain() {
			drained ??= drain(server, requests, clock);
			return drained;
		},
	};
}

function drain(server: Server, requests: RunningRequests, clock: Clock): Promise<void> {
	return new Promise((resolve) => {
		const cut = () => server.closeAllConnections();
		const cancel = clock.after(LIMITS.drainMs, cut);
		server.close(() => {
			cancel();
			resolve();
		});
		requests.end(cut);
	});
}

function refuseWith(ids: Ids, toError: () => ServiceError, status?: number): RequestListener {
	return (req, res) => {
		const requestId = toRequestId(readHeaders(req), ids);
		sendLastReply(res, toError(), { requestId, ...(status !== undefined && { status }) });
	};
}

function boundHeaders(handler: RequestListener, ids: Ids): RequestListener {
	const refuse = refuseWith(ids, tooManyHeaders, 431);
	return (req, res) => {
		const fault = faultOf(req);
		if (req.rawHeaders.length > LIMITS.headersMax * 2) refuse(req, res);
		else if (fault) refuseWith(ids, fault)(req, res);
		else handler(req, res);
	};
}

/** What makes a request one that another server may read as another: no HTTP/1, or no single host (RFC 9112, section 3.2). */
function faultOf(req: IncomingMessage): (() => ServiceError) | undefined {
	const { httpVersion } = req;
	if (httpVersion !== "1.1" && httpVersion !== "1.0") return badVersion;
	const hosts = readHeaders(req).get("host") ?? [];
	const isMissing = hosts.length === 0 && httpVersion === "1.1";
	return isMissing || hosts.length > 1 || hosts.some((host) => !HOST.test(host))
		? badHost
		: undefined;
}

/** A name, an IPv4 or an IPv6 address, and perhaps a port; empty where the address has none. */
const HOST = /^(?:[a-z0-9._-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Answers what is no request; where another answer is still owed, this one would be taken for it. */
function refuseUnreadable({
	error,
	socket,
	requests,
	ids,
}: {
	readonly error: NodeJS.ErrnoException;
	readonly socket: Duplex;
	readonly requests: RunningRequests;
	readonly ids: Ids;
}): void {
	if (error.code === "ECONNRESET" || !socket.writable || requests.isAnswering(socket)) {
		socket.destroy();
		return;
	}
	const { status, message } = UNREADABLE[error.code ?? ""] ?? NOT_HTTP;
	const refusal = invalidArgument(message, { retryable: status === 408 });
	writeLastReply(socket, refusal, { requestId: ids.next("req"), status });
}

const NOT_HTTP = { status: 400, message: "The request is not valid HTTP." };

/** By the code of node's error. */
const UNREADABLE: Readonly<Record<string, { readonly status: number; readonly message: string }>> =
	{
		ERR_HTTP_REQUEST_TIMEOUT: {
			status: 408,
			message: "The request took too long to arrive; send it again.",
		},
		HPE_HEADER_OVERFLOW: {
			status: 431,
			message: `The headers are larger than ${LIMITS.headerBytes} bytes.`,
		},
	};

const invalid = (message: string) => () => invalidArgument(message);
const tooManyHeaders = invalid(`The request has more than ${LIMITS.headersMax} headers.`);
const badVersion = invalid('The request must be HTTP/1.1 or HTTP/1.0, as "GET /path HTTP/1.1".');
const badHost = invalid(
	'The header "Host" must be sent once and name one host, as "Host: api.example.com".',
);
const noTunnel = invalid("This server opens no tunnels; send the request itself.");
const badExpectation = invalid('The header "Expect" may only say "100-continue"; leave it out.');
const stopping = () => unavailable("The service is stopping; send the same request again shortly.");

function cannotListen(
	cause: NodeJS.ErrnoException,
	{ host, port }: Pick<ListenOptions, "host" | "port">,
): ServiceError {
	const why = cause.code === "EADDRINUSE" ? "another program listens there" : cause.message;
	return unavailable(
		`Cannot listen on ${host}:${port}: ${why}. Choose another port with --port, or 0 for any free one.`,
		{ cause },
	);
}

export interface LastReplyOptions {
	readonly requestId: string;
	/** Instead of the status the error's code stands for. */
	readonly status?: number;
}

/** Refuses a request before any transport has seen it; the connection closes afterwards. */
function sendLastReply(res: ServerResponse, error: ServiceError, options: LastReplyOptions): void {
	const { status, headers, body } = toLastReply(error, options);
	res.writeHead(status, headers).end(body);
}

/** The same for a request node could not read: there is a connection only, and no response object. */
function writeLastReply(socket: Duplex, error: ServiceError, options: LastReplyOptions): void {
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

/** What a server makes its requests and responses as. */
export interface MessageClasses {
	readonly IncomingMessage: typeof IncomingMessage;
	readonly ServerResponse: typeof ServerResponse;
}

/**
 * Messages that have the application's own prototypes when they are made. Express would give them to each one that comes in,
 * and what had its prototype changed survives until the next full collection (docs/adr/0042).
 */
export function createMessageClasses(app: Express): MessageClasses {
	class AppRequest extends IncomingMessage {}
	class AppResponse<Req extends IncomingMessage> extends ServerResponse<Req> {}
	Object.setPrototypeOf(AppRequest.prototype, app.request);
	Object.setPrototypeOf(AppResponse.prototype, app.response);
	// To Express they are its own: setting the prototype that is there changes nothing.
	Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
	return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/**
 * Keeps a server open to newcomers. When there are too many connections, the one that has been without a whole request for
 * the longest time makes room; what arrives after its answer, or is not picked up, is not waited for.
 */
function boundConnections(
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
function trackRequests(handler: RequestListener, refuse: RequestListener) {
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
			// Of pipelined responses only the first owns the socket, and node notifies no other that it closed.
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
