import type { Request, RequestHandler } from "express";
import { LIMITS } from "../contract/contract.js";
import { hasBody, readJsonBody } from "../http/http.js";
import { ServiceError } from "../kernel/kernel.js";

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?;?$/i;

/** Leaves a bounded JSON value in `req.body`; mounted where a body is read at all. */
export function createBodyReader(): RequestHandler[] {
	const read: RequestHandler = async (req, _res, next) => {
		req.body = await readJsonBody(req, LIMITS.bodyDepth);
		next();
	};
	return [requireJsonType, read];
}

/** The body that was sent; an empty one reads as an object without fields. */
export function readBody(req: Request): unknown {
	return req.body === undefined ? {} : req.body;
}

const requireJsonType: RequestHandler = (req, _res, next) => {
	const type = req.headers["content-type"];
	if (type === undefined ? !hasBody(req) : JSON_TYPE.test(type)) return next();
	throw new ServiceError(
		"INVALID_ARGUMENT",
		'The body must be JSON in UTF-8; send it with the header "Content-Type: application/json".',
	);
};
