import { A2A_VERSION_HEADER } from "@a2a-js/sdk";
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
import type { Request, RequestHandler, Response } from "express";
import type { Clock } from "../kernel/kernel.js";
import { keepAlive, sendEvents } from "./event-stream.js";
import type { Exchange } from "./exchange.js";
import { checkEnvelope, checkLegacyTaskParams } from "./message-envelope.js";
import { type RpcId, rpcIdOf, sendJson, sendRpcRefusal } from "./refusal.js";

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
