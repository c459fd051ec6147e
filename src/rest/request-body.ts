import type { Request, RequestHandler } from "express";
import express from "express";
import { ServiceError } from "../core/errors.js";
import { LIMITS } from "../core/limits.js";
import { isDeeperThan } from "../service/http-request.js";

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Handlers that leave a bounded JSON value in `req.body`; mounted on the paid routes only. */
export function createBodyReader(): RequestHandler[] {
	const parse = express.json({
		limit: LIMITS.bodyBytes,
		inflate: false,
		strict: false,
		type: () => true,
	});
	return [requireJsonType, parse];
}

/** The body that was sent; an empty one reads as an object without fields. Throws INVALID_ARGUMENT when it nests too deep. */
export function readBody(req: Request): unknown {
	const body: unknown = req.body === undefined ? {} : req.body;
	if (isDeeperThan(body, LIMITS.bodyDepth)) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`The body is nested deeper than ${LIMITS.bodyDepth} levels.`,
		);
	}
	return body;
}

const requireJsonType: RequestHandler = (req, _res, next) => {
	const type = req.headers["content-type"];
	const isWithoutBody =
		req.headers["content-length"] === "0" ||
		(req.headers["content-length"] === undefined && req.headers["transfer-encoding"] === undefined);
	if (type === undefined ? isWithoutBody : JSON_TYPE.test(type)) return next();
	throw new ServiceError(
		"INVALID_ARGUMENT",
		'The body must be JSON; send it with the header "Content-Type: application/json".',
	);
};
