import { A2A_VERSION_HEADER } from "@a2a-js/sdk";
import {
	A2A_ERROR_CODE,
	A2AError,
	ContentTypeNotSupportedError,
	restStatusFor,
	toJsonRpcError,
	toRestErrorBody,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import express, {
	type ErrorRequestHandler,
	type Request,
	type RequestHandler,
	type Response,
	type Router,
} from "express";
import {
	A2A_PATHS,
	buildAgentCard,
	type CardDocument,
	type CardSigningKey,
	type PublishedCard,
	publishCard,
	type X402Terms,
} from "../../agent-card/agent-card.js";
import { LIMITS } from "../contract/contract.js";
import { isNoJson, readJsonBody } from "../http/http.js";
import { invalidArgument, isRecord } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import {
	type A2aServices,
	createExchange,
	createHttpCarrier,
	type Exchange,
	rpcIdOf,
	sendJson,
	sendRestRefusal,
	sendRpcRefusal,
} from "./exchange.js";
import { ENVELOPE_LEVELS } from "./message-envelope.js";
import { createJsonRpcHandler, createRestHandler } from "./transport-handlers.js";

/** Agent-to-agent: the protocol's messages become calls of the pipeline, its answers become tasks. */

/** Card, key set, JSON-RPC and HTTP+JSON, each in protocol versions 1.0 and 0.3; mount it at the root. */
export function createA2aRouter({
	card,
	requestHandler,
	...deps
}: A2aServices & {
	readonly card: CardSource;
	readonly requestHandler: A2ARequestHandler;
}): Router {
	const exchanges = new WeakMap<Request, Exchange>();
	/** One for each request: its error handlers go on with what its handler began. */
	const openExchange: OpenExchange = (req) => {
		const exchange = exchanges.get(req) ?? createExchange(deps, createHttpCarrier(deps, req));
		exchanges.set(req, exchange);
		return exchange;
	};
	const readBody = createBodyReader();
	return express
		.Router({ caseSensitive: true, strict: true })
		.use(createCardRoutes(card))
		.use([A2A_PATHS.jsonRpc, A2A_PATHS.rest], keepPrivate)
		.post(
			RPC_PATHS,
			requireJson,
			readBody,
			requireRequestObject,
			createJsonRpcHandler(requestHandler, openExchange, deps.clock),
		)
		.all(RPC_PATHS, refuseMethod)
		.use(A2A_PATHS.jsonRpc, createRpcErrorHandler(openExchange))
		.use(
			A2A_PATHS.rest,
			refuseOtherTypes,
			readBody,
			refuseOtherJson,
			createRestHandler(requestHandler, openExchange, deps.clock),
		)
		.use(A2A_PATHS.rest, createRestErrorHandler(openExchange));
}

/** The SDK's own routes of the other binding take a slash at the end, too. */
const RPC_PATHS = [A2A_PATHS.jsonRpc, `${A2A_PATHS.jsonRpc}/`];

const keepPrivate: RequestHandler = (_req, res, next) => {
	res.setHeader("Cache-Control", "private, no-store");
	next();
};

const requireJson: RequestHandler = (req, res, next) => {
	if (req.is("application/json")) return next();
	const error = new ContentTypeNotSupportedError(
		'JSON-RPC is spoken in JSON; send it with the header "Content-Type: application/json".',
	);
	sendRpcError(res, 415, toJsonRpcError(error));
};

const refuseMethod: RequestHandler = (req, res) => {
	res.setHeader("Allow", "POST");
	const message = `JSON-RPC is spoken over POST, not ${req.method}.`;
	sendRpcError(res, 405, { code: A2A_ERROR_CODE.INVALID_REQUEST, message });
};

/** For what is refused before its id can be read. */
function sendRpcError(res: Response, status: number, error: object): void {
	sendJson(res, status, { jsonrpc: "2.0", id: null, error });
}

/** The same over HTTP+JSON, in both of its types; most requests there have no body. */
const refuseOtherTypes: RequestHandler = (req, res, next) => {
	if (req.is(JSON_TYPES) !== false) return next();
	const error = new ContentTypeNotSupportedError(
		'A body is written in JSON; send it with the header "Content-Type: application/json".',
	);
	sendJson(res, 415, toRestErrorBody(error, 415));
};

/** The SDK would unwrap a body that is a JSON string, past every bound on the JSON inside it. */
const requireRequestObject: RequestHandler = (req, res, next) => {
	if (isRecord(req.body)) return next();
	const message = "The body must be one JSON-RPC request, an object; batches are not offered.";
	sendRpcError(res, 400, { code: A2A_ERROR_CODE.INVALID_REQUEST, message });
};

/** Requests without parameters come without a body or, from some 0.3 clients, with `null`. */
const refuseOtherJson: RequestHandler = ({ body }, _res, next) => {
	if (body === undefined || body === null || isRecord(body)) return next();
	throw invalidArgument("The body must be a JSON object.");
};

type OpenExchange = (req: Request) => Exchange;

function createRpcErrorHandler(openExchange: OpenExchange): ErrorRequestHandler {
	return (error: unknown, req, res, next) => {
		if (res.headersSent) return next(error);
		if (error instanceof A2AError) {
			const reply = { jsonrpc: "2.0", id: rpcIdOf(req.body), error: toJsonRpcError(error) };
			return sendJson(res, restStatusFor(error), reply);
		}
		if (!isNoJson(error)) {
			const refusal = openExchange(req).refuse(error);
			return sendRpcRefusal(res, rpcIdOf(req.body), refusal);
		}
		const message = "The body is not valid JSON.";
		sendRpcError(res, 400, { code: A2A_ERROR_CODE.PARSE_ERROR, message });
	};
}

function createRestErrorHandler(openExchange: OpenExchange): ErrorRequestHandler {
	return (error: unknown, req, res, next) => {
		if (res.headersSent) return next(error);
		if (error instanceof A2AError)
			sendJson(res, restStatusFor(error), toRestErrorBody(error, restStatusFor(error)));
		else sendRestRefusal(res, openExchange(req).refuse(error));
	};
}

const MAX_AGE_SECONDS = 300;

/**
 * The card, in the shape of the version the caller names; 1.0 where none is named, because that is how catalogs and the
 * protocol's own tests read it (docs/adr/0069). The address it had before 1.0 has the older shape always.
 */
function createCardRoutes(card: CardSource): Router {
	const serve =
		(pick: (published: PublishedCard, req: Request) => CardDocument): RequestHandler =>
		async (req, res) => {
			const { body, etag } = pick(await card(), req);
			res.setHeader("ETag", etag);
			res.setHeader("Cache-Control", `public, max-age=${MAX_AGE_SECONDS}`);
			if (isKnown(req, etag)) {
				res.status(304).end();
				return;
			}
			res.type("application/json").end(req.method === "HEAD" ? undefined : body);
		};
	const vary: RequestHandler = (_req, res, next) => {
		res.vary(A2A_VERSION_HEADER);
		next();
	};
	return express
		.Router({ caseSensitive: true, strict: true })
		.get(A2A_PATHS.card, vary, serve(pickShape))
		.get(
			A2A_PATHS.olderCard,
			serve(({ legacy }) => legacy),
		);
}

/** The version is a header or, as the protocol has it, a parameter of the address; an empty one is 0.3. */
function pickShape({ current, legacy }: PublishedCard, req: Request): CardDocument {
	const named = req.header(A2A_VERSION_HEADER) ?? req.query[A2A_VERSION_HEADER];
	return typeof named === "string" && /^\s*(0\.|$)/.test(named) ? legacy : current;
}

/** Compared here because `req.fresh` gives in to a caller's "no-cache", which many clients always send. */
function isKnown(req: Request, etag: string): boolean {
	const tags = req.header("If-None-Match")?.split(",") ?? [];
	return tags.some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** The signed card for the address the service is reached under and what is on sale there; signed once for each of both. */
type CardSource = ReturnType<typeof createCardSource>;

export function createCardSource({
	service,
	revision,
	signingKey,
	x402,
	grpcUrl,
}: {
	readonly service: Service;
	/** Where gRPC answers; undefined while it does not. */
	readonly grpcUrl: () => string | undefined;
	/** Changes with what is on sale. */
	readonly revision: () => string;
	readonly signingKey: () => CardSigningKey;
	readonly x402: X402Terms | undefined;
}) {
	let published: { readonly key: string; readonly card: Promise<PublishedCard> } | undefined;
	return (): Promise<PublishedCard> => {
		const baseUrl = service.info.baseUrl();
		const signer = signingKey();
		const key = [revision(), signer.kid, baseUrl, grpcUrl()].join(" ");
		if (published?.key !== key) {
			const { skills, prices, info } = service;
			const { version } = info;
			const addresses = { baseUrl, grpcUrl: grpcUrl() };
			const unsigned = buildAgentCard({ ...addresses, skills, prices, version, x402 });
			const keySetUrl = `${baseUrl}${A2A_PATHS.keys}`;
			published = { key, card: publishCard(unsigned, signer, keySetUrl) };
		}
		return published.card;
	};
}

const JSON_TYPES = ["application/json", "application/a2a+json"];

/**
 * Leaves a bounded JSON value in `req.body`.
 * The bound on nesting is what makes sure that a message can be written again after it was paid for.
 */
function createBodyReader(): RequestHandler {
	return async (req, _res, next) => {
		if (req.is(JSON_TYPES)) req.body = await readJsonBody(req, LIMITS.bodyDepth + ENVELOPE_LEVELS);
		next();
	};
}
