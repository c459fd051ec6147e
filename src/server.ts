import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "./core/clock.js";
import { ServiceError } from "./core/errors.js";
import { LIMITS } from "./core/limits.js";

export interface RunningServer {
	readonly host: string;
	readonly port: number;
	/** Takes no new calls, finishes the running ones within LIMITS.drainMs, then cuts what is left. */
	drain(): Promise<void>;
}

/** Listens with the service's timeouts. Throws UNAVAILABLE when the port is taken. */
export async function listen(
	handler: RequestListener,
	{ host, port, clock }: { host: string; port: number; clock: Clock },
): Promise<RunningServer> {
	const server = createServer(
		{ headersTimeout: LIMITS.headerTimeoutMs, requestTimeout: LIMITS.requestTimeoutMs },
		handler,
	);
	await new Promise<void>((resolve, reject) => {
		server.once("error", (cause: NodeJS.ErrnoException) =>
			reject(cannotListen({ cause, host, port })),
		);
		server.listen(port, host, resolve);
	});
	const address = server.address() as AddressInfo;
	return { host, port: address.port, drain: () => drain(server, clock) };
}

function drain(server: Server, clock: Clock): Promise<void> {
	return new Promise((resolve) => {
		const cancel = clock.after(LIMITS.drainMs, () => server.closeAllConnections());
		server.close(() => {
			cancel();
			resolve();
		});
		server.closeIdleConnections();
	});
}

function cannotListen({
	cause,
	host,
	port,
}: {
	cause: NodeJS.ErrnoException;
	host: string;
	port: number;
}): ServiceError {
	const why = cause.code === "EADDRINUSE" ? "another program listens there" : cause.message;
	return new ServiceError(
		"UNAVAILABLE",
		`Cannot listen on ${host}:${port}: ${why}. Choose another port with --port, or 0 for any free one.`,
		{ cause },
	);
}
