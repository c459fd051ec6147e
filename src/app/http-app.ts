import express, { type Express, type RequestHandler, type Router } from "express";
import { createAdminRouter, createOperatorCheck } from "../admin/admin.js";
import {
	type CallRates,
	createMessageClasses,
	isForwarded,
	type MessageClasses,
} from "../http/http.js";
import { type Clock, type Ids, type Logger, ServiceError, stackOf } from "../kernel/kernel.js";
import type { Operator } from "../operator/operator.js";
import {
	createFallback,
	createHttpFront,
	createRateLimit,
	createRestRouter,
} from "../rest/rest.js";
import type { Service } from "../service/service.js";

export interface HttpAppDeps {
	readonly service: Service;
	readonly operator: Operator;
	readonly adminToken: string;
	readonly callRates: CallRates;
	/** Beside those on this machine. */
	readonly trustedProxies: readonly string[];
	/** Routers of transports that have no address below `/v1/`, in order. */
	readonly transports: readonly Router[];
	/** Pages for readers, asked before REST. */
	readonly web: Router;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
}

export interface HttpApp {
	readonly handler: Express;
	/** What a server is to make its requests and responses as. */
	readonly messages: MessageClasses;
}

/** Every transport on one Express application. */
export function createHttpApp(deps: HttpAppDeps): HttpApp {
	const { service, operator, adminToken, callRates, transports, clock, ids, logger } = deps;
	const logUnexpected = (error: unknown, at: object) =>
		logger.error("unexpected failure", { ...at, error: stackOf(error) });
	const app = express();
	app.disable("x-powered-by");
	app.set("etag", false);
	// Behind such a proxy the caller is whom it names; anybody else could name anyone.
	app.set("trust proxy", ["loopback", ...deps.trustedProxies]);
	const check = createOperatorCheck(adminToken);
	app.use(createRateLimit({ rates: callRates, clock, ids, isOperator: check.isOperator }));
	app.use(createHttpFront({ ids }));
	if (service.info.profile === "demo") app.use(refuseForwarded);
	app.use("/v1/admin", createAdminRouter({ operator, check, logger, clock }));
	for (const transport of transports) app.use(besideRest(transport));
	app.use(deps.web);
	app.use(createRestRouter({ service, clock, ids, logUnexpected }));
	app.use(createFallback({ ids, logUnexpected }));
	return { handler: app, messages: createMessageClasses(app) };
}

/** A proxy in front would carry paper money off this machine. */
const refuseForwarded: RequestHandler = (request, _response, next) => {
	if (isForwarded(request)) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			"The demo profile serves this machine only and takes no forwarded requests; start with --profile production behind a proxy.",
		);
	}
	next();
};

/** A router that has no answer costs a turn of the event loop: what is certainly not for a transport passes it by. */
function besideRest(transport: Router): RequestHandler {
	return (request, response, next) => {
		if (request.url.startsWith("/v1/")) next();
		else transport(request, response, next);
	};
}
