import type { RequestHandler, Response } from "express";
import type { Ids } from "../core/ids.js";

const ACCEPTED = /^[A-Za-z0-9_-]{8,64}$/;

/** Gives every request its id, the caller's own when it is well formed, and echoes it. Asked twice, it keeps the first. */
export function createRequestId(ids: Ids): RequestHandler {
	return (req, res, next) => {
		if (!res.hasHeader("X-Request-Id")) {
			const sent = req.headers["x-request-id"];
			const isAccepted = typeof sent === "string" && ACCEPTED.test(sent);
			res.setHeader("X-Request-Id", isAccepted ? sent : ids.next("req"));
		}
		next();
	};
}

/** The id `createRequestId` gave to the request this response answers. */
export function requestIdOf(res: Response): string {
	return String(res.getHeader("X-Request-Id") ?? "");
}
