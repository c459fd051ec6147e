import { A2A_VERSION_HEADER } from "@a2a-js/sdk";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { restHandler } from "@a2a-js/sdk/server/express";
import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { Clock } from "../kernel/kernel.js";
import { keepAlive, PRIVATE_STREAM } from "./event-stream.js";
import type { Exchange } from "./exchange.js";
import { checkEnvelope } from "./message-envelope.js";
import { sendRestRefusal } from "./refusal.js";

/** HTTP+JSON in both protocol versions (0.3 under `/v1`): the SDK's router, with our refusals in place of its errors. */
export function createRestHandler(
	requestHandler: A2ARequestHandler,
	openExchange: (req: Request) => Exchange,
	clock: Clock,
): Router {
	const exchanges = new WeakMap<Request, Exchange>();
	const open: RequestHandler = (req, res, next) => {
		const exchange = openExchange(req);
		exchanges.set(req, exchange);
		replaceRefusals(res, exchange);
		prepareStreams(res, clock);
		next();
	};
	const sdk = restHandler({
		requestHandler,
		legacyCompat: { enabled: true },
		userBuilder: async (req) => exchanges.get(req) ?? openExchange(req),
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
