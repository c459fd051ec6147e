import { A2A_VERSION_HEADER, formatSSEEvent, SSE_HEADERS } from "@a2a-js/sdk";
import {
	A2A_LEGACY_PROTOCOL_VERSION,
	isV1JsonRpcMethod,
	LEGACY_METHOD_MESSAGE_SEND,
	LEGACY_METHOD_MESSAGE_STREAM,
} from "@a2a-js/sdk/compat/v0_3";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { A2A_ERROR_CODE, toJsonRpcError } from "@a2a-js/sdk/errors";
import {
	type A2ARequestHandler,
	JsonRpcTransportHandler,
	ServerCallContext,
	validateVersion,
} from "@a2a-js/sdk/server";
import { restHandler } from "@a2a-js/sdk/server/express";
import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { Clock } from "../kernel/kernel.js";
import {
	type Exchange,
	type RpcId,
	rpcIdOf,
	sendJson,
	sendRestRefusal,
	sendRpcRefusal,
} from "./exchange.js";
import { checkEnvelope, checkLegacyTaskParams } from "./message-envelope.js";

type Reply = Awaited<ReturnType<JsonRpcTransportHandler["handle"]>>;

/**
 * JSON-RPC in both protocol versions over the SDK's transports. It stands where the SDK's own Express handler would,
 * because that one answers every refusal with 200; here a refused call has its HTTP status and challenge headers.
 */
export function createJsonRpcHandler(
	requestHandler: A2ARequestHandler,
	openExchange: (req: Request) => Exchange,
	clock: Clock,
): RequestHandler {
	const current = new JsonRpcTransportHandler(requestHandler);
	const legacy = new LegacyJsonRpcTransportHandler(requestHandler);

	const dispatch = async (req: Request, exchange: Exchange): Promise<Reply> => {
		const { body } = req;
		const version = versionOf(req);
		try {
			validateVersion(version, await requestHandler.getAgentCard(), "JSONRPC");
		} catch (error) {
			return { jsonrpc: "2.0", id: rpcIdOf(body), error: toJsonRpcError(error) };
		}
		const dialect = version === A2A_LEGACY_PROTOCOL_VERSION ? "0.3" : "1.0";
		checkParams(dialect, body);
		const context = new ServerCallContext({ user: exchange, requestedVersion: version });
		return dialect === "0.3"
			? ((await legacy.handle(body, context)) as Reply)
			: current.handle(body, context);
	};

	return async (req, res) => {
		const exchange = openExchange(req);
		const reply = await dispatch(req, exchange);
		if (!(Symbol.asyncIterator in reply)) return answer(res, exchange, reply);
		const first = await firstOf(reply, exchange, { res, id: rpcIdOf(req.body) });
		if (!first) return;
		keepAlive(res, clock);
		await sendEvents(res, first, reply);
	};
}

function checkParams(
	dialect: keyof typeof SEND_METHODS,
	{ method, params }: Readonly<Record<string, unknown>>,
): void {
	if (SEND_METHODS[dialect].includes(method)) checkEnvelope(dialect, params);
	else if (dialect === "0.3" && typeof method === "string") checkLegacyTaskParams(method, params);
}

const SEND_METHODS: Readonly<Record<"1.0" | "0.3", readonly unknown[]>> = {
	"1.0": ["SendMessage", "SendStreamingMessage"],
	"0.3": [LEGACY_METHOD_MESSAGE_SEND, LEGACY_METHOD_MESSAGE_STREAM],
};

/** The version a request is written in: as its header says, without one as its method's spelling shows. */
function versionOf(req: Request): string {
	const named = req.header(A2A_VERSION_HEADER);
	if (named) return named;
	return isV1JsonRpcMethod(req.body?.method) ? "1.0" : A2A_LEGACY_PROTOCOL_VERSION;
}

type Events = Extract<Reply, AsyncGenerator>;

/** Nothing is written before the first event is there: until then a refusal can still have its status. */
async function firstOf(
	events: Events,
	exchange: Exchange,
	{ res, id }: { readonly res: Response; readonly id: RpcId },
): Promise<Awaited<ReturnType<Events["next"]>> | undefined> {
	try {
		return await events.next();
	} catch (error) {
		answer(res, exchange, { jsonrpc: "2.0", id, error: toJsonRpcError(error) });
		return undefined;
	}
}

/** HTTP status of errors the SDK has found; like the SDK, 200 for those that speak of a task. */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map([
	[A2A_ERROR_CODE.PARSE_ERROR, 400],
	[A2A_ERROR_CODE.INVALID_REQUEST, 400],
	[A2A_ERROR_CODE.INVALID_PARAMS, 400],
	[A2A_ERROR_CODE.VERSION_NOT_SUPPORTED, 400],
]);

function answer(res: Response, exchange: Exchange, reply: Exclude<Reply, AsyncGenerator>): void {
	const code = "error" in reply ? (reply.error as { code: number }).code : undefined;
	// What the SDK could not classify is an exception, and its text is not for callers.
	if (code === A2A_ERROR_CODE.INTERNAL_ERROR && !exchange.refusal()) {
		exchange.refuse(new Error(JSON.stringify(reply)));
	}
	const refusal = exchange.refusal();
	if (refusal) sendRpcRefusal(res, reply.id ?? null, refusal);
	else sendJson(res, (code !== undefined && STATUS_OF_CODE.get(code)) || 200, reply);
}

/** HTTP+JSON in both protocol versions (0.3 under `/v1`): the SDK's router, with our refusals in place of its errors. */
export function createRestHandler(
	requestHandler: A2ARequestHandler,
	openExchange: (req: Request) => Exchange,
	clock: Clock,
): Router {
	const open: RequestHandler = (req, res, next) => {
		const exchange = openExchange(req);
		replaceRefusals(res, exchange);
		prepareStreams(res, clock);
		next();
	};
	const sdk = restHandler({
		requestHandler,
		legacyCompat: { enabled: true },
		userBuilder: async (req) => openExchange(req),
		contextBuilder: ({ user, tenant, requestedVersion }) =>
			new ServerCallContext({
				...(user && { user }),
				...(tenant && { tenant }),
				...(requestedVersion && { requestedVersion }),
			}),
	});
	return express.Router({ caseSensitive: true, strict: true }).use(open, checkMessage, sdk);
}

/** As loose as the SDK's routes, which take any case and a slash at the end: no spelling gets past the check. */
const MESSAGE_PATH = /\/message:(?:send|stream)\/?$/i;
const LEGACY_PATH = /^\/v1\/message:/i;

const checkMessage: RequestHandler = (req, _res, next) => {
	if (req.method === "POST" && MESSAGE_PATH.test(req.path)) {
		const isLegacy = LEGACY_PATH.test(req.path) && req.header(A2A_VERSION_HEADER) !== "1.0";
		checkEnvelope(isLegacy ? "0.3 HTTP+JSON" : "1.0", req.body);
	}
	next();
};

/** The SDK begins every stream with `res.flushHeaders`, and just before sets a caching rule that is too weak. */
function prepareStreams(res: Response, clock: Clock): void {
	const flush = res.flushHeaders.bind(res);
	res.flushHeaders = () => {
		res.setHeader("Cache-Control", PRIVATE_STREAM);
		flush();
		keepAlive(res, clock);
	};
}

/** The SDK ends every refused call with `res.json`; what it would say there is replaced by what the exchange knows. */
function replaceRefusals(res: Response, exchange: Exchange): void {
	const sendAsIs = res.json.bind(res);
	res.json = (body) => {
		// What the SDK could not classify is an exception, and its text is not for callers.
		if (res.statusCode >= 500 && !exchange.refusal()) {
			exchange.refuse(new Error(JSON.stringify(body)));
		}
		const refusal = exchange.refusal();
		if (!refusal) return sendAsIs(body);
		sendRestRefusal(res, refusal);
		return res;
	};
}

/** Paid text is for its buyer only, and a proxy that rewrites a stream would hold it back. */
const PRIVATE_STREAM = "private, no-store, no-transform";

const HEARTBEAT_MS = 15_000;

/** Says now and then that a stream is still open: what stands between would close one that is silent. */
function keepAlive(res: Response, clock: Clock): void {
	const stop = clock.every(HEARTBEAT_MS, () => {
		if (!res.writableEnded) res.write(": still here\n\n");
	});
	res.once("close", stop);
}

/** Writes the events as they come and stops pulling them once the caller has left. */
async function sendEvents(
	res: Response,
	first: IteratorResult<unknown>,
	rest: AsyncIterator<unknown>,
): Promise<void> {
	for (const [name, value] of Object.entries(SSE_HEADERS)) res.setHeader(name, value);
	res.setHeader("Cache-Control", PRIVATE_STREAM);
	res.statusCode = 200;
	let next = first;
	while (!next.done && !res.destroyed) {
		res.write(formatSSEEvent(next.value));
		next = await rest.next();
	}
	if (!next.done) await rest.return?.();
	res.end();
}
