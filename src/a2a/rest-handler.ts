import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { restHandler } from "@a2a-js/sdk/server/express";
import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { Exchange } from "./exchange.js";
import { sendRestRefusal } from "./refusal.js";

/** HTTP+JSON in both protocol versions (0.3 under `/v1`): the SDK's router, with our refusals in place of its errors. */
export function createRestHandler(
	requestHandler: A2ARequestHandler,
	openExchange: (req: Request) => Exchange,
): Router {
	const exchanges = new WeakMap<Request, Exchange>();
	const open: RequestHandler = (req, res, next) => {
		const exchange = openExchange(req);
		exchanges.set(req, exchange);
		replaceRefusals(res, exchange);
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
	return express.Router().use(open, sdk);
}

/** The SDK ends every refused call with `res.json`; what it would say there is replaced by what the exchange knows. */
function replaceRefusals(res: Response, exchange: Exchange): void {
	const sendAsIs = res.json.bind(res);
	res.json = (body) => {
		// What the SDK could not classify is an exception, and its text is not for callers.
		if (res.statusCode >= 500 && !exchange.refusal)
			exchange.refuse(new Error(JSON.stringify(body)));
		if (!exchange.refusal) return sendAsIs(body);
		sendRestRefusal(res, exchange.refusal);
		return res;
	};
}
