/** Agent-to-agent: the protocol's messages become calls of the pipeline, its answers become tasks. */

import { A2A_ERROR_CODE, ContentTypeNotSupportedError, toJsonRpcError } from "@a2a-js/sdk/errors";
import express, {
	type ErrorRequestHandler,
	type Request,
	type RequestHandler,
	type Router,
} from "express";
import { A2A_PATHS } from "../../agent-card/agent-card.js";
import { isNoJson } from "../http/http.js";
import { type Clock, type Ids, isRecord, type Logger, ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { createCardRoutes } from "./card-routes.js";
import type { CardSource } from "./card-source.js";
import { createExchange, type Exchange } from "./exchange.js";
import { createJsonRpcHandler } from "./json-rpc-handler.js";
import { createKeepPaid } from "./keep-paid.js";
import { createPaymentService } from "./payment-service.js";
import { createBuyAnswer } from "./purchase.js";
import type { PushService } from "./push-service.js";
import { rpcIdOf, sendJson, sendRestRefusal, sendRpcRefusal } from "./refusal.js";
import { createBodyReader } from "./request-body.js";
import { createRequestHandler } from "./request-handler.js";
import { createRestHandler } from "./rest-handler.js";
import { createSell } from "./sell.js";
import type { TaskArchive } from "./task-archive.js";
import type { TaskWatch } from "./task-watch.js";

export interface A2aDeps {
	readonly service: Service;
	readonly tasks: TaskArchive;
	readonly watch: TaskWatch;
	readonly push: PushService;
	readonly card: CardSource;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Payments on a chain are configured. */
	readonly acceptsX402: boolean;
	readonly logger?: Logger | undefined;
}

/** Card, key set, JSON-RPC and HTTP+JSON, each in protocol versions 1.0 and 0.3; mount it at the root. */
export function createA2aRouter({ card, tasks, ...deps }: A2aDeps): Router {
	const sell = createSell(deps);
	const keepPaid = createKeepPaid({ ...deps, tasks });
	const desk = createPaymentService({ ...deps, tasks, sell, keepPaid });
	const requestHandler = createRequestHandler({
		...deps,
		card: async () => (await card()).card,
		tasks,
		openTasks: desk,
		buy: createBuyAnswer({ ...deps, tasks, sell, keepPaid, desk }),
	});
	const openExchange: OpenExchange = (req) => createExchange(deps, req);
	const readBody = createBodyReader();
	return express
		.Router({ caseSensitive: true, strict: true })
		.use(createCardRoutes(card))
		.use([A2A_PATHS.jsonRpc, A2A_PATHS.rest], keepPrivate)
		.post(
			A2A_PATHS.jsonRpc,
			requireJson,
			readBody,
			requireRequestObject,
			createJsonRpcHandler(requestHandler, openExchange, deps.clock),
		)
		.all(A2A_PATHS.jsonRpc, refuseMethod)
		.use(A2A_PATHS.jsonRpc, createRpcErrorHandler(openExchange))
		.use(
			A2A_PATHS.rest,
			readBody,
			refuseOtherJson,
			createRestHandler(requestHandler, openExchange, deps.clock),
		)
		.use(A2A_PATHS.rest, createRestErrorHandler(openExchange));
}

const keepPrivate: RequestHandler = (_req, res, next) => {
	res.setHeader("Cache-Control", "private, no-store");
	next();
};

const requireJson: RequestHandler = (req, res, next) => {
	if (req.is("application/json")) return next();
	const error = new ContentTypeNotSupportedError(
		'JSON-RPC is spoken in JSON; send it with the header "Content-Type: application/json".',
	);
	sendJson(res, 415, { jsonrpc: "2.0", id: null, error: toJsonRpcError(error) });
};

const refuseMethod: RequestHandler = (req, res) => {
	res.setHeader("Allow", "POST");
	const message = `JSON-RPC is spoken over POST, not ${req.method}.`;
	sendJson(res, 405, {
		jsonrpc: "2.0",
		id: null,
		error: { code: A2A_ERROR_CODE.INVALID_REQUEST, message },
	});
};

/** The SDK would unwrap a body that is a JSON string, past every bound on the JSON inside it. */
const requireRequestObject: RequestHandler = (req, res, next) => {
	if (isRecord(req.body)) return next();
	const message = "The body must be one JSON-RPC request, an object; batches are not offered.";
	sendJson(res, 400, {
		jsonrpc: "2.0",
		id: null,
		error: { code: A2A_ERROR_CODE.INVALID_REQUEST, message },
	});
};

/** Requests without parameters come without a body or, from some 0.3 clients, with `null`. */
const refuseOtherJson: RequestHandler = ({ body }, _res, next) => {
	if (body === undefined || body === null || isRecord(body)) return next();
	throw new ServiceError("INVALID_ARGUMENT", "The body must be a JSON object.");
};

type OpenExchange = (req: Request) => Exchange;

function createRpcErrorHandler(openExchange: OpenExchange): ErrorRequestHandler {
	return (error: unknown, req, res, next) => {
		if (res.headersSent) return next(error);
		if (!isNoJson(error)) {
			const refusal = openExchange(req).refuse(error);
			return sendRpcRefusal(res, rpcIdOf(req.body), refusal);
		}
		const parseError = { code: A2A_ERROR_CODE.PARSE_ERROR, message: "The body is not valid JSON." };
		sendJson(res, 400, { jsonrpc: "2.0", id: null, error: parseError });
	};
}

function createRestErrorHandler(openExchange: OpenExchange): ErrorRequestHandler {
	return (error: unknown, req, res, next) => {
		if (res.headersSent) return next(error);
		sendRestRefusal(res, openExchange(req).refuse(error));
	};
}
