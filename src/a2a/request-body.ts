import express, { type RequestHandler } from "express";
import { ServiceError } from "../core/errors.js";
import { LIMITS } from "../core/limits.js";

/** Levels the protocols wrap around a skill's input: request, params, message, parts, part, data, data, input. */
const ENVELOPE_LEVELS = 8;

/** Handlers that leave a bounded JSON value in `req.body`; bodies of other types are left to the SDK's refusal. */
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

/** True for bodies that are no JSON at all, as opposed to too large or wrongly encoded ones. */
export function isParseError(error: unknown): boolean {
	return typeOf(error) === "entity.parse.failed";
}

/** A request express gave up on as an error a caller may see; every other error as it is. */
export function toRequestError(error: unknown): unknown {
	if (error instanceof URIError) {
		return new ServiceError("INVALID_ARGUMENT", "The path is not correctly percent-encoded.");
	}
	if (!/^(entity|encoding|charset|request)\./.test(typeOf(error))) return error;
	return new ServiceError(
		"INVALID_ARGUMENT",
		`The body could not be read; send JSON in UTF-8, not compressed, of at most ${LIMITS.bodyBytes} bytes.`,
		{ cause: error },
	);
}

function typeOf(error: unknown): string {
	if (typeof error !== "object" || error === null || !("type" in error)) return "";
	return String(error.type);
}

function isDeeperThan(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (levels === 0) return true;
	return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
