import type { RequestHandler, Response } from "express";
import type { Ids } from "../kernel/kernel.js";
import { openRequestId } from "./http-request.js";

/** Gives every request its id, the caller's own when it is well formed, and echoes it. Asked twice, it keeps the first. */
export function createRequestId(ids: Ids): RequestHandler {
	return (req, res, next) => {
		openRequestId(req, res, ids);
		next();
	};
}

/** The id `createRequestId` gave to the request this response answers. */
export function requestIdOf(res: Response): string {
	return String(res.getHeader("X-Request-Id") ?? "");
}
