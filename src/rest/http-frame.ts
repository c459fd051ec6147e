import cors from "cors";
import type { ErrorRequestHandler, Request, RequestHandler } from "express";
import helmet from "helmet";
import { PaymentRequired } from "../../payments/payments.js";
import type { RenderPage } from "../contract/contract.js";
import {
	createRequestId,
	hasLeft,
	isOurFailure,
	requestIdOf,
	toServiceError,
} from "../http/http.js";
import { type Ids, notFound, type ServiceError } from "../kernel/kernel.js";
import { asksForPage } from "./refusal-page.js";
import { sendError, sendRefusalPage } from "./respond.js";

const EXPOSED_HEADERS = [
	"X-Cost-USD",
	"X-Balance-After-USD",
	"X-Receipt-Id",
	"PAYMENT-REQUIRED",
	"PAYMENT-RESPONSE",
	"X-PAYMENT-RESPONSE",
	"Payment-Receipt",
	"A2A-Extensions",
	"X-A2A-Extensions",
	"X-Request-Id",
	"Idempotent-Replayed",
	"Retry-After",
	"RateLimit",
	"RateLimit-Policy",
	"ETag",
	"WWW-Authenticate",
	"Server-Timing",
];

const PREFLIGHT_SECONDS = 86_400;

/** What every reply carries, whichever transport gives it: a request id, safe headers, CORS for any origin without cookies. */
export function createHttpFront({ ids }: { readonly ids: Ids }): RequestHandler[] {
	return [
		createRequestId(ids),
		helmet({
			contentSecurityPolicy: {
				useDefaults: false,
				directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
			},
			crossOriginResourcePolicy: { policy: "cross-origin" },
		}),
		cors({
			origin: "*",
			methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
			exposedHeaders: EXPOSED_HEADERS,
			maxAge: PREFLIGHT_SECONDS,
		}),
	];
}

/** Is given every exception no one meant to throw; the caller only sees the request id. */
export type LogUnexpected = (
	error: unknown,
	at: { readonly requestId: string; readonly method: string },
) => void;

export interface ErrorHandlerDeps {
	readonly logUnexpected?: LogUnexpected | undefined;
	/** Without it browsers are answered as programs are. */
	readonly renderPage?: RenderPage | undefined;
}

/** Answers whatever was thrown in the contract's envelope, and browsers with a page. */
export function createErrorHandler({
	logUnexpected,
	renderPage,
}: ErrorHandlerDeps = {}): ErrorRequestHandler {
	// Express recognizes an error handler by its four parameters.
	return async (error: unknown, req, res, _next) => {
		const refusal = toServiceError(error);
		if (isOurFailure(refusal, res)) {
			logUnexpected?.(error, { requestId: requestIdOf(res), method: req.method });
		}
		if (res.headersSent || hasLeft(res)) {
			res.destroy();
			return;
		}
		if (isNegotiated(req, refusal)) res.vary("Accept");
		if (renderPage && asksForPage(req)) await sendRefusalPage(res, refusal, renderPage);
		else sendError(res, refusal);
	};
}

/** Whether another kind of reply might have been given; programs that send what no browser does get the envelope alone. */
function isNegotiated(req: Request, refusal: ServiceError): boolean {
	return asksForPage(req) || (req.method === "GET" && refusal instanceof PaymentRequired);
}

/** The end of the app: paths no one knows, and errors no one answered. Mount it last. */
export function createFallback({
	ids,
	...deps
}: ErrorHandlerDeps & { readonly ids: Ids }): (RequestHandler | ErrorRequestHandler)[] {
	const noRoute: RequestHandler = () => {
		throw notFound("Nothing answers at this path; GET /openapi.json lists what does.");
	};
	return [createRequestId(ids), noRoute, createErrorHandler(deps)];
}
