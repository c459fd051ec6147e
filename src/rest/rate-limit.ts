import type { Socket } from "node:net";
import type { Request, RequestHandler } from "express";
import { LIMITS, OPERATION_ADDRESSES, type OperationId } from "../contract/contract.js";
import {
	type CallRates,
	type CountedRequest,
	rateHeaders,
	readCaller,
	readHeaders,
	toRateRefusal,
	toRequestId,
} from "../http/http.js";
import type { Clock, Ids } from "../kernel/kernel.js";
import { sendError } from "./respond.js";

/** Operations that ask how something is getting on. */
const POLLING: readonly OperationId[] = [
	"health",
	"receipts.get",
	"payments.get",
	"research.deep_dive.status",
];

/**
 * Counts every request before anything is done about it, and states on every reply what is left.
 * Mount it first: what it refuses costs as little as can be.
 */
export function createRateLimit({
	rates,
	clock,
	ids,
	isOperator,
	identify,
}: {
	readonly rates: CallRates;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Comes from this machine with a token no one guesses; a wrong one counts as the guess it is. */
	readonly isOperator: (req: Request) => boolean;
	/** Throws for a request whose credential is not valid. */
	readonly identify: (req: Request) => Promise<unknown>;
}): RequestHandler {
	const isPolling = createPollingTest();
	const rest = createRest(clock);
	return async (req, res, next) => {
		if (rest.isBroken(req)) return;
		if (isOperator(req)) return next();
		const caller: CountedRequest = { isPolling: isPolling(req), ...readCaller(req) };
		const levels = await rates.take(caller, () => identify(req));
		if (caller.credentialKey !== undefined) {
			res.once("close", () => {
				const hasLeft = !res.writableFinished;
				rates.end(caller, { isRefused: res.statusCode === 401, hasLeft });
			});
		}
		for (const [name, value] of Object.entries(rateHeaders(levels))) res.setHeader(name, value);
		const full = levels.find((level) => !level.isLetIn);
		if (!full) return next();
		res.setHeader("X-Request-Id", toRequestId(readHeaders(req), ids));
		for (const [name, value] of OPEN_TO_BROWSERS) res.setHeader(name, value);
		rest.begin(req);
		sendError(res, toRateRefusal(full));
	};
}

const OPEN_TO_BROWSERS = [
	["Access-Control-Allow-Origin", "*"],
	["Access-Control-Expose-Headers", "RateLimit,RateLimit-Policy,Retry-After,X-Request-Id"],
	["X-Content-Type-Options", "nosniff"],
] as const;

/**
 * Reads nothing more from a connection for a while, so that who goes on at full speed takes no time from others; a
 * proxy's connection carries other callers too, and is left alone.
 */
function createRest(clock: Clock) {
	const resting = new WeakSet<Socket>();
	return {
		/** A request that was sent before the last answer: its connection is cut. */
		isBroken({ socket }: Request): boolean {
			if (!resting.has(socket)) return false;
			socket.destroy();
			return true;
		},
		begin(req: Request): void {
			const { socket, ip } = req;
			if (ip !== socket.remoteAddress) return;
			resting.add(socket);
			// Not before: node reads on until it has the whole request, wanted or not.
			req.once("close", () => {
				socket.pause();
				const cancel = clock.after(LIMITS.refusedPauseMs, () => {
					resting.delete(socket);
					socket.off("close", cancel).resume();
				});
				socket.once("close", cancel);
			});
		},
	};
}

function createPollingTest(): (req: Request) => boolean {
	const paths = POLLING.map((id) =>
		OPERATION_ADDRESSES[id].path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+"),
	);
	const pattern = new RegExp(`^(?:${paths.join("|")})$`);
	return ({ method, path }) => (method === "GET" || method === "HEAD") && pattern.test(path);
}
