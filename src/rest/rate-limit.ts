import type { Request, RequestHandler } from "express";
import { parseCredential } from "../core/credential.js";
import { LIMITS } from "../core/limits.js";
import type { OperationId } from "../core/operations.js";
import {
	type CallRates,
	type CountedCaller,
	type RateLevel,
	toCredentialKey,
} from "../service/call-rates.js";
import { toCallerAddress } from "../service/caller-address.js";
import { createHeaderReader } from "../service/http-request.js";
import { OPERATION_ADDRESSES } from "../service/operation-addresses.js";
import { tooMany } from "../service/token-bucket.js";

/** Operations that ask how something is getting on. */
const POLLING: readonly OperationId[] = ["health", "receipts.get", "payments.get"];

/**
 * Counts every request before its body is read, and tells on every reply what is left (draft-ietf-httpapi-ratelimit-headers).
 * Throws RATE_LIMITED.
 */
export function createRateLimit(rates: CallRates): RequestHandler {
	const isPolling = createPollingTest();
	return (req, res, next) => {
		const address = toCallerAddress(req.ip);
		const caller: CountedCaller = {
			address,
			credentialKey: credentialKeyOf(req, address),
			isPolling: isPolling(req),
		};
		const levels = rates.take(caller);
		if (caller.credentialKey !== undefined) {
			res.once("close", () => {
				const hasLeft = !res.writableFinished;
				rates.end(caller, { isRefused: res.statusCode === 401, hasLeft });
			});
		}
		res.setHeader("RateLimit-Policy", levels.map(toPolicy).join(", "));
		res.setHeader("RateLimit", levels.map(toLevel).join(", "));
		const full = levels.find((level) => !level.isLetIn);
		if (full) throw tooMany(WHY[full.policy](full), full.retryAfterSeconds);
		next();
	};
}

const WINDOW_SECONDS = 60;
const toPolicy = ({ policy, perMinute }: RateLevel) =>
	`"${policy}";q=${perMinute};w=${WINDOW_SECONDS}`;
const toLevel = ({ policy, remaining, fullInSeconds }: RateLevel) =>
	`"${policy}";r=${remaining};t=${fullInSeconds}`;

const WHY: Readonly<Record<RateLevel["policy"], (level: RateLevel) => string>> = {
	address: ({ perMinute }) =>
		`More than ${perMinute} requests a minute came from one address; wait before the next one.`,
	credential: ({ perMinute }) =>
		`More than ${perMinute} requests a minute came with one credential; wait before the next one.`,
	polling: ({ perMinute }) =>
		`More than ${perMinute} status requests a minute came from one address; wait before the next one.`,
	guesses: () =>
		`Too many credentials that are not valid came from one address; each counts ${LIMITS.failedCredentialCalls} times. Wait, then send a valid one.`,
};

/** Credentials that cannot be read have one key for each address: such a request is a guess like any other. */
function credentialKeyOf(req: Request, address: string): string | undefined {
	const { authorization, "x-pay-spt": spt, "x-api-key": key } = req.headers;
	if (authorization === undefined && spt === undefined && key === undefined) return undefined;
	try {
		const credential = parseCredential(createHeaderReader(req));
		return credential && toCredentialKey(credential);
	} catch {
		return `unreadable from ${address}`;
	}
}

function createPollingTest(): (req: Request) => boolean {
	const paths = POLLING.map((id) =>
		OPERATION_ADDRESSES[id].path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+"),
	);
	const pattern = new RegExp(`^(?:${paths.join("|")})$`);
	return ({ method, path }) => (method === "GET" || method === "HEAD") && pattern.test(path);
}
