import type { ErrorRequestHandler, RequestHandler } from "express";
import {
	createRequestId,
	hasLeft,
	isOurFailure,
	requestIdOf,
	toServiceError,
} from "../http/http.js";
import { type Ids, ServiceError } from "../kernel/kernel.js";
import { sendError } from "./respond.js";

/** Is given every exception no one meant to throw; the caller only sees the request id. */
export type LogUnexpected = (
	error: unknown,
	at: { readonly requestId: string; readonly method: string },
) => void;

export interface ErrorHandlerDeps {
	readonly logUnexpected?: LogUnexpected | undefined;
}

/** Answers whatever was thrown in the contract's envelope. */
export function createErrorHandler({ logUnexpected }: ErrorHandlerDeps = {}): ErrorRequestHandler {
	// Express recognizes an error handler by its four parameters.
	return (error: unknown, req, res, _next) => {
		const refusal = toServiceError(error);
		if (isOurFailure(refusal, res)) {
			logUnexpected?.(error, { requestId: requestIdOf(res), method: req.method });
		}
		if (res.headersSent || hasLeft(res)) {
			res.destroy();
			return;
		}
		sendError(res, refusal);
	};
}

/** The end of the app: paths no one knows, and errors no one answered. Mount it last. */
export function createFallback({
	ids,
	logUnexpected,
}: ErrorHandlerDeps & { readonly ids: Ids }): (RequestHandler | ErrorRequestHandler)[] {
	const notFound: RequestHandler = () => {
		throw new ServiceError(
			"NOT_FOUND",
			"Nothing answers at this path; GET /openapi.json lists what does.",
		);
	};
	return [createRequestId(ids), notFound, createErrorHandler({ logUnexpected })];
}
