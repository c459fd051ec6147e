import type { RequestHandler, Response } from "express";
import type { z } from "zod";
import type { Clock } from "../core/clock.js";
import { parseCredential, parsePayment } from "../core/credential.js";
import type { PaidOperationId } from "../core/operations.js";
import type { CostWire } from "../core/wire.js";
import { type CallerWatch, watchCaller } from "../service/caller-watch.js";
import { costHeaders } from "../service/cost-headers.js";
import { createHeaderReader } from "../service/http-request.js";
import type { InvokeStream, StreamResult } from "../service/invoke-stream.js";
import { parseInput } from "../service/parse-input.js";
import { sendEventStream } from "./event-stream.js";
import type { PaymentLimit } from "./handlers.js";
import { readIdempotencyKey, readQuoteId } from "./request-headers.js";
import { requestIdOf } from "./request-id.js";
import { readQuery } from "./request-query.js";

export interface StreamHandlerDeps {
	readonly invokeStream: InvokeStream;
	readonly clock: Clock;
	/** Base address of the service. */
	readonly baseUrl: () => string;
	/** How long a stream may take from its first byte to its last. */
	readonly timeoutMs: number;
	readonly limitPayments: PaymentLimit;
}

/** Sells one skill as Server-Sent Events. A refusal still has its HTTP status: nothing is written before the capture. */
export function createStreamHandler(
	deps: StreamHandlerDeps,
	route: {
		readonly operationId: PaidOperationId;
		readonly path: z.ZodObject;
		readonly query: z.ZodObject;
	},
): RequestHandler {
	const { invokeStream, clock, baseUrl, timeoutMs, limitPayments } = deps;
	return async (req, res) => {
		const header = createHeaderReader(req);
		const input = {
			...parseInput(route.path, req.params),
			...parseInput(route.query, readQuery(req)),
		};
		const idempotencyKey = readIdempotencyKey(header);
		const request = {
			credential: parseCredential(header),
			payment: parsePayment(header),
			quoteId: readQuoteId(header),
			idempotencyKey: idempotencyKey === undefined ? undefined : `rest:${idempotencyKey}`,
		};
		if (request.payment) limitPayments(req);
		const watch = watchCaller(res, clock, timeoutMs);
		try {
			const result = await invokeStream({
				...request,
				operationId: route.operationId,
				rawInput: input,
				requestId: requestIdOf(res),
				transport: "rest",
				resourceUrl: `${baseUrl()}${req.path}`,
				signal: watch.signal,
			});
			await sendSold(res, result, clock);
		} catch (error) {
			throw toError(error, watch);
		} finally {
			watch.stop();
		}
	};
}

/** A payment buys the work, and that has begun to leave with the first event: no copy of it starts the work again. */
async function sendSold(
	res: Response,
	{ cost, paymentHeaders, events, onDelivered, onAbandoned }: StreamResult,
	clock: Clock,
): Promise<void> {
	const headers = { ...costHeaders(cost), ...paymentHeaders };
	for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
	let tell = onAbandoned;
	const onBegun = () => {
		tell = undefined;
		onDelivered?.();
	};
	try {
		await sendEventStream(res, withCost(events, cost), { clock, onBegun });
	} finally {
		tell?.();
	}
}

/** The last event says what the stream cost; a credit for one without evidence stands there alone. */
async function* withCost(events: StreamResult["events"], cost: CostWire): StreamResult["events"] {
	yield* events;
	yield { event: "research.usage", data: { cost } };
}

function toError(error: unknown, { timeout }: CallerWatch): unknown {
	return timeout() ?? error;
}
