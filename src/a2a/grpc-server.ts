import { SendMessageRequest } from "@a2a-js/sdk";
import { LegacyA2AService, legacyGrpcService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { A2AService, type GrpcServiceOptions, grpcService } from "@a2a-js/sdk/server/grpc";
import {
	logVerbosity,
	Server,
	ServerCredentials,
	type ServerOptions,
	type ServiceDefinition,
	setLogVerbosity,
} from "@grpc/grpc-js";
import { LIMITS } from "../contract/contract.js";
import type { RunningServer } from "../http/http.js";
import { type Clock, invalidSetting, unavailable } from "../kernel/kernel.js";
import {
	createCallInterceptor,
	type Exchanges,
	type GrpcCallDeps,
	UNREADABLE,
} from "./grpc-call.js";
import { checkEnvelope } from "./message-envelope.js";
import { guard } from "./request-handler.js";

/** A2A over gRPC, in both protocol versions, over the same handler as JSON-RPC. Only servers that offer it load this file. */

/** Where gRPC is served. */
export interface GrpcAddress {
	readonly host: string;
	/** 0 takes any free one. */
	readonly port: number;
	/** In PEM; without it calls come in the clear. */
	readonly tls: { readonly certificate: Buffer; readonly key: Buffer } | undefined;
}

interface GrpcServerDeps extends GrpcCallDeps {
	readonly requestHandler: A2ARequestHandler;
}

const SERVER_OPTIONS = {
	"grpc.max_receive_message_length": LIMITS.bodyBytes,
	/** Calls at once on one connection. */
	"grpc.max_concurrent_streams": 100,
	"grpc.max_connection_idle_ms": 300_000,
	// A peer that is gone is found by its silence.
	"grpc.keepalive_time_ms": 60_000,
	"grpc.keepalive_timeout_ms": 20_000,
	/** Megabytes, as Node's own servers have it; the library would set no bound. */
	"grpc-node.max_session_memory": 10,
	"grpc.enable_channelz": 0,
} satisfies ServerOptions;

/** Listens for gRPC. Throws UNAVAILABLE when the port is taken, INVALID_ARGUMENT for a certificate or key that is none. */
export async function listenGrpc(
	deps: GrpcServerDeps,
	{ host, port, tls }: GrpcAddress,
): Promise<RunningServer> {
	// The library would write metadata that it cannot read to the console, credentials and all.
	setLogVerbosity(logVerbosity.NONE);
	const exchanges: Exchanges = new WeakMap();
	const interceptors = [createCallInterceptor(deps, exchanges)];
	const server = new Server({ ...SERVER_OPTIONS, interceptors });
	server.addService(readable(A2AService), grpcService(toOptions(deps, exchanges, "1.0")));
	server.addService(
		readable(LegacyA2AService),
		legacyGrpcService(toOptions(deps, exchanges, "0.3")),
	);
	const bound = await new Promise<number>((resolve, reject) => {
		server.bindAsync(toTarget({ host, port }), toCredentials(tls), (cause, bound) => {
			if (cause) reject(cannotListen(cause, { host, port }));
			else resolve(bound);
		});
	});
	for (const each of listenersOf(server)) {
		each.maxConnections = LIMITS.connectionsMax;
		each.prependListener("stream", restoreRepeated);
	}
	let drained: Promise<void> | undefined;
	return {
		host,
		port: bound,
		drain() {
			drained ??= drain(server, deps.clock);
			return drained;
		},
	};
}

/** Host and port as clients of gRPC take them. */
export const toTarget = ({ host, port }: Pick<RunningServer, "host" | "port">) =>
	`${host.includes(":") ? `[${host}]` : host}:${port}`;

function toOptions(
	{ requestHandler }: GrpcServerDeps,
	exchanges: Exchanges,
	/** What a caller speaks who names no version: the service that is called shows it. */
	spoken: "1.0" | "0.3",
): GrpcServiceOptions {
	return {
		requestHandler: withEnvelopes(requestHandler),
		userBuilder: async ({ metadata }) => {
			const exchange = exchanges.get(metadata);
			if (exchange) return exchange;
			throw new Error("A call came past the interceptor.");
		},
		contextBuilder: ({ user, tenant, requestedVersion = spoken }) =>
			new ServerCallContext({
				...(user && { user }),
				...(tenant && { tenant }),
				requestedVersion,
			}),
	};
}

/** The handler, with messages judged first as those that come in JSON. */
function withEnvelopes(handler: A2ARequestHandler): A2ARequestHandler {
	const check = (request: SendMessageRequest, context: ServerCallContext) =>
		guard(context, async () => checkEnvelope("1.0", SendMessageRequest.toJSON(request)));
	return {
		...handler,
		async sendMessage(request, context) {
			await check(request, context);
			return handler.sendMessage(request, context);
		},
		async *sendMessageStream(request, context) {
			await check(request, context);
			yield* handler.sendMessageStream(request, context);
		},
	};
}

/** The service, whose requests that cannot be read are refused as every other instead of by the library. */
function readable<Service extends ServiceDefinition>(service: Service): Service {
	const methods = Object.entries(service).map(([name, method]) => {
		const requestDeserialize = (bytes: Buffer): unknown => {
			try {
				return method.requestDeserialize(bytes);
			} catch {
				return UNREADABLE;
			}
		};
		return [name, { ...method, requestDeserialize }];
	});
	return Object.fromEntries(methods) as Service;
}

function toCredentials(tls: GrpcAddress["tls"]): ServerCredentials {
	if (!tls) return ServerCredentials.createInsecure();
	const { certificate, key } = tls;
	return ServerCredentials.createSsl(null, [{ cert_chain: certificate, private_key: key }]);
}

/** The part of Node's HTTP/2 server that is needed of it. */
interface Listener {
	maxConnections: number;
	prependListener(event: "stream", listener: typeof restoreRepeated): unknown;
}

/**
 * What listens inside the library, which offers no way to it. Throws where a newer version has it elsewhere: then repeated
 * credentials would not be seen.
 */
function listenersOf(server: Server): Iterable<Listener> {
	const { http2Servers } = server as unknown as {
		http2Servers?: ReadonlyMap<Listener, unknown>;
	};
	if (http2Servers instanceof Map && http2Servers.size > 0) return http2Servers.keys();
	throw new Error("This version of @grpc/grpc-js does not show what it listens with.");
}

/** Node joins headers that come twice, or keeps the first of them; a repeated credential must be seen. */
function restoreRepeated(
	_stream: unknown,
	headers: Record<string, string | readonly string[]>,
	_flags: number,
	sent: readonly string[] = [],
): void {
	const values = new Map<string, string[]>();
	for (let index = 0; index + 1 < sent.length; index += 2) {
		const name = String(sent[index]);
		values.set(name, [...(values.get(name) ?? []), String(sent[index + 1])]);
	}
	for (const [name, all] of values) if (all.length > 1) headers[name] = all;
}

function cannotListen(cause: Error, address: Pick<GrpcAddress, "host" | "port">) {
	if (OF_OPENSSL.test(cause.message)) {
		return invalidSetting(
			`grpc_tls_cert and grpc_tls_key are no certificate with its key: ${cause.message}`,
		);
	}
	const why = cause.message.includes("EADDRINUSE")
		? "another program listens there"
		: cause.message;
	return unavailable(
		`Cannot listen for gRPC on ${toTarget(address)}: ${why}. Choose another port with --grpc-port, or 0 for any free one.`,
		{ cause },
	);
}

const OF_OPENSSL = /^error:[0-9A-F]+:/;

/** Calls under way are finished within LIMITS.drainMs, then cut. */
function drain(server: Server, clock: Clock): Promise<void> {
	return new Promise((resolve) => {
		const cancel = clock.after(LIMITS.drainMs, () => server.forceShutdown());
		server.tryShutdown(() => {
			cancel();
			resolve();
		});
	});
}
