import express, { type RequestHandler } from "express";
import { ServiceError } from "../core/errors.js";
import { LIMITS } from "../core/limits.js";
import { isDeeperThan } from "../service/http-request.js";

/** Levels the protocols wrap around a skill's input: request, params, message, parts, part, data, data, input. */
const ENVELOPE_LEVELS = 8;

/**
 * Handlers that leave a bounded JSON value in `req.body`; bodies of other types are left to the SDK's refusal.
 * The bound on nesting is what makes sure that a message can be written again after it was paid for.
 */
export function createBodyReader(): RequestHandler[] {
	const parse = express.json({
		limit: LIMITS.bodyBytes,
		inflate: false,
		strict: false,
		type: ["application/json", "application/a2a+json"],
	});
	const bound: RequestHandler = (req, _res, next) => {
		if (isDeeperThan(req.body, LIMITS.bodyDepth + ENVELOPE_LEVELS)) {
			throw new ServiceError("INVALID_ARGUMENT", "The body is nested too deeply.");
		}
		next();
	};
	return [parse, bound];
}

/** The SDK would unwrap a body that is a JSON string, past every bound on the JSON inside it. */
export function isObjectBody(body: unknown): boolean {
	return typeof body === "object" && body !== null && !Array.isArray(body);
}

/** True for bodies that are no JSON at all, as opposed to too large or wrongly encoded ones. */
export function isParseError(error: unknown): boolean {
	return typeOf(error) === "entity.parse.failed";
}

function typeOf(error: unknown): string {
	if (typeof error !== "object" || error === null || !("type" in error)) return "";
	return String(error.type);
}
