import cors from "cors";
import type { RequestHandler } from "express";
import helmet from "helmet";
import { createRequestId } from "../http/http.js";
import type { Ids } from "../kernel/kernel.js";

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
