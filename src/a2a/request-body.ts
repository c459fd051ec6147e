import type { RequestHandler } from "express";
import { LIMITS } from "../contract/contract.js";
import { readJsonBody } from "../http/http.js";

/** Levels the protocols wrap around a skill's input: request, params, message, parts, part, data, data, input. */
const ENVELOPE_LEVELS = 8;

const JSON_TYPES = ["application/json", "application/a2a+json"];

/**
 * Leaves a bounded JSON value in `req.body`; bodies of other types are left to the SDK's refusal.
 * The bound on nesting is what makes sure that a message can be written again after it was paid for.
 */
export function createBodyReader(): RequestHandler {
	return async (req, _res, next) => {
		if (req.is(JSON_TYPES)) req.body = await readJsonBody(req, LIMITS.bodyDepth + ENVELOPE_LEVELS);
		next();
	};
}
